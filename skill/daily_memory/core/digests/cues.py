"""The words by which a sentence tells what it is, in Chinese and English: one pattern a question.

A cue is looked for anywhere in a sentence unless its name says that the sentence begins with it.
"""

from __future__ import annotations

import re

_FLAGS = re.VERBOSE | re.IGNORECASE

# --- Words that carry nothing ----------------------------------------------------------------

BEGINS_WITH_GREETING = re.compile(
    r"""
    \s* (?: 你好 | 您好 | 大家好 | 早上好 | 下午好 | 晚上好 | 在吗 | 嗨 | 哈喽 | 请问 | 麻烦[你您]
      | 好的 | 谢谢 | 请? 帮(?:我|忙)(?:一下)? | 请(?![求教示假客柬]) | 对了 | 另外 | 顺便
        | 换个话题
      | (?: 请教 | 咨询 | 问 ) (?:你)? (?:一下|下)? (?: (?:一)?个问题 )? (?= [，,：:\s]|一下 )
      | (?: a\ )? quick\ question (?: \ (?: about | on | regarding ) )?
      | (?: hi | hello | hey | good\ (?:morning|afternoon|evening) | thanks | thank\ you | ok | okay
          | please | pls | (?: can | could | would ) \ you | help\ me(?:\ to)? | btw | by\ the\ way
          | unrelated | another\ thing | next\ topic | different\ topic )
        (?: \ (?: there | all | everyone | team | claude | please ) )? (?![\w'’-])
    ) [\s,，.。!！~～:：?？、]*
    """,
    _FLAGS,
)
# What an answer begins with before it says anything. "No" is left: it turns the sentence round.
BEGINS_WITH_FILLER = re.compile(
    r"""
    \s* (?: 好的 | 好 | 行 | 嗯+ | 当然(?:可以)? | 没问题 | 明白了? | 了解 | 收到 | 是的 | 对的?
        | 同意
        | 可以 | 很好(?:的问题)? | 太好了 | 原来如此 | 不错 | 有道理 | 搞定了? | 抱歉
      | sure(?:\ thing)? | certainly | of\ course | absolutely
        | great(?:\ (?:question|choice|idea|point|catch))? | perfect
        | okay | ok | alright | got\ it | yes | yep | yeah | right
        | good(?:\ (?:point|question|idea|choice|call|catch))?
        | hmm+ | ah | oh | well | agreed | done | understood | sounds\ good | sorry | thanks
        | exactly
        | no\ (?: worries | problem ) | my\ pleasure | nice\ work | phew
      | i\ see | makes\ sense | nice | cool | ouch | so | excellent | wonderful | correct | 没错
      | [A-Z][a-z]{2,11} (?= ! )
    ) \s? [,，。.!！~～:：;；、—–-]+ \s*
    """,
    _FLAGS,
)
ACKNOWLEDGEMENT = re.compile(
    r"""
    \s* (?: 继续 | 好 | 行 | 可以 | 对 | 是的 | 没错 | 嗯+ | 明白 | 收到 | 辛苦了 | 太好了 | 不错
      | 完美 | 看起来(?:不错|可以|没问题) | 没问题 | 搞定 | 学到 | 有道理 | 懂 | 厉害 | 牛 | 赞
        | 拜拜
      | 再见 | 先这样 | 先到这里?
      | yes | yep | yeah | no | sure | continue | go\ on | go\ ahead | great | perfect | nice | cool
      | sounds\ good | lgtm | looks\ good | do\ it | got\ it | exactly | right | will\ do | done
      | awesome | (?:that['’]?s\ )? (?: all | it ) | good\ catch(?:es)? | makes\ sense | bye
    ) [了的吧啊\s,，.。!！~～]* $
    """,
    _FLAGS,
)
SMALL_TALK = re.compile(
    r"""
      天气 | 周末(?:愉快|一般|干) | (?:早|午|晚)饭 | 吃饭 | 哈哈 | 嘿嘿 | 有点困 | 去?开会 | 拜拜
        | 再见
    | 回头聊 | 聊天 | 愉快 | 开心 | 喝点 | 加油 | 下班 | 作为一个 | 陪
    | (?<![a-z]) (?: lunch | dinner | coffee | weather | weekend | ha(?:ha)+ | lol
      | have\ a\ (?: nice | good | great ) | bye | see\ you | good\ night | how\ are\ you
      | as\ an\ ai ) (?![a-z])
    """,
    _FLAGS,
)
VAGUE = re.compile(
    r"""
    \s* (?: (?:我)?(?:有|碰到|遇到)(?:了)?(?:一)?个?问题 (?:想?(?:请教|问|咨询)(?:一下)?你?)?
          | 帮?(?:我)?看(?:个|一个|下这个|一下这个)(?:问题|报错|bug) | 问(?:你)?(?:一)?个问题
          | 看一下
          | 继续(?:吧)? | 开始(?:吧)?
      | (?: i\ have | got ) \ (?: a | one ) \ (?: quick\ )? (?: question | problem | issue )
      | quick\ question | (?: need | i\ need ) \ (?: some\ )? help | help | take\ a\ look
      | look\ at\ this | are\ you\ there | let['’]?s\ (?: start | begin | continue )
    ) [了吧啊\s,，.。!！?？~～]* $
    """,
    _FLAGS,
)
COURTESY = re.compile(
    r"""
    \s* (?: 不客气 | 希望(?:这|以上|对|能|你) | 祝 | 随时
        | 如(?:果|有)(?:还|任何|其他|需要|什么|疑问|问题)
        | 有(?:任何|什么|其他)问题 | 很高兴 | 很好的问题 | 你说得对 | 感谢 | 谢谢 | 太感谢 | 辛苦
        | 抱歉
        | 对不起 | 我(?:已经)?记住了 | 以下是 | 下面是 | 需要(?:的话|我)
      | (?: you['’]re\ welcome | hope | i\ hope | feel\ free | let\ me\ know | happy\ to
          | i['’]m\ (?: happy | glad | sorry ) | glad | thank | thanks | great\ question
          | good\ question | you['’]re\ (?: right | absolutely ) | sorry | i\ apologi[sz]e
          | here['’]s
          | here\ (?: is | are ) | enjoy | no\ problem | my\ pleasure | nice\ work | congratulations
          | would\ you\ like | do\ you\ want | shall\ i | if\ you\ (?: want | need | have | like )
        ) (?![a-z]) )
    """,
    _FLAGS,
)
# An assistant that says what it is about to do has found nothing yet.
NARRATION = re.compile(
    r"""
    \s* (?: (?: 现在 | 接下来 | 首先 | 然后 | 下面 | 那么 | 最后 | 先 ) [，,]? \s* )?
        (?: 让我(?:们)? | 我(?:们)?(?: 来 | 先 | 会 | 将 | 再 | 去 | 这就 | 现在 | 需要 | 想 | 要
        | 看
              | 查 | 检查 | 读 | 修改 | 更新 | 创建 | 继续 | 尝试 | 试 | 准备 | 列 | 总结 | 写 )
          | 来看 | 看一下 | 看看 | 检查一下 | 查一下 | 再看 | 继续看 | 开始(?: 修改 | 写 | 实现 )
          | 正在 )
    | \s* (?: (?: now | next | first | then | so | ok | okay | and | but ) ,? \s )?
        (?: let\ me | let['’]s | i['’]ll | i\ will | i['’]m\ (?: going | now | \w{2,20}ing )
          | i\ (?: need | want | should | can (?! \ see ) | am ) | looking | checking | running
          | reading
          | searching | updating | creating | adding | fixing | starting | time\ to | now\ (?: to
          | for | i )
          | a\ few\ (?: things | questions ) ) (?![a-z])
    """,
    _FLAGS,
)
OFFER = re.compile(
    r"""
      还有(?:什么|其他|别的) | 需要我 | 要我 | 要不要我 | 是否需要我 | 有(?:什么|其他)问题
        | (?: 你看 | 这样 )? 可以吗
    | (?: would | do ) \ you \ (?: like | want ) | shall \ i | should \ i | let \ me \ know
    | anything \ else | does \ (?: this | that ) \ (?: help | work | make | look | sound )
    | can\ you | could\ you | how\ can\ i
    """,
    _FLAGS,
)
# Thanks that hang on to something that was said.
ENDS_WITH_THANKS = re.compile(
    r"""
    [\s,，。.!！;；]+ (?: 辛苦了? | (?:非常|太)?(?:感谢|谢谢)\S{0,6} | 多谢 | 麻烦了
      | (?:many\ )?thanks(?:\ [\w\ ]{1,20})? | thank\ you(?:\ [\w\ ]{1,20})? | thx | please )
    [\s。.!！~～]* $
    """,
    _FLAGS,
)
PRAISE = re.compile(
    r"""
      写得不错 | 整体(?:上)?(?:来看)?(?:不错|清晰|很好) | 结构清晰 | 干得
    | (?<![a-z]) (?: nice\ work | well\ done | good\ job | overall | nitpick | looks\ (?: great
        | good )
      ) (?![a-z])
    """,
    _FLAGS,
)
# Several ways side by side: what matters is which was taken.
WEIGHS = re.compile(
    r"""
      [两三四几] [种个] (?: 做法 | 方案 | 方式 | 选择 | 办法 | 思路 )? \s? [：:，] | 也可以用?
        | 要么
    | (?<![a-z]) (?: (?: two | three | several ) \ (?: choices | options | ways | routes | roads
        | paths ) | either | alternatively ) (?![a-z])
    """,
    _FLAGS,
)
BEGINS_WITH_PRONOUN = re.compile(
    r"\s*(?:它|这|那[个些样是]|其|(?:it|this|that|these|those|they|he|she)(?:['’]s)?(?![a-z]))",
    re.IGNORECASE,
)

# --- What is asked ---------------------------------------------------------------------------

REQUEST = re.compile(
    r"""
      [?？] | 想 (?: 要 | 给 | 把 | 做 | 用 | 在 | 对 | 让 | 加 | 讨论 ) | (?: 打算 | 准备 )
        | 怎么 | 如何 | 为什么 | 为何 | 能否 | 能不能 | 帮 | 请 | 需要 | 希望 | 想要 | 我想
        | 要求 | 想讨论
    | (?<![a-z]) (?: how | what | why | which | where | can\ you | could\ you | please | help | need
        | want | would\ like | should | let['’]s ) (?![a-z])
    """,
    _FLAGS,
)
ASKS = re.compile(r"[?？][”」』\"')）]*$|[吗呢][。.]?$")
# Asks for work, which is no decision: "用 Python 帮我写一个".
ORDERS = re.compile(
    r"帮我|帮忙|怎么|如何|[列写说讲看查试测理]一?下|^\s*用.{1,30}(?:写|实现|做)一?个|please|\bhow ",
    re.IGNORECASE,
)
BEGINS_NEW_TOPIC = re.compile(
    r"""
    \s* (?: (?: 好的? | 行 | 太好了 | 不错 | 谢谢 | ok(?:ay)? | great | thanks | perfect | cool
          | nice ) [，,。.！!~]? \s* )?
    (?: 另外 | 换个话题 | 顺便 | 对了 | 还有(?:一个|个|一件) | 再(?:问|帮我?)(?:一个|个|看一个)
        | 下一个
      | 再来一个
      | (?: unrelated | another\ (?: thing | question | topic | issue ) | different\ (?: topic
        | question )
          | next\ (?: topic | question | thing ) | on\ another\ note | by\ the\ way | btw
          | separate(?:ly)?
          | new\ topic | one\ more\ thing | now\ for\ something ) (?![a-z]) )
    """,
    _FLAGS,
)

# --- What was found and done -----------------------------------------------------------------

CAUSE = re.compile(
    r"""
      原因 | 根因 | 因为 | 由于 | 所以 | 因此 | 导致 | 引起 | 造成 | 问题[是在出有] | 问题的?根源
        | 在于 | 其实是 | 找到了
        | 发现了? | 罪魁 | 而是
    | (?<![a-z])
      (?: because | caused? | causes | root\ cause | reason | turns?\ out | due\ to | found\ (?: it
        | the )
        | it['’]?s\ not\ .{3,40}[:;,] | that['’]s\ (?: when | why ) | which\ is\ why
        | it['’]?s\ a\ real | comes\ from | culprit | why\ it | so\ that['’]s
        | the\ (?: problem | issue | bug | cause ) \ (?: is | was ) )
      (?![a-z])
    | ,\ so\ (?! that | far | i['’] | let )
    """,
    _FLAGS,
)
DONE = re.compile(
    r"""
      已经? (?!知|存在|有) | 修复 | 解决了 | 完成 | 实现了 | 改为 | 改成 | 换成 | 改用 | 新增
        | 增加了 | 去掉了
        | 删除了 | 移除了? | 迁移了 | 升级到 | 通过了? | 成功 | 降[到至低] | 减[到至少]
        | 提[升高]到?
        | 恢复 | 配置好 | 启用了 | 合并了 | 上线了 | 发布了 | 部署了 | 验证 | 拆分 | 加[上了]
    | (?<![a-z])
      (?: fix(?:ed|es)? | applied | installed | enabled | disabled | configured | solved | resolved
        | added | removed | replaced | changed | implemented
        | refactored | updated | renamed | moved | migrated | upgraded | deployed | shipped
        | released
        | merged | created | deleted | dropped | reverted | pass(?:ed|es)? | works\ now
        | now\ (?: uses?
        | \w{3,12}s ) | no\ longer | reduced | went\ (?: down | from ) | (?: is | are ) \ (?: gone
        | done
        | in\ place | green ) | verified | i['’]ve )
      (?![a-z])
    """,
    _FLAGS,
)
DEAD_END = re.compile(
    r"""
      没[用效]果? | 没有(?:用|效果|作用|帮助) | 无效 | 不(?:行|起作用|管用|奏效) | 行不通 | 走不通
        | 失败了
        | 没 (?: 变化 | 区别 | 改善 ) | 还是 (?: 一样 | 同一个 | 同样 ) | 回滚 | 撤销 | 撤回
        | 排除 | 不是.{1,20}的(?:问题|原因) | 踩过坑 | 放弃
    | (?<![a-z])
      (?: did(?:n['’]t|\ not) \ (?: help | work | change | fix ) | does(?:n['’]t|\ not) \ (?: help
        | work )
        | no\ (?: effect | difference | change ) | did\ nothing | same\ (?: error | problem
        | result ) | no\ luck | dead\ end | rul(?:ed?|ing) \ (?: it\ )? out | reverted
        | rolled\ back
        | not\ the\ (?: main\ )? (?: cause | problem ) | only\ (?: part | makes ) | made \ (?: it
        | .{2,30} )
          \ (?: worse | unreliable | slower ) | gave\ up | that\ broke )
      (?![a-z])
    """,
    _FLAGS,
)
CONSTRAINT = re.compile(
    r"""
      必须 | 注意 | 关键 | 只能 | 不能 | 不支持 | 不允许 | 禁止 | 至少 | 最多 | 上限 | 默认 | 要求
        | 前提 | 约定
        | 偏好 | 喜欢 | 习惯 | 不要 | 统一 | 结论 | 总结 | 以免 | 避免 | 否则 | 会被
    | (?<![a-z])
      (?: must | always | never | only | prefers? | important | note\ that | requires?
        | at\ (?: most
        | least ) | by\ default | limit | can(?:not|['’]t) | conclusion | therefore | instead
        | not\ supported | has\ to | have\ to | exactly\ once | at\ least\ once | remember )
      (?![a-z])
    """,
    _FLAGS,
)
PREFERS = re.compile(
    r"""
      喜欢 | 偏好 | 习惯 | 记住 | 统一 | 一律 | 以后都
    | (?<![a-z]) (?: prefers? | remember | always | never | from\ now\ on | convention ) (?![a-z])
    """,
    _FLAGS,
)
MEASURED = re.compile(
    r"""
      \d \s? (?: ms | s | 秒 | 分钟? | 小时 | 天 | % | x | 倍 | [KMGT]i?B? | 万 | 个 | 次 | 行 | 条
        | 并发
        | rows? | lines? | requests? | minutes? | hours? | seconds? | errors? | passed | failed
        | runs? ) (?![a-z])
    | 从 .{1,20} (?: 到 | 降 | 减 ) | \bfrom\ \S{1,12}\ to\ \S
    """,
    _FLAGS,
)

# A figure before and after: what was gained.
IMPROVED = re.compile(
    r"""
      从 \s? [\d.]+ .{0,16}? (?: 到 | 降 | 减 | 变 | 升 | 提 | 缩 ) [^，。]{0,6} \d
    | \d \S{0,6} \s? (?: → | -> | => ) \s? \d | (?: 降 | 减 | 缩短 | 提升
        | 提高 ) [到至了] [^，。]{0,4} \d
    | (?<![a-z]) (?: from\ [$~]?\d .{1,20} \ to\ [$~]?\d | down\ to\ [$~]?\d
      | \d \S{0,9} (?: \ \w{1,8} )? \ (?: instead\ of | rather\ than | compared\ to ) \ [$~]?\d )
    """,
    _FLAGS,
)

# --- What was decided ------------------------------------------------------------------------

DECIDED = re.compile(
    r"""
      (?<! 再 ) (?<! 才 ) (?<! 后 ) 决定 | 決定 | 采用 | 採用 | 改用 | 选用 | 选择[了用使] | 选定
        | 敲定 | 商定 | 就用 | 定为
    | 定下来 | 确定[用使采将] | 最终[用选使] | 一致同意
    | (?<![a-z])
      (?: we (?: ['’]?ll | \ will ) \ (?: use | go | keep ) | decided | decision | agreed
        | let['’]s\ (?: use | go\ with | keep | drop | skip | do | stick ) | go(?:ing)?\ with
        | we\ chose | i\ chose
        | settled\ on | switch(?:ed|ing)?\ to | opted\ for | from\ now\ on )
      (?![a-z])
    """,
    _FLAGS,
)
# Orders of the user that say how a thing is to be: each of them decides it.
DIRECTS = re.compile(
    r"""
      (?<! [看试样里这了是对] ) 吧 (?= [\s，,。；;!！~～] | $ )
    | (?: ^ | [，,。；;、\s] ) (?: 要 (?! 不 | 求 | 是 | 多久 | 怎么 ) | 必须 | 只能 | 不能 | 不要
        | 不做 | 不加
        | 别 (?! 人 | 的 | 处 ) | 得 (?! 到 ) | 统一 | 跟 .{1,8} 走 | 走 \s? \w | 上 \s? [A-Za-z]
        | 加 (?: 一条 | 个 | 上 ) | 支持 | 只 ) .{2,}
    | (?: 放 (?: 在 | 到 | 进 )? | 算 | 写 (?: 在 | 到 | 进 ) | 存 (?: 在 | 到 )? | 挪到
        | 移到 ) .{1,16} [里层中上]
    | \b (?: is | are ) \ (?: fine | ok(?:ay)? | enough | plenty ) \b
    | \b (?: should (?: n['’]?t | \ not | \ never )? | must (?: n['’]?t | \ not )? ) \ (?! we
        | i ) \w
    | : \ (?: remove | drop | keep | use | add | leave | move | do ) \b | \w \ yes [.!]? $
    | 就 \s? \d | ^ \s* 不 [^，。是行对知会能要用过错]{1,6} [，,。]
    | 改 [成为回到] | 换 [成为回到] | 设 [成为] | 控制在 | 限制在
    | (?: ^ | [,;.]\s | \b(?: and | also | then | but | just | please | ok | okay | yes | yeah
        | fine
        | agreed | so | no ) ,? \s )
      (?: use | take | pick | try | go | keep | make | add | drop | skip | put | set | move
        | leave | start\ over | fall\ back | fail | return | raise | ignore | limit | cap | pin
        | split | merge | rename | replace | remove | delete | disable | enable | switch
        | store | accept | reject | allow | cache | log | retry | default | rotate | target
        | support | require | treat | always | never | don['’]?t | do\ not | run | write | send
        | ship | deploy | build | wrap | group | call | mark | hide | sort | filter | start
        | stop | block | test | mock | upgrade | downgrade | bump | document | measure
        | monitor | alert | notify | schedule | archive | copy | convert | migrate | import
        | export | validate | escape | encrypt | hash | sign | lock | queue | batch | index
        | partition | round | increase | decrease | lower | reduce | extract | inline | reuse
        | follow | prefer | avoid | answer | respond | apply | revert | roll\ back | wait
        | count | show\ only | only )
      (?! \ (?: me | you | worry | know | think | sure | have ) (?: [\s.!,] | $ )
        | \ (?: it | that | this ) [\s.!,]* $ ) \s \S
    """,
    _FLAGS,
)
DECIDED_PLAINLY = re.compile(
    r"""
      决定 | 決定 | 敲定 | 商定 | 定为 | 定下来 | 一致同意 | 最终[用选使] | 确定[用使采将]
    | (?<![a-z]) (?: decided | decision | agreed | settled\ on | we\ chose ) (?![a-z])
    """,
    _FLAGS,
)
# What only the user can say so: an assistant that says it proposes or tells.
USER_DECIDES = re.compile(
    r"""
      那就 (?! 麻烦 | 好 | 先到 | 先?这样 | 不打扰 | 看 | 试 | 拜托 | 这么 ) | 就按 (?! 这个 | 你
        | 照 ) | (?: 改 | 换 ) [成为用] .{1,60}
        (?: 吧 | 就行 | 就好 | $ ) | 以后 .{0,12} [都用要统别不走改] | 统一[用使改] | 一律 | 还是用
        | 先用 | 先不
    | (?: 不 (?: 要 | 再 | 考虑 | 打算 ) | 别 ) \s? (?: 用 | 上 | 引入 | 做 | 动 | 改 ) (?! 户 )
        | 不用 \s? [A-Za-z`] | 用 \s? \S .{0,30} 吧
    | 保留 .{1,30} (?: 吧 | 就行 ) | (?: 放弃 | 砍掉 ) | 选 \s? (?: 第
        | [A-Da-d一二三四1-4] (?![A-Za-z0-9_]) )
    | ^ \s* (?: 行 | 好的? | 可以 | ok | 嗯 ) [，,\s] \s* (?: 先 | 就 | 用 | 换 | 改 ) (?! 到
        | 这样 | 去 | 看 | 吧 )
    | ^ \s* (?: 就 | 都 | 还是 )? 用 (?! 户 | 来 | 于 | 法 | 完 | 到 )
    | ^ \s* 先 (?! 看 | 查 | 帮 | 试 | 等 | 到 | 这样 | 不急 | 说 )
    | (?: 设 | 调 | 定 ) (?: 成 | 为 | 到 ) \s? \d
    | (?<![a-z])
      (?: instead\ of | instead (?= [.!] | $ ) | stick\ (?: with | to ) | rule\ out
        | don['’]?t\ want \ to
          \ (?: use | run | add | touch ) | we\ won['’]?t )
      (?![a-z])
    | ^ \s* (?: ok | okay | fine | right ) [,\ ]\ ? (?: then\ )? (?: we\ | no\ (?! problem
        | worries ) ) \w
    | (?<![a-z]) we \ (?: keep | stay | stick | skip | drop | have\ to\ stay ) (?![a-z])
    | ^ \s* (?: ok | okay | fine | alright ) ,? \s (?: then | so ) \s \w
    | \w \ it\ is [.!]? $ | ^ \s* (?: ok | okay | fine | alright ) ,? \s \w .{1,40} ,?\ then [.!]? $
    | ^ \s* (?: use | keep | drop | skip | stick | switch | go\ with | do\ not | don['’]t | never
        | always
        | no\ need\ for ) \ (?! it | that | me | this | worry | you ) \w
    """,
    _FLAGS,
)
UNDECIDED = re.compile(
    r"""
      没有?决定 | 未决定 | 尚未 | 待定 | 是否 | 要不要 | 如果 | 可以(?: 采用 | 改用 | 选 | 考虑 )
    | 或者 | 还是用 .{1,40} [?？] | 建议 | 取决于 | 由.{1,12}决定 | 决定(?: 于 | 因素 | 权 )
    | (?<![a-z])
      (?: not\ (?: yet\ )? (?: decided | agreed ) | haven['’]?t\ decided | undecided | whether
        | if\ (?: we | you ) | might | could | should\ we | suggest | recommend | depends
        | i['’]d | i\ would )
      (?![a-z])
    """,
    _FLAGS,
)
OPTION = re.compile(
    r"""
    \s* [*_]{0,2} (?: (?: 方案 | 选项 | 做法 | option | plan | approach
        | variant ) \s? ([一二三四五1-5A-Ea-e])
      (?! [A-Za-z0-9_] ) | ([1-5A-Ea-e]) [.)、：:] )
    """,
    _FLAGS,
)
NUMERALS = {
    **{mark: str(number) for number, mark in enumerate("一二三四五", 1)},
    **{mark: str(number) for number, mark in enumerate("abcde", 1)},
    **{mark: str(number) for number, mark in enumerate("①②③④⑤", 1)},
    "两": "2",
    "two": "2",
    "three": "3",
    "four": "4",
    "first": "1",
    "second": "2",
    "third": "3",
    "fourth": "4",
}

# --- What is left ----------------------------------------------------------------------------

OPEN = re.compile(
    r"""
      待确认 | 待定 | 未解决 | 没有?解决 | 未决 | 不确定 | 仍需确认 | 需要(?:进一步)?确认 | 悬而未决
    | 遗留问题 | (?: 没法 | 无法 | 没办法 | 不好 | 判断不了 ) \s? (?: 验证 | 确认 | 判断 | 复现
        | 确定 )
    | 拿不准 | 吃不准 | 说不好 | 没把握 | 等 [^，。]{1,8} (?: 回复 | 反馈 | 确认 | 评估 | 拍板
        | 定了 )
    | 奇怪 | 诡异 | 没人知道 | 解释不了 | 搞不[清懂明] | (?: 得 | 要 | 先 | 去
        | 再 ) 跟 [^，。]{1,10} (?: 聊 | 商量
        | 讨论 | 对一[下遍] )
    | 没有? (?: 直接 )? 证据 | 看不出 | 不好说 | 说不准 | (?<! 提出 ) 怀疑 | 还?没 (?: 想好
        | 定 (?! 义 ) | 谈 )
    | (?: 还 | 要 | 需要? | 得 ) [^，。,]{1,16} 确认 (?! [了过] ) | 需要真机
    | (?: 尚未 | 还没有? | 暂时没 ) (?: 解决 | 确定 | 决定 | 确认 | 想好 | 搞清 | 弄清
        | 查清 | 定位 | 复现 | 结论 )
    | (?: 仍然? | 还是 | 依然 | 依旧 ) (?: 会 | 有 | 在 )? (?: 报错 | 失败 | 出现 | 不行 | 超时
        | 泄漏 | 卡 | 崩溃 )
    | 不知道 (?: 有 | 是 | 会 | 能 | 为 ) | 不清楚 | 需要(?:单独|再|进一步|另外)(?:验证|确认|测试)
    | 原因(?:不明|未知) | 没(?:查|找)到原因 | (?: 回去 | 回头 | 再 | (?<! 主 ) 要 | 得
        | 需要 ) (?: 问 (?! 题 )
        | 请教 ) (?: 一下 )?
    | (?<![a-z])
      (?: tbd | unresolved | unsolved | open\ (?: questions? | issue | point ) | undecided
        | haven['’]?t\ decided
        | not\ (?: yet\ )? decided | not\ sure\ (?: why | whether | if | how | yet )
        | remains\ to\ be
        | still\ (?: unclear | unknown | unsure | fails? | failing | open | leaks? | broken
        | growing
          | happens | goes | gets? | shows? | says | see | crashes | hangs | slow | lands | not
          | don['’]?t\ know )
        | (?: is | are ) \ still \ (?: \w{3,10} )
        | don['’]?t\ know\ (?: yet | why | who | how | if | which | what | where | whether )
        | (?: product | business ) \ question | nothing \ .{2,30} \ yet | up\ to\ (?: product
        | them )
        | (?: nobody | no\ one ) \ knows? | can['’]?t\ explain | unexplained | mystery | a\ guess
        | no\ insight
        | (?: weird | strange | odd ) (?: ly )? (?: \ (?: though | that | thing ) | , )
        | (?: talk | speak ) \ (?: to | with ) \ \w+ | check\ with | (?: need | have ) \ to\ ask
        | to\ ask\ \w+ | i['’]ll\ ask
        | not\ (?: fixed | solved | (?: yet\ )? (?: tested | verified | covered ) ) | unclear
        | (?: could | can ) (?: n['’]?t | not | \ not ) \ (?: find\ out | tell | verify | confirm
          | figure | reproduce | say\ whether | check ) | no\ idea | i\ suspect | untested
        | (?: have | has ) \ to \ be \ (?: confirmed | decided )
        | still\ need\ to\ (?: find | figure | check | confirm | decide )
        | to\ be\ (?: confirmed | decided ) )
      (?![a-z])
    """,
    _FLAGS,
)
TO_DO = re.compile(
    r"""
      下一步 | 接下来 | 待办 | 待辦 | 后续(?!的) | 之后[再要需] | 明天 (?: 再 | 要 | 继续 | 弄 | 做
        | 来 | 我 )
    | 另开 | 单独 (?: 开 | 提 | 处理 | 做 ) | 再开一?个 | 下 (?: 一个? | 个 ) (?: 迭代 | 版本 | 周
        | 星期 | 月 )
    | (?: 周 | 星期 | 礼拜 ) [一二三四五六日天末] \s? (?: 之?前 | 再 | 要 | 弄 | 做 )
    | (?: 上线 | 发版 | 发布 | 合并 ) 之?前 (?: 要 | 得 | 记得 | 最好 | 先 | 必须 | 需要 )
    | 下周 | 这周末? | 下午 | 今晚 | 晚点 | 回头[再要] | 下次(?: 再 | 要 | 继续 ) | 还需要 | 还要
        | 剩[下余]的? (?: 是 | 工作 | 任务 | 事情? | 步骤 | 还有 | [：:] ) | 还[差剩] (?! 不多 )
    | 稍后 | 记得 (?! 之前 | 以前 | 上次 | .{0,8}过 ) | 别忘
    | (?<![a-z])
      (?: todos? | to-dos? | next\ (?: steps? | up | time | week | we | i ) | next, | next:
        | (?: separate | own ) \ (?: ticket | issue | pr | mr | task ) | for\ later
        | some(?:one|body) \ (?: should | has\ to | needs\ to ) | (?: needs? | has
        | have ) \ to \ (?: be | go | happen )
        | next\ (?: sprint | iteration | release | month )
        | (?: by | on | for | due | until | before ) \ (?: mon | tues | wednes | thurs | fri
        | satur | sun ) day
        | (?: before | prior\ to ) \ (?: the | we | it ) \ (?: deploy | release | rollout | launch
        | merge | go | ship )
        | follow-?ups? | still\ (?: need | have ) \ to
        | still\ to\ do | left\ (?: to\ do | for\ you ) | not\ covered\ yet
        | (?: don['’]?t | do\ not ) \ forget | remember\ to | remaining\ (?: work | tasks?
        | steps? )
        | (?: we | i ) \ (?: should | need\ to | have\ to ) | you\ should\ still | tomorrow
        | tonight | this\ week | later\ we | action\ items? )
      (?![a-z])
    """,
    _FLAGS,
)
LABELLED_TO_DO = re.compile(
    r"""
    \s* [*_]{0,2} (?: 待办 | 待辦 | 下一步 | 后续 | 记下了? | 已记[录下] | 提醒(?:一下|一句)?
      | 还[差剩]的?
      | todo | to-do | next\ steps? | follow-?ups? | noted | reminder | left\ (?: for\ you
        | to\ do )
      | still\ to\ do | remaining | action\ items? ) [*_]{0,2} \s* [:：] \s* \S
    """,
    _FLAGS,
)
LABELLED_OPEN = re.compile(
    r"""
    \s* [*_]{0,2} (?: 待确认 | 未解决 | 遗留问题 | 风险 | 不确定的是 | 未知
        | (?: one\ )? unknowns? | open\ (?: questions? | issue | point )
      | tbd | unresolved ) [*_]{0,2} \s* [:：] \s* \S
    """,
    _FLAGS,
)
# The sum of it: "**TL;DR:** …", "根因：…", "找到了：…".
LABELLED_RESULT = re.compile(
    r"""
    \s* [*_]{0,2} (?: tl;?dr | in\ short | (?: root\ )? cause | reason | summary | conclusion
        | found\ it
      | 根本?原?因 | 原因 | 结论 | 总结 | 一句话 | 简单说 | 找到(?:了|原因了?)
        | 定位到了? ) [^：:]{0,6}
    [：:] [*_]{0,2} \s* \S
    """,
    _FLAGS,
)
# Says that what follows is the reason: "找到原因了。", "Found it."
ANNOUNCES_CAUSE = re.compile(
    r"""
    .{0,16} (?: 找到(?:了|原因|问题) | 定位到 | 发现(?:了)?问题 | 原因(?:是|如下|找到)
        | 问题(?:找到|在这|清楚) | 根因
      | found\ (?: it | the | one ) | root\ cause | here['’]s\ (?: why | the\ (?: problem
        | cause ) )
      | got\ it | the\ (?: problem | cause | reason ) \ is | i\ (?: reproduced | see\ (?: it
        | the\ problem ) ) )
    .{0,24} $
    """,
    _FLAGS,
)

# --- What a heading or a line with a colon opens ---------------------------------------------

OPENS_RESULTS = re.compile(
    r"""
      修改内容 | 改动 | 总结 | 结论 | 原因 | 根因 | 问题 | 做了 | 完成 | 结果 | 修复 | 变更 | 约定
        | 要求 | 规则 | 发现
    | (?<![a-z]) (?: summary | changes? | changed | what\ i | root\ cause | findings? | fix(?:es)?
      | results? | done | problems? | issues? | causes? | conclusions? | requirements | rules
      | consequences ) (?![a-z])
    """,
    _FLAGS,
)
OPENS_OPTIONS = re.compile(
    r"""
      方案[一二三四五1-5A-E] | 优点 | 缺点 | 优缺点 | 好处 | 坏处 | 选项 | [两三四几][个种] (?: 方案
        | 办法 | 方式 | 做法 | 选择 | 思路 ) | 对比 (?= [\s：:*]* $ ) | 做法
    | (?<![a-z]) (?: options? | pros | cons | alternatives? | comparison | trade-?offs | advantages
      | disadvantages | choices ) (?![a-z])
    """,
    _FLAGS,
)
OPENS_PROPOSAL = re.compile(
    r"""
      建议 | 推荐 | (?: 处理 | 解决 | 修复 )? (?: 办法 | 方案 | 思路 ) | 计划
    | (?<![a-z]) (?: propos(?:al|e) | recommend(?:ation)?s? | suggest(?:ion)?s? | plan
      | (?: what\ )? i(?:['’]d|\ would) \ (?: do | change | start ) ) (?![a-z])
    """,
    _FLAGS,
)
OPENS_ASIDE = re.compile(
    r"""
      用法 | 使用方法 | 运行 | 示例 | 例如 | 比如 | 解释 | 说明 | 参考 | 了解一些 | 背景知识 | 原理
    | (?<![a-z]) (?: usage | how\ to | examples? | for\ example | explanation | references?
      | background | how\ it\ works | questions ) (?![a-z])
    """,
    _FLAGS,
)
BEGINS_WITH_OPTION = re.compile(
    r"\s*[*_]{0,2}(?:优点|缺点|优势|劣势|好处|坏处|pros?|cons?|advantages?|disadvantages?)[*_]{0,2}\s*[:：]",
    re.IGNORECASE,
)

# --- How a sentence is written ---------------------------------------------------------------

EXACT = re.compile(r"`|\d|[A-Za-z0-9]/[A-Za-z0-9]|[a-z]_[a-z]|[a-z][A-Z]|\w\(\)")

"""The words by which people propose, agree, choose, report and promise: one pattern a question.

What they say is weighed against the message before or after it: core/digests/replies.py.
"""

from __future__ import annotations

import re

_FLAGS = re.VERBOSE | re.IGNORECASE

PROPOSES = re.compile(
    r"""
      (?<! 不 ) (?: 建议 | 推荐 ) | 倾向 | 不如 | 最好
    | (?<! 现在 ) 可以 (?! 吗 | .{1,5} 了 ) (?= [^，。]{3,} ) | 需要 (?! 你 | 我 | 注意
        | 多 ) (?= [^，。]{3,} )
    | ^ \s* [*_]{0,2} (?: fix | solution | 短期 | 长期 | 治本 ) [*_]{0,2} [：:] \s* \S
    | ^ \s* [*_]{0,2} (?: (?: 处理 | 解决 | 修复 )? (?: 办法 | 方法 | 方案 )
        | 做法 ) [*_]{0,2} [：:] \s* \S
    | (?<![a-z])
      (?: i['’]d\ (?: use | go | suggest | recommend | switch | pick | choose | put | store | keep
        | do | add | set | make | drop | rely | move | wrap | split | get | keep | write | run
        | cap )
        | you\ (?: could | can | might | may\ want\ to ) (?! \ (?: see | find ) )
        | (?: my\ )? plan: | (?: quickest | best | easiest | simplest ) \ (?: way | fix | option )
        | i\ would\ (?: use | go | suggest | recommend | switch | pick | choose )
        | recommend | suggest | propose | my\ choice )
      (?![a-z])
    """,
    _FLAGS,
)
# What hangs on to a proposal: "…, is that ok?"
ASKS_CONSENT = re.compile(
    r"""
    [，,。.]? \s* (?: 你(?:看|觉得) )? \s? (?: 这样 )?
    (?: 可以 | 行 | 好 | 怎么样 | 如何 | 同意 ) [吗么不]? [？?] $
    | ,? \s (?: is\ that\ )? (?: ok(?:ay)? | sounds?\ good | shall\ i | what\ do\ you\ think ) [?] $
    """,
    _FLAGS,
)
AGREES = re.compile(
    r"""
    ^ \s* (?: (?: 好的? | 行 | 可以 | 嗯+ | 同意 | 没问题 | ok(?:ay)? | yes | sure
        | great ) [，,。.!！\s]* )?
    (?: [^，。,.?？]{1,10} [，,] \s* )?
    (?: 就? (?: 这么 | 这样 | 按[你这这个]{1,2} (?:说的|的方案|方案)? | 照这个 ) \S{0,3} (?: 定
        | 办 | 做 | 改 | 来 | 弄 )
      | 就?按你说的\S{0,4} | (?: 改 | 做 | 开始 | 搞 | 动手 ) 吧 | 同意 | 方案(?:没问题|可行|可以)
      | (?: 改 | 搞 | 上 | 干 | 弄 ) [\s。!！~～]* $ | 就?用这个
      | (?: let['’]s\ do\ (?: that | it | this ) | do\ that | do\ it | go\ ahead | go\ for\ it
        | sounds\ good
          | agreed? | i\ agree | please\ do | proceed | go [.!]* $ | use\ (?: that | it | this )
          | ship\ it
          | works\ for\ me | makes\ sense ) (?![a-z]) )
    """,
    _FLAGS,
)
# "Yes, but …": consent, where something was proposed or asked.
BEGINS_WITH_YES = re.compile(
    r"""
    \s* (?: 好的? | 行 | 可以 | 嗯+ | 同意 | 没问题 | 对 | 是的? | 要 | 改 | 👍 | \+1
      | 好主意 | 有道理 | (?: good | nice | great ) \ idea | (?: yes | yep | yeah | sure | ok
        | okay | agreed? | fine | good | great | please\ do | lgtm
        | sounds\ good | perfect | both | i\ agree ) (?![\w'’-]) ) (?: [\s,，.。!！;；:：吧啊的]
        | $ )
    """,
    _FLAGS,
)
GOES_ON = re.compile(r"\s*(?:继续|接着|下一[个步]|(?:continue|go on|next|now)\b)", re.IGNORECASE)
CONDITIONAL = re.compile(r"\s*(?:如果|若|要是|假如|(?:if|unless)\b)", re.IGNORECASE)
# "2 s is fine", "这个思路好": consent to one thing of what was proposed.
FINDS_GOOD = re.compile(
    r"""
      [^，。]{0,10} (?: 可以接受 | 思路 (?: 好 | 不错 | 可以 ) | 没意见 )
    | .{1,30} \ (?: is | are | sounds? | looks? ) \ (?: fine | ok(?:ay)? | good | great | right
        | reasonable | sensible ) (?![a-z])
    """,
    _FLAGS,
)
# "Lua it is", "import 吧", "用第一种吧".
TAKES = re.compile(
    r"""
      \w \ it\ is [\s.!]* $ | (?<! [看试样里这了是对] ) 吧 (?: [\s。!！]* $ | [，,] )
    | ^ \s* (?: 用 | 选 | 就 )
    """,
    _FLAGS,
)
# Asks how one would go about it: what answers that is a proposal.
ASKS_ADVICE = re.compile(
    r"""
      怎么 (?: 改 | 办 | 弄 | 搞 | 处理 | 解决 | 做 | 优化 | 设计 | 选 | 防止 | 避免 ) | 咋 (?: 办
        | 弄 | 整 )
        | 有什么 (?: 建议 | 办法 | 好的 ) | 你觉得 | 你 (?: 建议 | 推荐 ) | 如何 (?: 避免 | 处理
        | 解决 | 优化 | 设计 )
    | (?<![a-z]) (?: what (?: \ do | \ would | ['’]d ) \ you \ (?: suggest | recommend | think
        | do | propose )
      | how \ (?: would | should | do | can ) \ (?: you | we | i ) \ (?: \w+ \ )? (?: go\ about
        | stop | prevent | fix
        | solve | approach | handle | avoid | do ) | any\ (?: ideas? | thoughts | suggestions? )
        | thoughts\?
      ) (?![a-z])
    """,
    _FLAGS,
)
# Says that it is right, and orders nothing.
APPROVES = re.compile(
    r"sounds\ good | makes\ sense | works\ for\ me | 有道理 | 没问题 | 方案", _FLAGS
)
# Of what is proposed what settles which way to go; the rest are steps.
CHOOSES = re.compile(
    r"""
      改用 | 采用 | 选 | 换成 | (?: 建议 | 推荐 | 倾向 | 就 | 还是 ) 用 | 推荐
    | (?<![a-z]) (?: use | using | go\ (?: with | for ) | switch | pick | choose | keep | rely
        | instead | recommend ) (?![a-z])
    """,
    _FLAGS,
)
PICKS_ALL = re.compile(
    r"""
      ^ \s* (?: 都 | 全部?都?) (?: 改 | 做 | 要 | 加 | 上 | 修 ) | [两三四\d] [个处点种条] 都
    | (?<![a-z]) (?: do | fix | take | on | want | apply ) \ (?: both | all | them\ all
      | all\ of\ (?: them | it ) ) (?![a-z])
    """,
    _FLAGS,
)
# "A, …", "2", "1 and 3": but not "2 more", "A test", "3 个".
BEGINS_WITH_NUMBERS = re.compile(
    r"""
    \s* (?: (?: 选 | 就 | 用 | 那就? | ok | yes | go\ with | take ) [,，\s]* )?
    (?: [①-⑤] | [A-E] (?= \s* (?: [,，.。;；:：、&+和吧] | and\ [A-E]\b | $ ) )
      | [1-5] (?! [\d.%\w] | \s* [个次天种年月小分秒条台万成处倍] | \s [a-z] (?! nd\ [1-5]) ) )
    (?: \s* (?: [、,，&+和] | and ) \s* (?: [①-⑤] | [A-E] (?![a-z]) | [1-5] (?! \d | \.\d | % ) ) )*
    """,
    re.VERBOSE,
)
NUMBER = re.compile(r"[1-5①-⑤]|[A-E](?![A-Za-z])")
# "前三个", "the first two": the items of a list from its first one on.
PICKS_FIRST = re.compile(r"前 \s? ([两二三四]) [个条点项种] | the\ first\ (two|three|four)", _FLAGS)
# Questions for what the user knows; all others leave open how to go on.
ASKS_FOR_FACTS = re.compile(
    r"""
      什么 (?: 版本 | 报错 | 系统 | 时候 | 样 | 情况 | 环境 ) | 多少 | 多久 | 多大 | 哪里 | 谁
        | 为什么
        | 有没有 | 是不是 | 能 .{0,4} [贴发看给提] | 贴一?下 | 怎么(?: 复现 | 触发 | 启动
        | 部署 )的?
        | 还有(?: 什么 | 其他 | 别的 )
    | (?<![a-z]) (?: what\ (?: version | error | do\ you\ (?: know | see | get ) | does | is\ the
        | happens
        | else ) | how\ (?: many | much | long | often | large | big ) | where | when | who | why
      | do\ you\ (?: have | know | see | get ) | did\ you | does | have\ you | is\ there
        | are\ there
      | (?: can | could ) \ you | anything\ else | like\ me\ to | want\ me\ to ) (?![a-z])
    """,
    _FLAGS,
)
# Tells what happened, where an order would say what is to happen.
REPORTS = re.compile(
    r"""
      已经 | 刚才?[^，。]{0,6}了 | 昨[天晚] | 上周 | 之前.{1,12}[了过] | 跑[完了] | 试[过了] | 好了
        | 完了 | 还是.{0,8}(?: 报 | 挂 | 失败 | 不行 ) | 没[用效]
    | (?<![a-z]) (?: already | yesterday | last\ (?: week | night | month ) | i(?:['’]ve|\ have)
      | (?: i | we ) \ (?: tried | deployed | changed | added | reverted | did | got | ran | had )
      | deployed | rotated | still\ \w+ing | it\ (?: works | worked | passed | failed | did ) )
      (?![a-z])
    """,
    _FLAGS,
)
# Says what the speaker is going to do: not now, in the conversation, but after it.
COMMITS = re.compile(
    r"""
      (?: ^ | [，,。；;\s] | 的 ) 我 (?! 们 ) (?: 自己 | 这边 )? (?: 先 | 再 | 就 | 会 )? (?: 去
        | 来
        | 找 | 提 | 补 | 问 | 拉 | 约 | 开 | 试 | 研究 | 确认 | 跟进 | 写 | 画 | 让 | 叫
        | 安排 | 处理 | 负责 | 跟
        | (?: 今 | 明 | 后 | 下 | 周 | 稍 | 回 | 晚 | 等 ) [天晚周后头会下点午一二三四五六日末上] )
    | 我 (?! 们 ) (?: 今天 | 今晚 | 明[天早晚] | 后天 | 下周 | 周[一二三四五六日天末] | 稍后
        | 回头 | 晚点 )
    | 我 (?: 安排 | 来[做弄处] | 负责 ) | (?: 我 | 让 ) \S{1,8} (?: 看下 | 看一下 | 跟进 | 确认下
        | 测一?下 )
    | (?<![a-z]) (?: i['’]?ll | i\ will | i['’]?m\ (?: going\ to | gonna ) )
      (?! \ (?: go\ with | use | take\ (?: it | that ) | now ) ) (?![a-z'’])
      (?! .{0,30} \b now \b )
    """,
    _FLAGS,
)
# "你看下还差什么", "what's left?": asks for the steps that are left.
ASKS_WHAT_IS_LEFT = re.compile(
    r"""
      (?: 还 (?: 差 | 剩 | 缺 | 要做 | 需要做 | 有 (?: 什么 | 哪些 ) ) | 剩下 | 下一步 | 接下来
        | 后面 ) [^，。]{0,12} (?: [?？] | 什么 | 啥 | 哪些 | 列 | 怎么 )
    | (?<![a-z]) (?: what(?:['’]s|\ is|\ else)? \ [^.]{0,20} (?: left | next | missing | remaining
        | still\ (?: to | open | missing ) | plan )
      | what\ (?: remains | now ) | anything\ [^.]{0,20} (?: after | left | missing | before
        | forgot(?:ten)? )
      | next\ steps ) (?![a-z])
    """,
    _FLAGS,
)
PICKS = re.compile(
    r"""
      (?: 方案 | 选项 | 选 | 第 ) \s? ([一二三四五1-5A-Ea-e]) (?![A-Za-z0-9_])
        | 用?第 ([一二三四五1-5]) [个种条]
    | (?<![a-z]) (?: option | plan | approach | variant | number ) \s ([1-5A-Ea-e]) (?![A-Za-z0-9_])
    | ([①-⑤]) | (?<![a-z]) go(?:ing)?\ with \s \#? ([1-5A-E]) (?![A-Za-z0-9_])
    | (?<![a-z]) the\ (first|second|third|fourth) (?: \ (?: one | option | approach ) )
    """,
    _FLAGS,
)

"""What a user says about saving: "不要保存", "don't save this", "请记住", "remember that …".

In doubt, a message says nothing about it:

1. A message is split into clauses, and a whole clause must be the phrase, of the words below only.
   One more word ("不要保存到数据库", "don't save the file") makes it about something else.
2. A clause that does not name the conversation ("don't save it") does not count in a sentence that
   sets a condition or is about a program ("表单校验失败时，不要保存"). Verbs with many meanings
   ("不要记录") must be the whole message.
3. Quotes, code and quoted lines are not the user's own words. A question does not count either,
   unless it asks for it ("能不能不要保存？").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

# People say it at the start or the end of a message; pasted text is in between.
_READ_CHARS = 4000
_LONGEST_CLAUSE = 80

_VERB_HINT = re.compile(
    r"sav(?:e|ing)|remember|record|log|ke(?:ep|pt)|store|memor|note|add|put|write|[存记記儲写加留]"
    r"|sensitive|confidential|private|between|incognito|敏感|保密|机密|涉密|私密|隐私|外传|外说|无痕",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^[ \t]{0,3}(?:```|~~~)")
_QUOTED = re.compile(
    r"""
      `[^`\n]*`  |  "[^"\n]*"  |  “[^“”\n]*”  |  「[^「」\n]*」  |  『[^『』\n]*』
    """,
    re.VERBOSE,
)
_SENTENCE_END = re.compile(r"(?<=[。！？!?…\n])|(?<=\.)(?=\s)")
_CLAUSE_END = re.compile(r"[，,;；。.！!…\n~～、—]|\s-+\s")

# "(don't save this)", "**不要保存** …", "don't save this: …"
_SET_OFF = re.compile(r"(?:^|[（(【\[*])([^（）()【】\[\]*:：]+)(?=[）)】\]*:：]|$)")
_MARKS = "（）()【】[]*:： 。.!！\n"

_CONDITION = re.compile(
    r"""
      如果 | 若 | 假如 | 要是 | 除非 | 只要 | 当(?!前) | 當(?!前) | 时候 | 时(?=[，,]) | 失败
    | (?<![a-z]) (?: if | when | whenever | unless | until | once | while | in\ case ) (?![a-z])
    """,
    re.VERBOSE | re.IGNORECASE,
)
_POLITE_CONDITION = re.compile(
    r"""
      如果可以(?:的话)? | 可以的话 | 如果方便(?:的话)? | 方便的话
    | if\ (?: possible | you\ can | that['’]?s\ ok(?:ay)? )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_OF_A_PROGRAM = re.compile(
    r"""
      文件 | 表单 | 点击 | 點擊 | 点了 | 按下 | 按钮 | 弹窗 | 对话框 | 草稿 | 数据 | 函数 | 接口
        | 缓存 | 磁盘 | 用户 | 字段 | 图片 | 配置
    | (?<![a-z])
      (?: files? | forms? | buttons? | dialogs? | drafts? | rows? | database | db | cache
        | (?<! off\ the\  | for\ the\  )(?<! keep\ a\  )(?<! keep\ any\  ) records?
        | disk | users? | fields? | images? | config | click(?:s|ed)? | validat\w{1,8} )
      (?![a-z])
    """,
    re.VERBOSE | re.IGNORECASE,
)

# A clause becomes one letter a word, and the phrases are patterns over these letters.
# Longer words come before their prefixes. `x` is any other word.
_WORDS = r"""
      \s+
    | (?P<f>  # polite words and fillers
        (?<![a-z']) (?: please | pls | plz | okay | ok | thanks | thank\ you | hey | hi | and | but
          | so | also | by\ the\ way | btw | just | actually | for\ now | this\ time | anywhere
          | at\ all | let['’]?s | either | any\ ?more | right\ now | for\ later | for\ me
          | for\ next\ time | for\ the\ future ) (?![a-z'])
      | 麻烦[你您]? | 请[你您]? | 請 | 拜托 | 好的 | 好 | 嗯 | 谢谢 | 謝謝 | 那么 | 那就 | 那
      | 就 | 先 | 暂时 | 吧 | 啊 | 哦 | 哈 | 呀 | 呢 | 你 | 您 | 帮我 | 帮忙 | 给我 | 对了 | 另外
      | 还有 | 顺便 | 注意 | 千万 | 一定 | 务必 | 也 | 都 | 一下 | [:：'’]
      )
    | (?P<a>  # asks for it
        (?<![a-z']) (?: can | could | would | will ) \s+ you (?![a-z']) | 可不可以 | 可以 | 能不能
      | 能否 | 可否 | 能
      )
    | (?P<c>  # the conversation, beyond doubt
        (?<![a-z'])
        (?: (?: this | our | the ) \s+ (?: whole\ | entire\ | current\ )?
            (?: conversation | chat | discussion | talk )
          | (?: this | our | the\ current ) \s+ (?: session | exchange )
          | any(?:thing)? \s+ (?: of\ this | of\ it
              | from\ this\ (?: conversation | chat | session ) )
          | (?: anything | everything | what ) \s+ we\ (?: said | discussed | talked\ about )
        ) (?![a-z'])
      | (?: 这次 | 這次 | 本次 | 此次 | 这一次 | 这轮 | 本轮 | 这段 | 这个 | 这 | 今天 | 当前 | 刚才
          | 下面 | 我们 ) 的? \s?
        (?: 对话内容 | 对话 | 對話 | 会话 | 會話 | 聊天内容 | 聊天记录 | 聊天 | 谈话 | 讨论 | 交流
          | conversation | chat | session )
      | 这次的内容 | 这次 | 這次 | 本次 | 此次 | 对话 | 對話
      )
    | (?P<u>  # what holds for talk alone: it is not to be told
        (?<![a-z'-]) (?: (?: strictly\s )? off\ the\ record | not\ for\ the\ record | incognito
          | (?: just\s | strictly\s )? between\ (?: us | you\ and\ me ) ) (?![a-z'-])
      | [别別不] (?: 要 )? (?: 外传 | 往外说 | 对外说 ) | 保密 | 无痕模式 | 无痕
      )
    | (?P<p>  # what holds for many things, and for a conversation too
        (?<![a-z'-]) (?: sensitive | confidential | private ) (?![a-z'-])
      | 敏感 | 机密 | 涉密 | 私密 | 隐私 | 私人
      )
    | (?P<t> (?<![a-z']) (?: conversation | chat | session | discussion | talk ) (?![a-z']) )
    | (?P<k>  # what links the two
        (?<![a-z']) (?: is | are | stays? | remains? | treat | as | a | an | very ) (?![a-z'])
      | 是 | 属于 | 涉及 | 很 | 比较 | 非常 | 一次 | 一段 | 一个 | 要
      )
    | (?P<l>
        (?<![a-z']) out\ of \s+ (?: your\s | the\s | long-term\s )? memor(?:y|ies) (?![a-z'])
      )
    | (?P<o>  # something that only the sentence can tell
        (?<![a-z']) (?: all\ of\ this | all\ this | this\ one | the\ following | what\ follows
          | this | that | these | those )
        (?![a-z'])
      | 这些内容 | 这些 | 这个 | 這個 | 这条 | 这点 | 这一点 | 这件事 | 这段 | 这里 | 这 | 以上内容
      | 以上 | 以下内容 | 以下 | 接下来的内容 | 接下来的 | 接下来 | 下面的内容 | 上面的内容
      | 下面这段 | 刚才说的 | 刚才的内容 | 任何内容 | 任何东西 | 会话 | 聊天记录 | 聊天
      )
    | (?P<i> (?<![a-z']) (?: it | anything ) (?![a-z']) | 它 )
    | (?P<m>  # the place
        (?<![a-z']) (?: to | in | into ) \s+ (?: your\s | the\s | long-term\s )?
        (?: memory | memories ) (?![a-z'])
      | [到进入在]? (?: 长期 )? 记忆 (?: 里面 | 里 | 中 | 库 )?
      )
    | (?P<n>  # the no
        (?<![a-z'])
        (?: (?: you\s )? (?: do\ not | don['’]?t ) \s+ (?: need | have ) \s+ to
          | (?: i\s )? (?: do\ not | don['’]?t ) \s+ want (?: \s+ (?: you\ )? to )?
          | do\ not | don['’]?t | needn['’]?t | (?: should | must ) (?: \ not | n['’]?t ) | never
          | (?: there['’]?s\s )? no\ need\ (?: to | for\ you\ to )
          | i['’]?d\ rather\ (?: you\s )? (?: not | didn['’]?t ) | not\ to | not )
        (?![a-z'])
      | 我? (?: 不想让你 | 不想 | 不希望你 | 不希望 ) | 不要再 | 不要 | 不用 | 不必 | 不需要
      | 没必要 | 沒必要 | 无需 | 無需 | 无须 | 勿 | 别再 | 别 | 別 | 不再 | 不
      )
    | (?P<s> (?<![a-z']) skip (?:ping)? (?![a-z']) | 跳过 | 跳過 )
    | (?P<e> (?<![a-z']) (?: remembered | remember ) (?![a-z']) )
    | (?P<r>  # memory: it needs no object
        (?<![a-z']) memori[sz]e (?![a-z']) | 记住 | 記住 | 记一下 | 记下来 | 记下 | 記下 | 记牢
      )
    | (?P<v>  # saving
        (?<![a-z']) (?: saved | saving | save | keep\ (?: a | any )\ records?\ of ) (?![a-z'])
      | 留 (?: 记录 | 底 | 痕迹 | 痕 | 档 )
      | 保存下来 | 保存 | 儲存 | 储存 | 存下来 | 存起来 | 存档 | 存
      )
    | (?P<y> (?<![a-z']) leave (?![a-z']) )
    | (?P<w>  # verbs that mean many things
        (?<![a-z']) (?: write (?= \ (?: this | that | it | anything )\ down )
          | stored? | recorded | record | log | keep | kept | add | put
          | write\ down | note\ down | note ) (?![a-z'])
      | 记录下来 | 记录 | 記錄 | 存储 | 留存 | 保留 | 写 | 加 | 记
      )
    | (?P<b> 把 | 将 )
    | (?P<d> 了 | 的 | (?<![a-z']) (?: down | to\ be | be ) (?![a-z']) )
    | (?P<q> [?？] | 吗 | 嘛 )
    | (?P<x> [a-z0-9_'’-]+ | \S )
    """

# "这次不保存", "不要把这次对话记下来", "don't save this conversation", "don't add this to memory"
_CLEAR_REFUSAL = re.compile(
    "b?cn[ervw]m?|nb?c[ervw]m?|n[ervw]cm?|b?[oi]?n[ervw][oi]?m|nb?[oi][ervw]m|sc[vw]?|svc"
)
# "不要保存", "别记住这个", "don't remember this"; a lone "don't remember" is "I forgot".
_LIKELY_REFUSAL = re.compile("b?o?n[rv][oi]?|b?one|ne[oi]|nb?[oi][erv]|sv[oi]?")
# "不要记录", "这个不用记"
_LONE_REFUSAL = re.compile("b?o?nwo?|nb?ow")
# "这是工资表，别记": so short it closes a sentence about anything.
_CLOSING_REFUSAL = re.compile("[别別勿]再?[记記](?:了|录|錄|下来)?")

# "this is off the record", "keep this between us", "本次对话保密", "leave this out of your memory"
_OFF_THE_RECORD = re.compile("k*w?[oic]k*u|[wy][oic]l")
# "this is a sensitive conversation", "这次对话很敏感", "keep this conversation private"
_SENSITIVE = re.compile("[oi]k+p[tc]|k*w?ck*p")
# "off the record", "敏感对话": alone they may be a label, or one of a list.
_LONE_SENSITIVE = re.compile("u|p[tc]")

# "保存这次对话", "把这个存到记忆里", "add this to memory"
_CLEAR_REQUEST = re.compile("[ervw]cm?|b?c[rvw]m?|[vw][oi]?m|b?[oi][vw]m")
# "请记住", "记住这个", "save this", "把这个记一下"
_LIKELY_REQUEST = re.compile("r[oi]?|e[oi]|b?or|vo|b?ov|bow")

# "remember that we use pnpm", "记住：测试用真实数据库"; "remember to …" is about this task.
_FACT = re.compile(
    r"""
    \s* (?: (?: please | pls | also | and | ok | okay | can\ you | could\ you ) [,\s]{1,3} ){0,3}
    remember (?: (?: \ this | \ that )? \s? : \s? \S
      | \ that \s (?: we | i | my | our | the | this | all | every | in | for | you | it | there
                    | never | always ) \s \S )
  | \s* (?: 请[你您]? | 請 | 帮我 | 麻烦[你您]? | 另外 | 还有 | 也 | 要 ){0,3} [记記]住 (?: 一下
  | 这个 | 这点 | 这件事 )? \s?
    (?: [:：] \s? \S
      | 我们 | 我(?:更?喜欢|不喜欢|偏好|习惯|用|不用|的偏好|的习惯) | 以后 | 今后 | 本项目
      | 这个项目 | 下次 | 每次 | 永远 )
  | \s* (?: 请[你您]? | 請 ) [记記]住 (?! .{0,40} (?: 密码 | 登录 | 状态 | 选[择项] | 位置 ) ) .{6}
    """,
    re.VERBOSE | re.IGNORECASE,
)


class _Clause(NamedTuple):
    """A clause as letters (see `_WORDS`), its text, and the sentence around it."""

    letters: str
    text: str
    sentence: str
    is_whole_message: bool


def is_save_refused(text: str) -> bool:
    """Tell whether a user's message says not to save the conversation.

    >>> is_save_refused("好的，谢谢。这次不保存"), is_save_refused("不要保存到数据库")
    (True, False)
    """
    return any(_is_refusal(clause) for clause in _clauses(text))


def is_save_requested(text: str) -> bool:
    """Tell whether a user's message asks to save the conversation, or to remember a fact.

    >>> is_save_requested("记住这个"), is_save_requested("save this file as UTF-16")
    (True, False)
    """
    return any(_is_request(clause) for clause in _clauses(text))


def is_fact_to_remember(text: str) -> bool:
    """Tell whether a sentence of the user says what is to be remembered.

    >>> is_fact_to_remember("记住：测试用真实数据库"), is_fact_to_remember("remember to test it")
    (True, False)
    """
    return bool(_FACT.match(text)) and not text.rstrip().endswith(("?", "？"))


def last_wish(said: Sequence[str]) -> str:
    """Return the user's last wish: "save", "skip" or ""."""
    for text in reversed(said):
        if is_save_refused(text):
            return "skip"
        if is_save_requested(text):
            return "save"
    return ""


_BEFORE_FACT = re.compile(
    r"""
    .{0,30}? (?: remember (?: \ this(?=\s*[:：]) | \ that(?=\s) )?
               | [记記]住 (?: 一下 | 这个 | 这点 | 这件事 )? )
    [\s:：,，]*
    """,
    re.VERBOSE | re.IGNORECASE,
)


def stated_fact(text: str) -> str:
    """Return the fact in a request to remember it, "" for none.

    >>> stated_fact("请记住：测试用真实数据库"), stated_fact("记住这个"), stated_fact("save this")
    ('测试用真实数据库', '', '')
    """
    before = _BEFORE_FACT.match(text)
    return text[before.end() :].strip() if before else ""


def _is_refusal(clause: _Clause) -> bool:
    letters = clause.letters.replace("d", "")
    if _CLEAR_REFUSAL.fullmatch(letters):
        return not _CONDITION.match(clause.sentence.lstrip())
    if _LIKELY_REFUSAL.fullmatch(letters) or _is_confidential(clause) or _is_closing(clause):
        return _is_about_us(clause)
    return clause.is_whole_message and bool(_LONE_REFUSAL.fullmatch(letters))


def _is_closing(clause: _Clause) -> bool:
    text = clause.text.strip()
    is_last = clause.sentence.rstrip(" \n。.!！~").endswith(text)
    return is_last and bool(_CLOSING_REFUSAL.fullmatch(text))


def _is_confidential(clause: _Clause) -> bool:
    letters = clause.letters.replace("d", "")
    if _LONE_SENSITIVE.fullmatch(letters):
        start = clause.sentence.lstrip(_MARKS)
        return start.startswith(clause.text.lstrip()) and "、" not in clause.sentence
    return bool(_OFF_THE_RECORD.fullmatch(letters) or _SENSITIVE.fullmatch(letters))


def _is_request(clause: _Clause) -> bool:
    if _CLEAR_REQUEST.fullmatch(clause.letters):
        return not _CONDITION.match(clause.sentence.lstrip())
    if _LIKELY_REQUEST.fullmatch(clause.letters):
        return _is_about_us(clause)
    is_asked = clause.sentence.rstrip().endswith(("?", "？"))
    return not is_asked and is_fact_to_remember(clause.text)


def _is_about_us(clause: _Clause) -> bool:
    return not _CONDITION.search(clause.sentence) and not _OF_A_PROGRAM.search(clause.sentence)


def _clauses(text: str) -> Iterator[_Clause]:
    """Yield the clauses in the user's own words that may be about saving."""
    spoken = _own_words(_read(text))
    for sentence in _SENTENCE_END.split(_POLITE_CONDITION.sub("", spoken)):
        if not _VERB_HINT.search(sentence):
            continue
        for clause in _CLAUSE_END.split(sentence):
            if not _VERB_HINT.search(clause):
                continue
            for part in dict.fromkeys([clause, *_SET_OFF.findall(clause)]):
                letters = _letters(part)
                # In the middle a part without an object may be a label: "the option (don't save)".
                if part == clause or set(letters) & set("cou") or _is_at_an_end(part, spoken):
                    whole = len(part) + 2 > len(spoken.strip())
                    yield _Clause(letters, part, sentence, whole)


def _is_at_an_end(part: str, text: str) -> bool:
    """Tell whether a part is at the beginning or end of a text, or ends its first clause."""
    inner = text.strip(_MARKS)
    first = re.split("[:：]", _CLAUSE_END.split(inner, maxsplit=1)[0])[0].rstrip(_MARKS)
    return inner.startswith(part.strip()) or inner.endswith(part) or first.endswith(part)


def _read(text: str) -> str:
    if len(text) <= 2 * _READ_CHARS:
        return text
    # The two parts must not make a phrase together.
    return f"{text[:_READ_CHARS]} …\n… {text[-_READ_CHARS:]}"


def _own_words(text: str) -> str:
    own: list[str] = []
    is_code = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            is_code = not is_code
        elif not is_code and not line.lstrip().startswith((">", "|")):
            own.append(line)
    # A quoted word still counts as a word: the rest must not become a phrase without it.
    return _QUOTED.sub(" x ", "\n".join(own))


def _letters(clause: str) -> str:
    """Return one letter per word, without fillers; `q` marks a question."""
    if len(clause) > _LONGEST_CLAUSE:
        return "x"
    # Compiled late: it takes longer than everything else here, and most messages don't need it.
    words = re.compile(_WORDS, re.VERBOSE | re.IGNORECASE)
    letters = "".join(word.lastgroup or "" for word in words.finditer(clause)).replace("f", "")
    if "a" in letters:
        letters = letters.replace("q", "")
    return letters.replace("a", "")

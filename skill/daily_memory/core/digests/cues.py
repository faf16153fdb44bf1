"""Words that show what a sentence is, in Chinese and English: few, but strong.

Speaker and place decide more; see `candidates`. A pattern may match anywhere in a sentence, unless
it begins with `^`. Texts have simplified characters.
"""

from __future__ import annotations

import re


def pattern_of(cue: str) -> re.Pattern[str]:
    """Compile a cue; `<word>` and `</word>` are the edges of an English word."""
    edges = cue.replace("<word>", r"(?<![a-z])").replace("</word>", r"(?![a-z])")
    return re.compile(edges, re.VERBOSE | re.IGNORECASE)


# --- What tells nothing ------------------------------------------------------------------------

_THANKS = r"""
    (?:太|非常)?(?:感谢|谢谢)[了你您]?
    | (?: (?: many\ )? thanks? (?: \ you )? | thx | please ) </word>
"""
_POLITE = rf"""
    (?: [你您]好 | 早上好 | 在[吗的] | 请问 | 好的? | 行 | 可以 | 嗯+ | 对了? | 是的 | 没错 | 收到
      | 没问题 | 当然(?:可以)? | 明白了? | 搞定了? | 不客气 | 抱歉 | 太好了 | 另外 | 再见 | 先这样
      | [有看]个问题 | 辛苦了? )
    | {_THANKS}
    | (?: hi | hello | hey | yes | ok(?:ay)? | sure (?: \ thing )? | great | perfect | nice | cool
      | excellent | right | done | got\ it | agreed? | sounds\ good | of\ course | sorry
      | so | no\ (?: problem | worries ) ) </word>
"""
# What a sentence begins with before it says anything, and the same for a request.
LEAD = pattern_of(
    rf"^ [^\w`*]* (?: {_POLITE} ) [了的吧啊]? \s? (?: [,，.。!！?？~～:：;；、—–-]+ | $ ) \s*"
)
GREETING = pattern_of(
    rf"""
    ^ \s* (?: (?: {_POLITE} ) (?: \ (?: there | all | claude ) </word> )? [\s,，.。!！~～:：、]+
      | 请(?![求教示]) | 帮(?:我|忙)(?:一下)? | (?: (?: can | could ) \ you | help\ me ) </word> )
      [\s,，：:]*
    """
)
# The same at the end, set off: "is missing as well" and "the migration is done" are sentences.
TAIL = pattern_of(
    rf"(?: \s* [,，.。!！;；~～]+ \s* (?: {_POLITE} ) | \s (?: {_THANKS} ) ) [\s。.!！~～]* $"
)
SMALL_TALK = pattern_of(r"天气 | 周末 | [早午晚]饭 | 哈哈 | <word> (?: weekend | lol ) </word>")
# The assistant says what it is about to do.
ANNOUNCES = pattern_of(
    r"""
    ^ \s* (?: (?: 现在 | 首先 | 接下来 | now | first ) [,，]? \s? )? (?:
      让我 | 我(?:们)?[来先会将再去现需想要看查检读改修更创继尝试列总写理明帮在] | 看一下 | 这就
      | (?: let\ me (?!\ know ) | let['’]s | i['’]ll | i\ will | i['’]m\ \w+ing | i\ need
      | [a-z]{2,}ing\ (?: at | the | an? | up ) ) </word> )
    """
)
# It speaks of itself and of the conversation.
NARRATION = pattern_of(
    rf"""
    {ANNOUNCES.pattern}
    | ^ \s* (?: 总的来说 | 整体 | 很高兴 | 希望 | 随时 | (?: feel\ free | let\ me\ know
      | (?: here | below ) (?: ['’]s | \ is | \ are ) | (?: i\ )? hope | anything\ else | overall
      | you['’]re\ (?: asking | right | welcome ) | sounds\ like | (?: i['’]m\ )? (?: glad | happy
      | sorry ) | would\ you | shall\ i | if\ you ) </word> )
    """
)

# --- What the user wants -----------------------------------------------------------------------

ASKS = pattern_of(
    r"""
    [?？][”」』\"')）*]*[.。]?$ | [?？]\*\* | [吗呢么][。.]?$
    | ^\s* (?: 怎么 | 如何 | 为什么 | 哪 )
    | 哪[个种些家] | 多少 | 有没有 | ([好对行是能]) 不 \1 | [要会该用可]不[要会该用可]
    | (?<!没)(?<!不管)什么(?!都|也)
    | ^ \W* (?: (?: ok | so | and | but | or ) \W+ )? (?: (?: how | why | what['’]?s
      | what\ (?: is | are | do | about ) | which ) </word>
      | (?: should | shall | can | could | would | will | do (?!\ it) | does | did | is | are | was
        | were | has | have | any ) \s (?: i | we | you | it | this | that | the | there | they
        | our | my | one | idea ) </word> )
    """
)


def asks(text: str) -> bool:
    """Tell whether a sentence asks something; in English only its beginning and end count."""
    is_plain = text.isascii() and "?" not in text
    return bool(ASKS.match(text) if is_plain else ASKS.search(text))


# What the user leaves for later, or is going to do.
LATER = pattern_of(
    r"""
    (?: ^ | [，,。；;\s] ) 我 (?!们) (?:这边)? [先再就会]? (?: [去找提补问拉约试写让叫跟请] | 确认
      | [今明后下周稍回晚等][天晚周后头会午一二三四五六日末] )
    | 明天 | 下周 | 下一?[步个] | 剩下 | 回头 | 记得
    | <word> (?: i['’]?ll | tomorrow | needs?\ to\ go ) </word>
    """
)
# Somebody says that it was decided, and what.
DECIDED = pattern_of(
    r"""
    决定 [用使采改放把先不保换去走将给] | [我你您]们? .{0,8} 确定[用使采将] | 选定 | 定为 | 敲定
    | 定下来 | 一致同意 | 最终[用选使]
    | <word> (?: (?: decided | agreed | settled ) \ (?: to | on | that ) | we\ chose | we['’]ll\ use
      | from\ now\ on | let['’]s\ (?: use | go\ with | keep ) ) </word>
    """
)
UNDECIDED = pattern_of(
    r"""
    没有?决定 | 尚未 | 待定 | 是否 | 要不要 | 如果 | 比如 | 例如 | 可以考虑 | 或者 | 建议 | 取决于
    | <word> (?: not\ (?: yet\ )? decided | haven['’]?t | whether | for\ example | if\ (?: we |
      you ) | might | could | suggest | recommend | depends | i['’]d | i\ would ) </word>
    """
)
# A choice, or how it should be from here on; `rules` has what should always be so.
CHOOSES = pattern_of(
    r"""
    那就 | 统一 | 先用 | 先不 | [换改][成为用] | [设调定][成为到]\s?\d | 选 | 别 | 不用 | 必须
    | 只能 | 以后 | 不要 | ^[\s就都]*用 | ^\s*先 | (?<![看试样里这了是对])吧(?=\W|$)
    | ^\s* (?: ok,?\s )? no\ (?! problem ) [a-z]
    | <word> (?: use | keep | drop | switch | instead | rather | prefer | should | must | only
      | ever | make\ sure | (?<! [iey]\ ) (?: do\ not | don['’]?t )
      | let['’]?s\ (?! talk | look | see | start | try | check | take ) [a-z]+
      | (?: then | it\ is ) (?=[.!]|$) | go\ with ) </word>
    """
)

PROPOSES = pattern_of(
    r"""
    (?<!不)(?:建议|推荐) | 倾向 | 最好 | 可以(?!吗|.{1,5}了) | [办方改]法[：:]
    | <word> (?: i['’]d\ (?! be ) | you\ could | recommend | suggest ) </word>
    """
)
# A proposal of several: "3000 or 8080", "3 到 5 次".
LEAVES_OPEN = pattern_of(r"或 | 还是 | \d\s?[到至~～-]\s?\d | <word> or </word>")
AGREES = pattern_of(
    r"""
    ^ \s* (?: 好 | 行 | 可以 | 嗯 | 同意 | 就这[么样] | 就?按[你这] | (?: yes | sure | ok(?:ay)?
      | agreed? | fine | good | great | sounds\ good | do\ it | go\ ahead ) (?![\w'’-]) )
    """
)
# What an item is called, at its beginning, or by a reply: "2.", "方案二", "Option B", "go with 2".
MARK = pattern_of(
    r"""
    ^ [\s#*_|-]* (?:那?就)? (?: 选 | 用 | go\ with )? \s? (?: 方案 | option | 第 )? \s?
      ([1-5一二三四五A-E]) [吧个条]? (?= \s* $ | [,，.、。;；:：!！)*|] )
    """
)
_NUMERALS = str.maketrans("一二三四五ABCDEabcde", 3 * "12345")


def number_of(text: str) -> str:
    """Return the number that a text begins with: `2` for `B)` and `方案二`, "" for none."""
    mark = MARK.match(text)
    return mark[1].translate(_NUMERALS) if mark else ""


# --- What was found and done, and what is left ---------------------------------------------------

OPEN = pattern_of(
    r"""
    待确认 | 没有?解决 | 不确定 | 没法 | 无法(?:验证|确认|判断) | 拿不准 | 怀疑 | 不知道 | 不清楚
    | 还没(?:想好|定|有决定) | 等.{1,8}(?:回复|确认) | [再得要]去?问(?!题)
    | (?:仍然?|还是)会?(?:报错|失败|超时)
    | <word> (?: not\ sure | unclear | unexplained | still\ (?: fail\w* | isn | doesn | not )\S*
      | (?: is | are ) \ still \ \w{3,10} | don['’]t\ know | nobody\ knows | haven['’]t\ decided
      | not\ (?: yet\ )? (?: fixed | decided ) | (?: can | could ) n?['’]?t \ (?: explain
      | reproduce | find | test ) | (?: remains | has | have ) \ to\ be ) </word>
    """
)
# What may, can or will be.
MAY_BE = pattern_of(
    r"""
    可以 | 应该 | 如果 | (?<![机社开大])会(?![话议员计])
    | <word> (?: will | should | can | could | would | might | may | if ) </word>
    """
)
# The assistant speaks of itself.
ITSELF = pattern_of(r"我(?!们) | <word> i (?: </word> | ['’] )")
# A thing named: code, a number, a path, an identifier.
NAMES = re.compile(
    r"`[^`]+`|\d+|[A-Za-z0-9]/[A-Za-z0-9]|[a-z]_[a-z]|[a-z][A-Z]|\w\(\)|\w\.[a-z]{1,5}\b"
)
# A heading, a line with a colon, or a label before a sentence.
_OPENS = r"[*_]* (?: [:：] [*_]* \s* | $ )"
TO_DO = pattern_of(
    r"""
    <word> (?: 下一步 | 接下来 | 待办 | 后续 | 剩[下余] | 还[差剩] | 记下了? | 提醒一下 | to-?dos?
      | next (?:\ steps? )? | follow-?ups? | remaining | noted | left\ for\ you | still\ to\ do
      | action\ items? ) [^:：]{0,8} (?: [:：] [*_]* \s* | $ )
    """
)
UNSOLVED = pattern_of(
    rf"<word> (?: 待确认|待定|未解决|遗留问题|风险|open\ (?:question|issue|point)s?|tbd ) {_OPENS}"
)
DECISIONS = pattern_of(rf"(?: 决定 | 决策 | <word> decisions? ) {_OPENS}")
# What may be done, or might have been: nothing that was.
OPTIONS = pattern_of(
    r"""
    方案 | 选项 | [办方]法 | 可以[：:] | 两[种个] | 例如 | 比如
    | <word> (?: options? | alternatives? | choices | either | you\ (?: can | could ) | ways\ to
      | approaches | examples? | e\.g\. ) </word>
    """
)

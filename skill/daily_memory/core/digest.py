"""A conversation → a digest, made of its own sentences: offline, and the same every time.

Nothing is worded anew. Each point is a sentence of the conversation, whitespace aside; where it
was too long it ends in "…". What decides is where a sentence stands, the cue words of the tables
below, and how much it shares with what the user asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import NamedTuple

from daily_memory.core.context import without_context
from daily_memory.core.observation import Observation
from daily_memory.core.phrases import is_save_refused, is_save_requested
from daily_memory.model import Code, Session

BRIEF_CHARS = 900
DETAILED_CHARS = 3200
MAX_TOPIC_CHARS = 80
MAX_POINT_CHARS = 200
MAX_CODE_LINES = 60
MAX_CODE_CHARS = 4000
MAX_CODE_BLOCKS = 3

# Pasted logs are long, and what people and assistants conclude stands at the two ends.
_MESSAGE_END_CHARS = 10_000
_MAX_SENTENCES = 6000
_MAX_CODE_READ = 100
_ALIKE = 0.7

_POINT, _DECISION, _QUESTION, _NEXT, _FILE = "point", "decision", "question", "next", "file"
_MOST = {_POINT: 8, _DECISION: 5, _QUESTION: 5, _NEXT: 5, _FILE: 12}

_ROLES = {"human": "user", "ai": "assistant", "model": "assistant", "bot": "assistant"}

# --- Taking a message apart ------------------------------------------------------------------

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*([^`\n]*)$")
_HOST_TAG = re.compile(
    r"""
    <(/?)( system-reminder | local-command-stdout | command-name | command-message | command-args
         | task-notification | environment_context | user_info | attached_files
         | open_and_recently_viewed_files | git_status | rules | project_layout )\b [^<>]{0,200} >
    """,
    re.VERBOSE,
)
_QUERY_TAG = re.compile(r"</?user_query>")
_LIST_MARK = re.compile(r"\s*(?:(?:[-*+•·]|\d{1,3}[.)、])\s+(?:\[([ xX])\]\s+)?|\d{1,3}、)")
_HEADING = re.compile(r"\s*#{1,6}\s+")
_NOT_PROSE = re.compile(r"\s*(?:[|>]|[-=*_]{3,}\s*$|/[\w:-]{1,40}\s*$|\[Request interrupted)")
_EMPHASIS = re.compile(r"\*\*|__")
_SENTENCE = re.compile(
    r"""
      (?<=[。！？；]) (?! [。！？；”』」"')）] ) \s*
    | (?<=[!?;]) (?: \s+ | (?=[\u4e00-\u9fff]) )
    | (?<=\.) \s+ (?=[A-Z\u4e00-\u9fff`])   # not behind `e.g.`, as a rule
    """,
    re.VERBOSE,
)
_CLAUSE_END = re.compile(r"[，,;；:：、（()）—–]|\s-\s")
_BLANKS = re.compile(r"\s+")

# --- Words -----------------------------------------------------------------------------------

_GREETING = re.compile(
    r"""
    \s* (?: 你好 | 您好 | 大家好 | 早上好 | 下午好 | 晚上好 | 在吗 | 嗨 | 哈喽 | 请问 | 麻烦[你您]
      | 好的 | 谢谢 | 请? 帮(?:我|忙)(?:一下)? | 请(?![求教示假客柬])
      | (?: hi | hello | hey | good\ (?:morning|afternoon|evening) | thanks | thank\ you | ok | okay
          | please | pls | (?: can | could | would ) \ you | help\ me\ to )
        (?: \ (?: there | all | everyone | team | claude | please ) )? (?![\w'’-])
    ) [\s,，.。!！~～:：?？、]*
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ACKNOWLEDGEMENT = re.compile(
    r"""
    \s* (?: 继续 | 好 | 行 | 可以 | 对 | 是的 | 没错 | 嗯+ | 明白 | 收到 | 辛苦了 | 太好了 | 不错
      | 完美
      | yes | yep | yeah | no | sure | continue | go\ on | go\ ahead | great | perfect | nice | cool
      | sounds\ good | lgtm | do\ it | got\ it | exactly | right ) [了的吧啊\s,，.。!！~～]* $
    """,
    re.VERBOSE | re.IGNORECASE,
)
_REQUEST = re.compile(
    r"""
      [?？] | 怎么 | 如何 | 为什么 | 为何 | 能否 | 能不能 | 帮 | 请 | 需要 | 希望 | 想要 | 我想
        | 要求
    | (?<![a-z]) (?: how | what | why | which | where | can\ you | could\ you | please | help | need
        | want | would\ like | should | let['’]s ) (?![a-z])
    """,
    re.VERBOSE | re.IGNORECASE,
)
_BACKGROUND = re.compile(
    r"""
    \s* (?: 我 | 现在 | 目前 | 项目 | 这个 | 这里 | 昨天 | 最近
      | (?: i | we | my | our | there | this | the | it | currently ) (?![a-z]) )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ASKS = re.compile(r"[?？][”」』\"')）]*$|[吗呢][。.]?$")
_OFFER = re.compile(
    r"""
      还有(?:什么|其他|别的) | 需要我 | 要我 | 要不要我 | 是否需要我 | 有(?:什么|其他)问题
    | (?: would | do ) \ you \ (?: like | want ) | shall \ i | should \ i | let \ me \ know
    | anything \ else | does \ (?: this | that ) \ (?: help | work )
    """,
    re.VERBOSE | re.IGNORECASE,
)
# An assistant that says what it is about to do has found nothing yet.
_NARRATION = re.compile(
    r"""
    \s* (?: 好的 | 当然 | 没问题 | 让我 | 我来 | 我先 | 我会 | 我将 | 我现在 | 首先我 | 接下来我
      | 现在我 | 现在让我 | 你说得对 | 很高兴 | 抱歉 | 希望
      | (?: sure | certainly | of\ course | absolutely | great | perfect | okay | ok | thanks
          | let\ me | let['’]s | i['’]ll | i\ will | i['’]m\ going | now\ i | now\ let | first,?\ i
          | next,?\ (?:i|let) | here['’]s | here\ is | here\ are | you['’]re\ right | sorry
          | hope\ this | i\ hope | feel\ free | let\ me\ know | happy\ to ) (?![a-z]) )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_FINDING = re.compile(
    r"""
      原因 | 根因 | 结论 | 结果 | 发现 | 修复 | 解决 | 完成 | 实现了 | 已经? | 因为 | 由于 | 所以
    | 导致 | 问题[是在出] | 必须 | 注意 | 关键 | 改为 | 改成 | 换成 | 通过了 | 优化 | 约定 | 偏好
    | 喜欢 | 习惯 | 不要 | 统一
    | (?<![a-z])
      (?: because | caused? | root\ cause | reason | fix(?:ed|es)? | solved | resolved | solution
        | found | turns?\ out | conclusion | results? | added | removed | replaced | changed
        | implemented | refactored | updated | renamed | pass(?:ed|es) | works\ now | now\ uses
        | instead | must | always | never | prefers? | important | note\ that | therefore
        | the\ (?: problem | issue | bug ) \ (?: is | was ) )
      (?![a-z])
    """,
    re.VERBOSE | re.IGNORECASE,
)
_DECIDED = re.compile(
    r"""
      决定 | 決定 | 采用 | 採用 | 改用 | 选用 | 选择[了用使] | 选定 | 敲定 | 商定 | 就用 | 定为
    | 定下来 | 确定[用使采] | 最终[用选使] | 一致同意
    | (?<![a-z])
      (?: we (?: ['’]?ll | \ will ) \ (?: use | go | keep ) | decided | decision | agreed
        | let['’]s\ (?: use | go\ with | keep ) | go(?:ing)?\ with | we\ chose | i\ chose
        | settled\ on | switch(?:ed|ing)?\ to | opted\ for )
      (?![a-z])
    """,
    re.VERBOSE | re.IGNORECASE,
)
_UNDECIDED = re.compile(
    r"""
      没有?决定 | 未决定 | 尚未 | 待定 | 是否 | 要不要 | 如果 | 可以(?: 采用 | 改用 | 选 | 考虑 )
    | 或者 | 还是用 | 建议 | 取决于 | 由.{1,12}决定 | 决定(?: 于 | 因素 | 权 )
    | (?<![a-z])
      (?: not\ (?: yet\ )? (?: decided | agreed ) | haven['’]?t\ decided | undecided | whether
        | if\ (?: we | you ) | might | could | should\ we | suggest | recommend | depends )
      (?![a-z])
    """,
    re.VERBOSE | re.IGNORECASE,
)
_OPEN = re.compile(
    r"""
      待确认 | 待定 | 未解决 | 没解决 | 未决 | 不确定 | 仍需确认 | 需要(?:进一步)?确认 | 悬而未决
    | 遗留问题 | (?: 尚未 | 还没有? ) (?: 解决 | 确定 | 决定 | 确认 | 想好 | 搞清 | 弄清 | 查清 )
    | (?<![a-z])
      (?: tbd | unresolved | unsolved | open\ questions? | undecided | haven['’]?t\ decided
        | not\ (?: yet\ )? decided | not\ sure\ (?: why | whether | if | how ) | remains\ to\ be
        | still\ (?: unclear | unknown | unsure | failing | open | don['’]?t\ know )
        | still\ need\ to\ (?: find | figure | check | confirm | decide )
        | to\ be\ (?: confirmed | decided ) )
      (?![a-z])
    """,
    re.VERBOSE | re.IGNORECASE,
)
_TO_DO = re.compile(
    r"""
      下一步 | 接下来 | 待办 | 待辦 | 后续(?!的) | 之后[再要需] | 明天(?: 再 | 要 | 继续 )
    | 回头[再要] | 下次(?: 再 | 要 | 继续 ) | 还需要 | 剩下的?(?: 是 | 工作 | 任务 )
    | (?<![a-z])
      (?: todos? | to-dos? | next\ (?: steps? | up | time | we | i ) | next, | follow-?ups?
        | still\ (?: need | have ) \ to | still\ to\ do | remaining\ (?: work | tasks? | steps? )
        | tomorrow | later\ we | action\ items? )
      (?![a-z])
    """,
    re.VERBOSE | re.IGNORECASE,
)
_EXACT = re.compile(r"`|\d|[A-Za-z0-9]/[A-Za-z0-9]|[a-z]_[a-z]|[a-z][A-Z]|\w\(\)")
_TERM = re.compile(r"[a-z0-9_][a-z0-9_.-]{1,39}|[\u3400-\u9fff]+")
_COMMON = frozenset(
    "the and for with that this from have has are was were will would can could should not but you "
    "your our their its it's is in on of to we be do does did an as at or if so by then than there "
    "what when which how why please need want let use using into about also now just one all any "
    "don me my they them he she been being because some more most".split()
)
_COMMON_HAN = frozenset(
    "我们 你们 他们 一个 这个 那个 可以 什么 怎么 如何 需要 然后 现在 没有 就是 还是 一下".split()
)

# --- Files and code --------------------------------------------------------------------------

# Chinese file names only in code quotes: elsewhere nothing tells them from the sentence.
_PATH_LIKE = re.compile(
    r"""
      ` ([^`\s=(){}"'<>|*$,;]{3,200}) `
    | [A-Za-z0-9_.@~+\\/:%-]{3,}
    """,
    re.VERBOSE,
)
_LINE_SUFFIX = re.compile(r":\d.{0,12}$")
_FILE_NAME = re.compile(
    r"""
    (?: .{1,120} \. (?: py | pyi | ipynb | js | jsx | mjs | cjs | ts | tsx | vue | svelte | java
      | kt
        | kts | scala | go | rs | rb | php | c | h | cc | cpp | hpp | cs | swift | m | mm | lua | pl
        | r | jl | ex | exs | erl | hs | clj | dart | sh | bash | zsh | ps1 | bat | sql | html | htm
        | css | scss | sass | less | json | jsonc | json5 | jsonl | ya?ml | toml | ini | cfg | conf
        | env | xml | md | mdx | mdc | rst | txt | csv | tsv | proto | graphql | gradle | tf | lock
        | log | svg | png | jpe?g | gif | pdf | docx | xlsx | pptx | ipynb )
      | Dockerfile | Makefile | Jenkinsfile | Procfile | Gemfile | Rakefile | LICENSE
      | \.env [\w.]{0,20} | \.gitignore | \.dockerignore | \.editorconfig )
    """,
    re.VERBOSE,
)
# `Node.js` and `Vue.js` are names of things, not of files.
_PRODUCT = re.compile(
    r"(?:node|vue|next|nuxt|react|express|three|d3|socket|nest|ember|backbone)\.(?:js|io)",
    re.IGNORECASE,
)
_OUTPUT_LANGUAGES = frozenset({"log", "logs", "output", "text", "txt", "plaintext", "console"})


class Message(NamedTuple):
    """One turn. Roles other than user and assistant (tool, system) are not digested."""

    role: str
    content: str


class _Sentence(NamedTuple):
    text: str
    role: str
    message: int  # counted from 0, among the messages that are digested
    place: int  # in its message, from 0
    section: str  # what the line above the list says it is: a kind, or ""


class _Candidate(NamedTuple):
    score: float
    order: int
    kind: str
    text: str


class _Parts(NamedTuple):
    """A message taken apart: its prose, and the fenced blocks in it."""

    role: str
    prose: str
    code: tuple[Code, ...]


def digest(
    messages: Sequence[Message],
    day: date,
    *,
    max_chars: int = BRIEF_CHARS,
    save_code: bool = False,
) -> Session:
    """Return an unsaved session (number 0) that holds what the conversation was about.

    `max_chars` bounds all its text except code, which has bounds of its own. Nothing that could
    be read gives a session without a topic.
    """
    parts = [_taken_apart(message) for message in messages]
    parts = [part for part in parts if part.role in ("user", "assistant")]
    sentences = _sentences(parts)
    topic = _topic(sentences)[:max_chars]
    chosen = _chosen(_candidates(sentences, topic, parts), max_chars - len(topic))
    return Session(
        day,
        topic=topic,
        key_points=_texts(chosen, _POINT),
        decisions=_texts(chosen, _DECISION),
        code=_code(parts) if save_code else (),
        open_questions=_texts(chosen, _QUESTION),
        next_steps=_texts(chosen, _NEXT),
        files=_texts(chosen, _FILE),
    )


def turn_count(messages: Iterable[Message]) -> int:
    """Return how many times the user said something."""
    return sum(
        _role(message) == "user" and not message.content.isspace() and message.content != ""
        for message in messages
    )


# --- Taking a message apart ------------------------------------------------------------------


def _role(message: Message) -> str:
    role = message.role.strip().lower()
    return _ROLES.get(role, role)


def _taken_apart(message: Message) -> _Parts:
    text = _QUERY_TAG.sub("\n", _without_host_notes(without_context(message.content)))
    prose, code = _split_code(text.replace("\r\n", "\n").replace("\r", "\n"))
    return _Parts(_role(message), _ends(prose), code)


def _without_host_notes(text: str) -> str:
    """Return the text without what the host, not the user, put into the message."""
    kept: list[str] = []
    start, name, opened_at = 0, "", 0
    for tag in _HOST_TAG.finditer(text):
        if not name and not tag[1]:
            name, opened_at = tag[2], tag.start()
        elif name == tag[2] and tag[1]:
            kept.append(text[start:opened_at])
            start, name = tag.end(), ""
    # A line break, so that what stood apart makes no sentence together.
    return "\n".join((*kept, text[start:]))


def _split_code(text: str) -> tuple[str, tuple[Code, ...]]:
    prose: list[str] = []
    blocks: list[Code] = []
    fence, language, block = "", "", list[str]()
    for line in text.split("\n"):
        mark = _FENCE.match(line) if "`" in line or "~" in line else None
        if fence:
            if mark and mark[1].startswith(fence) and not mark[2].strip():
                blocks.append(Code(language, "\n".join(block)))
                fence = ""
            else:
                block.append(line)
        elif mark:
            fence, language, block = mark[1], _language(mark[2]), []
            prose.append("")
        else:
            prose.append(line)
    # A block that never ends is cut off, so it's nothing to keep.
    return "\n".join(prose), tuple(blocks)


def _language(info: str) -> str:
    words = info.split()
    return words[0].strip("{}.").lower() if words else ""


def _ends(prose: str) -> str:
    if len(prose) <= 2 * _MESSAGE_END_CHARS:
        return prose
    head = prose[:_MESSAGE_END_CHARS].rpartition("\n")[0]
    tail = prose[-_MESSAGE_END_CHARS:].partition("\n")[2]
    return f"{head}\n{tail}"


def _sentences(parts: Sequence[_Parts]) -> list[_Sentence]:
    found = [
        sentence for index, part in enumerate(parts) for sentence in _sentences_of(part, index)
    ]
    # The first messages say what it is about, the last ones how it ended.
    half = _MAX_SENTENCES // 2
    return found if len(found) <= _MAX_SENTENCES else found[:half] + found[-half:]


def _sentences_of(part: _Parts, message: int) -> Iterator[_Sentence]:
    section = ""
    place = 0
    for line in part.prose.split("\n"):
        item = _LIST_MARK.match(line)
        if not item and line.strip():
            section = _section(line)
        if not line.strip() or _HEADING.match(line) or _NOT_PROSE.match(line):
            continue
        is_done = bool(item and (item[1] or "").lower() == "x")
        kind = _NEXT if item and item[1] == " " else "" if is_done else section
        for text in _split(line[item.end() if item else 0 :]):
            yield _Sentence(text, part.role, message, place, kind if item else "")
            place += 1


def _section(line: str) -> str:
    """Return which kind of list a heading or a line with a colon opens, if any."""
    bare = _EMPHASIS.sub("", line).strip()
    if len(bare) > 40 or not (_HEADING.match(line) or bare.endswith((":", "："))):
        return ""
    kinds = ((_NEXT, _TO_DO), (_QUESTION, _OPEN), (_DECISION, _DECIDED))
    return next((kind for kind, cue in kinds if cue.search(bare)), "")


def _split(line: str) -> list[str]:
    texts = (_BLANKS.sub(" ", text).strip() for text in _SENTENCE.split(line))
    return [text for text in texts if text]


# --- The topic -------------------------------------------------------------------------------


def _topic(sentences: Sequence[_Sentence]) -> str:
    """Return the user's first request; else the first thing that anybody said."""
    asked = [sentence for sentence in sentences if sentence.role == "user"]
    substantial = [sentence for sentence in asked if _is_substantial(sentence.text)]
    for first in substantial or asked or sentences:
        text = _request_of(first, substantial)
        return _shortened(_without_greeting(text) or text, MAX_TOPIC_CHARS)
    return ""


def _request_of(first: _Sentence, substantial: Sequence[_Sentence]) -> str:
    """Return the request that follows in the same message where the first one is background."""
    if _BACKGROUND.match(first.text) and not _REQUEST.search(first.text):
        for other in substantial:
            if other.message == first.message and _REQUEST.search(other.text):
                return other.text
    return first.text


def _is_substantial(text: str) -> bool:
    bare = _without_greeting(text)
    return not _ACKNOWLEDGEMENT.match(bare) and not _is_about_saving(text) and _has_terms(bare, 2)


def _is_about_saving(text: str) -> bool:
    # A fact to remember ("remember that we use pnpm") is content; "save this" is not.
    return is_save_refused(text) or (len(text) < 25 and is_save_requested(text))


def _without_greeting(text: str) -> str:
    bare = text
    while greeting := _GREETING.match(bare):
        bare = bare[greeting.end() :]
    return bare.strip()


def _has_terms(text: str, count: int) -> bool:
    return len(_terms(text)) >= count


# --- What a sentence is worth ----------------------------------------------------------------


def _candidates(
    sentences: Sequence[_Sentence], topic: str, parts: Sequence[_Parts]
) -> list[_Candidate]:
    asked = frozenset[str]().union(
        *(_terms(sentence.text) for sentence in sentences if sentence.role == "user")
    )
    last = len(parts) - 1
    kinds = [(_kind(sentence, last), sentence) for sentence in sentences]
    found = [
        _Candidate(
            _score(kind, sentence, asked, last),
            order,
            kind,
            _shortened(sentence.text, MAX_POINT_CHARS),
        )
        for order, (kind, sentence) in enumerate(kinds)
        if kind and not _repeats(sentence.text, topic)
    ]
    return found + _file_candidates(parts, len(found))


def _kind(sentence: _Sentence, last: int) -> str:
    """Return what the sentence is: a decision, a question, a step to do, a point, or nothing."""
    text = sentence.text
    if not _is_content(sentence):
        return ""
    if _is_open(sentence, last):
        return _QUESTION
    if _is_to_do(sentence, last):
        return _NEXT
    is_question = bool(_ASKS.search(text))
    if sentence.section == _DECISION or (
        _DECIDED.search(text) and not is_question and not _UNDECIDED.search(text)
    ):
        return _DECISION
    return "" if is_question and sentence.role == "assistant" else _POINT


def _is_content(sentence: _Sentence) -> bool:
    text = sentence.text
    # What ends in a colon introduces something that is not in the sentence.
    if text.endswith((":", "：")) or _is_about_saving(text):
        return False
    bare = _without_greeting(text)
    least = 1 if sentence.section or _ASKS.search(text) else 3
    return not _ACKNOWLEDGEMENT.match(bare) and _has_terms(bare, least)


def _is_open(sentence: _Sentence, last: int) -> bool:
    if sentence.section:
        return sentence.section == _QUESTION
    if _OFFER.search(sentence.text):
        return False
    if sentence.message == last and _ASKS.search(sentence.text):
        return True
    # What was unclear in the first half has mostly been answered since.
    is_late = sentence.message == last or (
        sentence.role == "assistant" and 2 * sentence.message >= last
    )
    return is_late and bool(_OPEN.search(sentence.text))


def _is_to_do(sentence: _Sentence, last: int) -> bool:
    if sentence.section:
        return sentence.section == _NEXT
    is_late = sentence.message >= last - 1
    is_narrated = sentence.role == "assistant" and _NARRATION.match(sentence.text)
    return is_late and not is_narrated and bool(_TO_DO.search(sentence.text))


def _score(kind: str, sentence: _Sentence, asked: frozenset[str], last: int) -> float:
    text = sentence.text
    shared = len(_terms(text) & asked)
    is_user = sentence.role == "user"
    score = 2.0 if kind != _POINT else 0.0
    score += 1.6 * bool(_FINDING.search(text)) + 0.5 * bool(_EXACT.search(text))
    score += min(shared, 6) * (0.1 if is_user else 0.25)
    score += (1.5 if is_user else 0.5) * (sentence.place == 0)
    score += 0.8 * (sentence.message >= last - 1) + 0.4 * (sentence.message == 0)
    score -= 1.0 * (len(text) > MAX_POINT_CHARS) + 0.6 * (len(text) < 12)
    return score - 2.5 * bool(not is_user and _NARRATION.match(text))


def _repeats(text: str, other: str) -> bool:
    """Tell whether the text says little that the other does not."""
    terms = _terms(text)
    return len(terms & _terms(other)) >= _ALIKE * len(terms)


def _terms(text: str) -> frozenset[str]:
    """Return the words of a text, and each two neighbouring Chinese characters, without filler."""
    found: set[str] = set()
    for match in _TERM.finditer(text[: 4 * MAX_POINT_CHARS].lower()):
        word = match[0]
        if word[0] < "\u3400":
            found.add(word.rstrip(".-"))
        else:
            found.update(word[at : at + 2] for at in range(max(len(word) - 1, 1)))
    return frozenset(found - _COMMON - _COMMON_HAN)


# --- Choosing within the budget --------------------------------------------------------------


def _chosen(candidates: Sequence[_Candidate], free_chars: int) -> list[_Candidate]:
    """Return the best that fit, in the order of the conversation."""
    taken: list[_Candidate] = []
    counts = dict.fromkeys(_MOST, 0)
    for candidate in sorted(candidates, key=lambda item: (-item.score, item.order)):
        kind, size = candidate.kind, len(candidate.text)
        if counts[kind] == _MOST[kind] or size > free_chars or candidate.score < 0:
            continue
        if kind != _FILE and any(_are_alike(candidate, other) for other in taken):
            continue
        taken.append(candidate)
        counts[kind] += 1
        free_chars -= size
    return sorted(taken, key=lambda item: item.order)


def _are_alike(one: _Candidate, other: _Candidate) -> bool:
    # A sentence that names a file says more than the file.
    if other.kind == _FILE:
        return False
    return _repeats(one.text, other.text) or _repeats(other.text, one.text)


def _texts(chosen: Iterable[_Candidate], kind: str) -> tuple[str, ...]:
    return tuple(candidate.text for candidate in chosen if candidate.kind == kind)


def _shortened(text: str, max_chars: int) -> str:
    """Return the text, cut behind a clause or a word with "…" where it is too long."""
    if len(text) <= max_chars:
        return text
    head = text[: max_chars - 1]
    ends = [match.start() for match in _CLAUSE_END.finditer(head)]
    end = ends[-1] if ends and ends[-1] >= max_chars // 3 else head.rfind(" ")
    return (head[:end] if end >= max_chars // 3 else head).rstrip() + "…"


# --- Files and code --------------------------------------------------------------------------


def _file_candidates(parts: Iterable[_Parts], first_order: int) -> list[_Candidate]:
    """Return the files in the order of their first mention, worth more the more often named."""
    counts: dict[str, int] = {}
    for part in parts:
        for path in _paths(part.prose):
            counts[path] = counts.get(path, 0) + 1
    return [
        # A file is short, and the best handle for a later search: worth a middling sentence.
        _Candidate(1.0 + 0.2 * min(count, 5), first_order + index, _FILE, path)
        for index, (path, count) in enumerate(counts.items())
    ]


def _paths(prose: str) -> Iterator[str]:
    for match in _PATH_LIKE.finditer(prose):
        path = _LINE_SUFFIX.sub("", (match[1] or match[0]).rstrip(".:,-/\\"))
        name = path.replace("\\", "/").rpartition("/")[2]
        if len(path) <= MAX_POINT_CHARS and _is_path(path) and _FILE_NAME.fullmatch(name):
            yield path


def _is_path(path: str) -> bool:
    is_address = "://" in path or path.startswith(("//", "www.", "http:"))
    return not (is_address or "@" in path or _PRODUCT.fullmatch(path))


def _code(parts: Sequence[_Parts]) -> tuple[Code, ...]:
    """Return the last version of the last blocks; the user's own only where there is room.

    What users paste is mostly what went wrong, what assistants write is the result.
    """
    blocks = [(part.role, block) for part in parts for block in part.code if _is_kept(block)]
    newest: list[tuple[str, Code]] = []
    for role, block in blocks[: -_MAX_CODE_READ - 1 : -1]:
        if not any(_is_version(block, other) for _, other in newest):
            newest.append((role, block))
    ranked = sorted(newest, key=lambda entry: entry[0] == "user")[:MAX_CODE_BLOCKS]
    return tuple(entry[1] for entry in reversed(newest) if entry in ranked)


def _is_kept(block: Code) -> bool:
    lines = block.text.count("\n") + 1
    if block.language in _OUTPUT_LANGUAGES or not block.text.strip():
        return False
    return lines <= MAX_CODE_LINES and len(block.text) <= MAX_CODE_CHARS


def _is_version(block: Code, other: Code) -> bool:
    """Tell whether two blocks are versions of one: half of the lines of the smaller are shared."""
    lines, others = (
        {line.strip() for line in code.text.split("\n") if len(line.strip()) > 2}
        for code in (block, other)
    )
    smaller = min(len(lines), len(others))
    return block.text == other.text or (smaller > 0 and 2 * len(lines & others) >= smaller)


def digest_observations(
    observations: Sequence[Observation],
    day: date,
    *,
    save_code: bool = True,
    detailed: bool = False,
) -> Session:
    return digest([Message(o.kind, o.text) for o in observations], day, save_code=save_code)

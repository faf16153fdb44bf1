"""What a clause gives up for something else, and which clauses use exactly that.

"Replaced Flask by FastAPI" overtakes "Use Flask for the API", "把队列换成 Kafka" overtakes "队列用
RabbitMQ". A clause that gives something up names it, and usually its replacement; the rest of the
clause is what both must be about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain

from daily_memory.core.digests import cues
from daily_memory.core.lazy_pattern import lazy_pattern, word_starts
from daily_memory.core.search import text
from daily_memory.named_tuples import NamedTuple

# Longer ones say more than can be compared.
_LONGEST = 300
# How many words the name of a used thing may have.
_NAME_WORDS = 2

_CLAUSE_END = lazy_pattern(
    r"[。；;!！\n，,（(]|\.(?=\s|$)|——|\s[-–—]\s|\s(?=(?:because|since|so that|after)\s)|因为|由于",
    re.IGNORECASE,
)
# Weighed, not settled. This and what follows is of lower-case text.
_WEIGHED = lazy_pattern(
    word_starts("consider", "evaluat", r"try\b", r"tried\b") + r"|考虑|评估|试(?<!测试)[了试过用]"
)
# Up to four words, or up to 16 characters before a sign of Chinese grammar. To try each character
# of a word, and not only its first, takes four times as long.
_WORDS = r"(?<![^\s，,])[^\s，,]+(?:\s[^\s，,]+){0,3}?"
_HAN = r"\S(?:.{0,14}?\S)??"
_STOP = r"(?=$|\s(?:in|on|for|by|with|so|to|and|as|at|when|from|now|everywhere)\b)"
_MOVES = [
    f"{word}[为成到至向]" for word in "换 改 迁移? 切换? 转 升级? 提高? 调整? 降 缩短 移".split()
]
_INTO = rf"(?:[换改转]用|{'|'.join(_MOVES)})了?"
_FOR = r"(?:取代|替代|代替|替换|替)[了掉]?"
_MOVED = "switch|migrat|mov|chang|convert|port"
_LEFT = "drop|abandon|retir|ditch|remov"
_ENDED = "不再|不用|不要|弃用|停用|放弃|废弃|移除|取消|淘汰"
# To look for a word of any of them first is faster.
_MAY_GIVE_UP = (
    rf"{_MOVED}|{_LEFT}|replac|supersed|swap|no longer|stop|never|do not|don use|got rid|decided"
    r"|instead|rather|in place"
)
_MAY_GIVE_UP_CHINESE = rf"换用|改用|转用|取代|代替|替|{_ENDED}|{'|'.join(_MOVES)}"
_GIVES_UP = [
    lazy_pattern(pattern)
    for pattern in (
        rf"\b(?:{_MOVED})\w*\b(?P<part>.*?)\b(?:from|out of)"
        rf"\s(?P<old>{_WORDS})\s(?:over\s)?(?:in)?to\s(?P<new>{_WORDS}){_STOP}",
        rf"\b(?:{_MOVED})\w*\s(?P<old>{_WORDS})\s(?:over\s)?to"
        rf"\s(?P<new>{_WORDS}){_STOP}",
        rf"\b(?:replac|supersed|swap)\w*\s(?P<old>{_WORDS})\s(?:by|with|for)\s(?P<new>{_WORDS}){_STOP}",
        rf"\b(?:{_LEFT})\w*\s(?P<old>{_WORDS})\s(?:for|in favou?r of)"
        rf"\s(?P<new>{_WORDS}){_STOP}",
        # The next three begin with a name: slow, so only tried where `_BEHIND_NAME` is.
        rf"(?P<old>{_WORDS})\s(?:is|was|has been|were|got)\s(?:now\s)?(?:replaced|superseded)"
        rf"\s(?:by|with)\s(?P<new>{_WORDS}){_STOP}",
        rf"(?P<new>{_WORDS})\s(?:has\s)?(?:replace|supersede)[sd]\s(?P<old>{_WORDS}){_STOP}",
        rf"(?P<new>{_WORDS})\s(?:instead of|rather than|in place of)\s(?P<old>{_WORDS}){_STOP}",
        r"\b(?:no longer us\w+|stop(?:ped)? using|(?:never|do not|don) use|abandon(?:ed)?"
        rf"|got rid of|decided against)\s(?P<old>{_WORDS}){_STOP}",
        # "No longer valid" between commas names something; in a whole sentence it doesn't.
        rf"^no longer\s(?P<old>{_WORDS})$",
    )
]
_BEHIND_NAME = lazy_pattern(r"\s(?:(?:replace|supersede)[sd]|instead of|rather than|in place of)\s")
_WITHOUT_NAME = _GIVES_UP[:4] + _GIVES_UP[7:]
_GIVES_UP_CHINESE = [
    lazy_pattern(pattern)
    for pattern in (
        rf"[把将从由自]\s*(?P<old>{_HAN})\s*(?:全部|都)?{_INTO}\s*(?P<new>{_HAN})$",
        rf"用\s*(?P<new>{_HAN})\s*{_FOR}\s*(?P<old>{_HAN})$",
        rf"(?P<old>{_HAN})\s*已?被\s*(?P<new>{_HAN})\s*{_FOR}",
        rf"(?:{_ENDED})(?:使?用|支持|是)?了?\s*(?P<old>{_HAN})$",
        rf"(?P<old>{_HAN})\s*(?:已经?|全部|都)?{_INTO}\s*(?P<new>{_HAN})$",
    )
]
_ADOPTED = word_starts(
    *(rf"{word}\s" for word in "uses? using chose picked adopt(?:ed)? prefers?".split()),
    *(rf"{word} (?:on|to)\s" for word in "runs? built settled standardi[sz]ed decided".split()),
    *(r"back (?:on|to)\s", r"go(?:ing)? with\s"),
)
_ADOPTED_CHINESE = (
    "使用|采用|选用|选定|沿用|基于|改用"
    "|用(?<![不别作费引应常专通信启停弃禁]用)(?![户例途法于量时完])"
)
_ADOPTS = lazy_pattern(f"{_ADOPTED}|{_ADOPTED_CHINESE}")
_SET = "|".join(
    [word_starts(r"is\s", r"are\s"), *(rf"{sign}\s?(?=\S{{1,16}}$)" for sign in ":：=")]
)
_IS = lazy_pattern(f"{_SET}|为|是|走")
# What a clause has that uses or changes something. English ones have nothing Chinese.
_TELLS = lazy_pattern(f"{_ADOPTED}|{_SET}|{_MAY_GIVE_UP}")
_TELLS_CHINESE = lazy_pattern(
    f"{_ADOPTED}|{_ADOPTED_CHINESE}|{_SET}|为|是|走|{_MAY_GIVE_UP_CHINESE}"
)
# With a capital, a digit or a sign, or Latin letters in a Chinese text.
_NAME = lazy_pattern(r"\s*\w*[A-Z0-9_./]|[A-Za-z]+(?=.*[\u3400-\u9fff])|\s*\S{1,16}$")
_ARTICLE = lazy_pattern(r"^\s*(?:(?:the|our|an?)\s)?", re.IGNORECASE)
# What only says that something is settled.
_FILLER = lazy_pattern(
    r"\b(?:(?:switch|migrat|mov|chang|convert|replac|us|decid|agree)(?:e|ed|d|es|ing)?|decision|back"
    r"|always|must|may|default|now|instead|only|everywhere|set|go|keep|we|our|the|an?)\b"
    r"|决定|统一|一律|总是|现在|目前|已经?|默认值?|使用|采用|选用|选定|沿用|我们|[用把将被从由到为是了每都做在]",
    re.IGNORECASE,
)
# The stems of a word that is no filler.
_STEMS = text.Memo(
    lambda word: tuple(
        text.stem(token.lower())
        for token in text.folded_tokens(_FILLER.sub(" ", word))
        if not text.is_stop_word(token.lower())
    )
)


class Clause(NamedTuple):
    """A clause: its words, and what it says is used.

    Of a change, `old` is given up, `new` comes instead, and `about` are the other words. Words are
    joined by blanks; Chinese ones are pairs of characters. `topic` is that of the session.
    """

    words: str = ""
    about: str = ""
    old: str = ""
    new: str = ""
    used: Sequence[str] = ()
    topic: str = ""


def parse_clauses(line: str) -> Iterator[Clause]:
    """Yield the clauses of a line that use or change something; none of a question or a proposal.

    >>> [(clause.old, clause.new) for clause in parse_clauses("Replaced Flask by FastAPI")]
    [('flask', 'fastapi')]
    """
    plain = _plain(line)
    telling = [row for part in _clauses(plain) if any((row := _said(part))[1:3])]
    # Last, as most lines use or change nothing.
    if not telling or not _is_settled(plain):
        return
    for part, used, old, new, rest in telling:
        about = words_of(rest) - words_of(f"{old} {new}")
        yield Clause(" ".join(sorted(words_of(part))), " ".join(sorted(about)), old, new, used)


def _said(part: str) -> tuple[str, list[str], str, str, str]:
    """Return a clause, what it says is used, and the result of `_change`."""
    low = part.lower()
    if not (_TELLS if low.isascii() else _TELLS_CHINESE).search(low):
        return part, [], "", "", ""
    ends = [match.end() for match in _ADOPTS.finditer(low)]
    ends += [end for match in _IS.finditer(low) if _NAME.match(part, end := match.end())]
    return part, [_ARTICLE.sub("", low[end:]) for end in ends], *_change(low)


def adopts(line: str) -> bool:
    """Tell whether a line says that something with a name is used.

    >>> adopts("The API runs on FastAPI"), adopts("The pages look better")
    (True, False)
    """
    plain = _plain(line)
    return _is_settled(plain) and any(
        _NAME.match(part[match.end() :].strip())
        for part in _clauses(plain)
        for match in _ADOPTS.finditer(part.lower())
    )


@lru_cache(maxsize=10_000)
def words_of(phrase: str) -> frozenset[str]:
    """Return the stems of a phrase, and pairs of Chinese characters, without filler."""
    if phrase.isascii():
        return frozenset(chain.from_iterable(map(_STEMS.__getitem__, text.folded_tokens(phrase))))
    words: set[str] = set()
    for token in text.folded_tokens(_FILLER.sub(" ", phrase)):
        if text.is_cjk(token):
            words.update(text.run_pairs(token) or token)
        elif not text.is_stop_word(token.lower()):
            words.add(text.stem(token.lower()))
    return frozenset(words)


def overtakes(change: Clause, clause: Clause) -> bool:
    """Tell whether a clause with a change gives up what an earlier one uses.

    >>> [use, other, change] = [
    ...     next(parse_clauses(line))
    ...     for line in ("队列用 RabbitMQ", "测试用 Docker", "把队列换成 Kafka")
    ... ]
    >>> overtakes(change, use), overtakes(change, other)
    (True, False)
    """
    if not clause.used:
        return False
    words, about = set(clause.words.split()), set(change.about.split())
    old, new = words_of(change.old), words_of(change.new)
    if not old or not old <= words or (new and new <= words):
        return False
    rest = words - old
    if _uses(clause, change.old):
        told = (words | words_of(clause.topic)) & (about | words_of(change.topic))
        return not rest or not about or bool(told - old - new)
    # The same part is made with something else now.
    names = (" ".join(text.folded_tokens(used)[:_NAME_WORDS]) for used in clause.used)
    parts = (words_of(name) - old for name in names if new and not clause.old)
    return any(part and rest - part <= about for part in parts)


def returns_to(clause: Clause, change: Clause) -> bool:
    """Tell whether a later clause uses again what a change gave up."""
    if clause.old or not _uses(clause, change.old):
        return False
    rest = set(clause.words.split()) - words_of(change.old)
    return not rest or not rest.isdisjoint(change.about.split())


def _uses(clause: Clause, name: str) -> bool:
    """Tell whether something that a clause uses, and does not give up, begins with a name."""
    return bool(name) and any(
        f"{used} ".startswith(f"{name} ") or (text.is_cjk(name[-1]) and used.startswith(name))
        for used in clause.used
        if used != clause.old
    )


def _plain(line: str) -> str:
    plain = text.fold(line).replace("`", "").replace("**", "").strip("- ")
    return plain if len(plain) <= _LONGEST else ""


def _is_settled(plain: str) -> bool:
    return not (_WEIGHED.search(plain.lower()) or cues.asks(plain) or cues.UNDECIDED.search(plain))


def _clauses(plain: str) -> Iterator[str]:
    return filter(None, map(str.strip, _CLAUSE_END.split(plain)))


def _change(part: str) -> tuple[str, str, str]:
    """Return what is given up, its replacement, and the rest of the clause."""
    for pattern in _patterns(part):
        if match := pattern.search(part):
            groups = match.groupdict(default="")
            old, new = (_ARTICLE.sub("", groups.get(name, "")) for name in ("old", "new"))
            # "Upgraded to 7" gives nothing up.
            is_number = new[:1].isdigit() and not old[:1].isdigit()
            if words_of(old) - words_of(new) and not is_number:
                between = groups.get("part", "")
                return old, new, f"{part[: match.start()]} {between} {part[match.end() :]}"
    return "", "", ""


def _patterns(part: str) -> Sequence[re.Pattern[str]]:
    if not part.isascii():
        return _GIVES_UP_CHINESE if re.search(_MAY_GIVE_UP_CHINESE, part) else ()
    if not re.search(_MAY_GIVE_UP, part):
        return ()
    return _GIVES_UP if _BEHIND_NAME.search(part) else _WITHOUT_NAME

"""Private keys (PEM, PuTTY), and base64 or hex text that contains a secret."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.redaction import contexts, names, tokens
from daily_memory.core.redaction.contexts import decoded
from daily_memory.core.redaction.view import Redaction, View, view_of
from daily_memory.core.triggers import Search

_KIND = "private_key"
_BEGIN = lazy_pattern(r"-----\s?BEGIN[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?\s?-----")
_END = lazy_pattern(r"-----\s?END[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?\s?-----")
_PUTTY = lazy_pattern(r"Private-Lines:[ \t]{0,9}[0-9]{1,4}(?=\r?\n[A-Za-z0-9+/=]{16,100}\s)")
# A line of a key; in JSON a whole key may be one line, with `\\n` for its ends.
_LINE = lazy_pattern(
    r"[A-Za-z0-9+/=\\]{0,4000}|(?:Proc-Type|DEK-Info|Version|Comment|Hash):[^\n]{0,200}"
)
# What a quotation or a list in code puts around a line.
_AROUND = " \t\r>|#*+\"',\\"
_LEAST, _LEAST_LAST, _MOST, _MOST_LINES = 16, 4, 20_000, 500

# Of letters, digits and signs; a hash has other bytes among so many.
_HEX_TEXT = lazy_pattern(r"(?:[2-6][0-9a-f]|7[0-9a-e]|0[ad]){16,4000}")
_BASE64 = lazy_pattern(r"[A-Za-z0-9+/_-]{24,}={0,2}")
_HINT = lazy_pattern(
    r"pass|pwd|secret|token|api.?key|private key|://|akia|ghp_|sk-|密码|口令|密钥|令牌",
    re.IGNORECASE,
)


def _key_findings(view: View) -> Iterator[Redaction]:
    """Yield each private key; one without an end goes on as long as its lines look like one."""
    if "private key" in view.lowered:
        yield from _pem_findings(view.text)
    if "private-lines:" in view.lowered:
        for head in _PUTTY.finditer(view.text):
            start = view.text.find("\n", head.end()) + 1
            yield Redaction(start, _last_line(view.text, start), _KIND)


def _pem_findings(text: str) -> Iterator[Redaction]:
    ends = [match.span() for match in _END.finditer(text)][::-1]
    position = 0
    while begin := _BEGIN.search(text, position):
        while ends and ends[-1][0] < begin.end():
            ends.pop()
        position = _pem_end(text, begin.end(), ends)
        if position > begin.end():
            yield Redaction(begin.start(), position, _KIND)


def _pem_end(text: str, start: int, ends: Sequence[tuple[int, int]]) -> int:
    """Return where the key ends whose first line ended at `start`; `start` if there is none."""
    if ends and ends[-1][0] <= start + _MOST:
        body = text[start : ends[-1][0]]
        if "-----" not in body and len(re.sub(r"[^A-Za-z0-9+/=]", "", body)) >= _LEAST:
            return ends[-1][1]
    return _last_line(text, start)


def _last_line(text: str, start: int) -> int:
    """Return the end of the last line that belongs to a key; `start` if none does."""
    end, position = start, start
    for _ in range(_MOST_LINES):
        stop = text.find("\n", position)
        stop = len(text) if stop < 0 else stop
        line = text[position : min(stop, position + _MOST)].strip(_AROUND)
        if not _LINE.fullmatch(line):
            break
        end = stop if len(line) >= (_LEAST if end == start else _LEAST_LAST) else end
        position = stop + 1
        if stop == len(text):
            break
    return end


def _encoded_findings(view: View) -> Iterator[Redaction]:
    """Yield base64 and hex of text in which there is a secret."""
    for match in _BASE64.finditer(view.text):
        text = decoded(match.group())
        if not text and _HEX_TEXT.fullmatch(match.group()):
            text = bytes.fromhex(match.group()).decode("ascii")
        if text and _HINT.search(text) and _holds_secret(view_of(text)):
            yield Redaction(*match.span(), "encoded_secret")


def _holds_secret(view: View) -> bool:
    searches = view.batch.searches(_IN_ENCODED).get(view.number, ())
    return any(True for search in searches for _ in search.find(view))


SEARCHES = (
    Search(_key_findings, ("private key", "private-lines:")),
    Search(_encoded_findings, pattern=_BASE64),
)
_IN_ENCODED = (*names.SEARCHES, contexts.SEARCH, SEARCHES[0], tokens.SEARCH)

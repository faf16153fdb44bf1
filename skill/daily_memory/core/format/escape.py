"""Escapes any text so that it can't be mistaken for structure of a day file, without loss.

Two mechanisms, both ordinary Markdown, so that the text reads well when rendered:

* A line that begins like a heading, a fence, a rule, a merge marker or a comment gets a backslash
  before the character that makes it so.
* Characters that editors strip or that break a line (control characters, blanks at an end)
  become character references such as `&#x0D;`.
"""

from __future__ import annotations

import re

from daily_memory.core.lazy_pattern import lazy_pattern

# A line begins with structure; the backslashes before it are those of an earlier escape.
_STRUCTURE = lazy_pattern(
    r"""^([ \t]*)(\\*)(?=
        \#            # a heading
      | `{3} | ~{3}   # a fence
      | -{3,}\s*$     # the rule that closes a section
      | <!--          # our comment, or one that would hide what follows
      | <{7} | ={7} | >{7} | \|{7}   # what git leaves after a conflict
    )""",
    re.VERBOSE,
)
_SIGNS = tuple("#`~-<=>|")
_ESCAPED_STRUCTURE = lazy_pattern(
    r"^([ \t]*)\\(\\*)(?=#|`{3}|~{3}|-{3,}\s*$|<!--|<{7}|={7}|>{7}|\|{7})"
)

# What a text editor, git or a terminal would change, drop or act on.
_UNSAFE = "\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u2028\u2029\ufeff"
UNSAFE_CHARACTER = lazy_pattern(f"[{_UNSAFE}]")
_OWN_REFERENCE = lazy_pattern(r"&(?=(?:amp;)*#x[0-9A-F]{2,5};)")
_REFERENCE = lazy_pattern(r"&(?:amp;(?=(?:amp;)*#x[0-9A-F]{2,5};)|#x([0-9A-F]{2,5});)")
_DECODABLE = lazy_pattern(rf"[{_UNSAFE}\s]")


def escape_characters(text: str) -> str:
    r"""Return the text with unsafe characters as references; what looks like one is kept apart.

    >>> escape_characters("a\rb &#x0D;")
    'a&#x0D;b &amp;#x0D;'
    """
    if "&" in text:
        text = _OWN_REFERENCE.sub("&amp;", text)
    # Most lines can be printed as they are, and compiling takes longer than to look.
    if text.isprintable():
        return text
    return UNSAFE_CHARACTER.sub(lambda match: _references(match.group()), text)


def restore_characters(text: str) -> str:
    r"""Return what `escape_characters` and `escape_ends` were given.

    >>> restore_characters("a&#x0D;b &amp;#x0D;")
    'a\rb &#x0D;'
    """
    return _REFERENCE.sub(_restored, text) if "&" in text else text


def escape_ends(text: str) -> str:
    r"""Return the text with blanks at its two ends, and at the end of each line, as references.

    >>> escape_ends("  a \nb\n")
    '&#x20;&#x20;a&#x20;\nb&#x0A;'
    """
    body = text.strip()
    if body == text and "\n" not in text:
        return text
    start = len(text) - len(text.lstrip())
    lead, trail = text[:start], text[start + len(body) :]
    inner = "\n".join(_escape_line_end(line) for line in body.split("\n"))
    return _references(lead) + inner + _references(trail)


def escape_structure(line: str) -> str:
    r"""Return a line that no reader takes for structure.

    >>> escape_structure("## Session 9")
    '\\## Session 9'
    """
    may_be = line.lstrip(" \t\\").startswith(_SIGNS)
    return _STRUCTURE.sub(r"\1\\\2", line) if may_be else line


def restore_structure(line: str) -> str:
    r"""Return what `escape_structure` was given.

    >>> restore_structure("\\## Session 9")
    '## Session 9'
    """
    return _ESCAPED_STRUCTURE.sub(r"\1\2", line) if "\\" in line else line


def _escape_line_end(line: str) -> str:
    # The last blank alone is enough: the ones before it are no longer at an end.
    return line[:-1] + _references(line[-1]) if line[-1:].isspace() else line


def _references(text: str) -> str:
    return "".join(f"&#x{ord(character):02X};" for character in text)


def _restored(match: re.Match[str]) -> str:
    if match.group(1) is None:
        return "&"
    character = chr(int(match.group(1), 16))
    # A person may have written any other reference: it stays as it is.
    return character if _DECODABLE.match(character) else match.group()

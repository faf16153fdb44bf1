"""The words of pages and settings in English and Chinese, from `words.txt`."""

from __future__ import annotations

from functools import cache

Words = dict[str, dict[str, str]]


def load_words(section: str) -> Words:
    """Return a section of the file as words by language (`en`, `zh`) and key."""
    rows = _sections()[section]
    return {
        "en": {key: english for key, english, _ in rows},
        "zh": {key: chinese for key, _, chinese in rows},
    }


@cache
def _sections() -> dict[str, list[tuple[str, str, str]]]:
    with open(f"{__file__.removesuffix('.py')}.txt", encoding="utf-8") as file:
        lines = [line for line in file.read().split("\n") if line and line[:2] != "# "]
    sections: dict[str, list[tuple[str, str, str]]] = {}
    rows: list[tuple[str, str, str]] = []
    for line in lines:
        if line[0] == "[":
            rows = sections.setdefault(line[1:-1], [])
        else:
            key, english, chinese = line.split(" | ")
            rows.append((key, english, chinese))
    return sections

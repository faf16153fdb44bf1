"""The sections of a report, with their words in two languages. Text and page only lay them out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from itertools import groupby
from typing import NamedTuple

from daily_memory.core.pages.report import Counts, ranked
from daily_memory.core.review import quality

_ROWS = (  # Chinese and English
    ("report", "记忆报告", "memory report"),
    ("range", "{first} 至 {last}", "{first} to {last}"),
    ("sessions", "会话", "sessions"),
    ("days", "有记录的天数", "days with sessions"),
    ("observations", "观察", "observations"),
    ("important", "重要", "important"),
    ("outdated", "过时", "outdated"),
    ("private", "私密", "private"),
    ("foreign", "他人的", "by others"),
    ("by_day", "每天的会话", "Sessions by day"),
    ("weekdays", "一,,三,,五,,日", "Mon,,Wed,,Fri,,Sun"),
    (
        "topics_week",
        "各标签每周的会话，从 {first} 起",
        "Sessions with each tag, by week from {first}",
    ),
    (
        "topics_month",
        "各标签每月的会话，从 {first} 起",
        "Sessions with each tag, by month from {first}",
    ),
    ("tags", "标签", "Tags"),
    ("projects", "项目", "Projects"),
    ("hosts", "来源程序", "Programs"),
    ("hidden", "已隐藏的内容", "Hidden"),
    (
        "hidden_note",
        "现存会话和观察里的隐藏标记；没有保存下来的文字不计。",
        "Marks in stored sessions and observations; text that was not stored does not count.",
    ),
    ("recall", "回忆", "Recall"),
    ("conversations", "实时会话", "live sessions"),
    ("told", "其中收到过往记忆的", "with earlier memories"),
    ("recalled", "送出记忆的次数", "memories injected"),
    ("used", "有使用迹象", "with signs of use"),
    ("unknown", "原会话已不存在", "deleted since"),
    ("asked", "请助手自己保存过的对话", "with the agent asked to save"),
    ("agent_saves", "助手自己保存的次数", "saves by agents"),
    ("agent_tokens", "两者的 token 数（估计）", "tokens of both (estimate)"),
    (
        "recall_note",
        "使用迹象：之后助手或工具提到了那个会话的编号、文件，或至少三个几乎只有它才有的词，而此前没人提过。这是迹象，不是证明。",
        "Signs of use: afterwards the assistant or a tool named that session, one of its files, "
        "or three words that hardly any other session has, and nobody had before. They prove "
        "nothing.",
    ),
    ("most", "送出最多的会话（次数 / 有使用迹象）", "Injected most (times / with signs of use)"),
    ("quality", "摘要质量", "Quality of digests"),
    ("good", "好", "good"),
    ("fair", "一般", "fair"),
    ("poor", "差", "poor"),
    (
        "mean",
        "平均 {mean:.2f}（满分 1）；`memory review` 列出差的",
        "{mean:.2f} of 1 on average; `memory review` lists the poor ones",
    ),
    ("sizes", "占用空间", "Size on disk"),
    ("daily", "每日文件", "day files"),
    ("index", "索引", "index"),
    ("archive", "归档", "archive"),
    ("none", "这些天没有记录。", "Nothing is stored for these days."),
    ("rest", "另有 {count} 个", "{count} more"),
    (
        "footer",
        "私密会话只计入总数和天数，其内容不出现在这里。",
        "Private sessions count in the totals and by day; their content is not shown.",
    ),
)
WORDS = {
    "zh": {key: chinese for key, chinese, _ in _ROWS},
    "en": {key: english for key, _, english in _ROWS},
}
MOST_ROWS = 12


class Bar(NamedTuple):
    """A name with a number, and how the number is written."""

    name: str
    number: int
    text: str


class Grid(NamedTuple):
    """Rows of days with numbers, None for a day outside the report."""

    rows: tuple[tuple[str, tuple[tuple[date, int] | None, ...]], ...]
    header: tuple[tuple[str, int], ...] = ()

    @property
    def most(self) -> int:
        """The highest number."""
        return max((cell[1] for _, cells in self.rows for cell in cells if cell), default=0)


class ReportSection(NamedTuple):
    """A part of the report; `kind` says what the names of its bars are, "" if nothing special."""

    title: str
    bars: tuple[Bar, ...] = ()
    grid: Grid | None = None
    notes: tuple[str, ...] = ()
    kind: str = ""


def totals(counts: Counts) -> dict[str, int]:
    """Return the totals of a report by their keys in WORDS."""
    return {
        "sessions": sum(counts.sessions.values()),
        "days": len(counts.sessions),
        "observations": sum(counts.observations.values()),
        **counts.flags,
    }


def sections(counts: Counts, language: str) -> Iterator[ReportSection]:
    """Yield the sections of a report that have something to show."""
    words = WORDS[language]
    if not counts.sessions and not counts.observations:
        yield ReportSection("", notes=(words["none"],))
        return
    calendar = _calendar(counts, words["weekdays"].split(","))
    yield ReportSection(words["by_day"], grid=calendar)
    if counts.topics.periods:
        title = words[f"topics_{counts.topics.unit}"].format(first=counts.topics.periods[0])
        rows = (
            (tag, tuple(zip(counts.topics.periods, numbers, strict=True)))
            for tag, numbers in counts.topics.tags.items()
        )
        yield ReportSection(title, grid=Grid(tuple(rows)))
    for name in ("tags", "projects", "hosts"):
        numbers = ranked(getattr(counts, name))
        if numbers:
            yield _section(words[name], numbers, words)._replace(kind=name)
    if counts.quality.sessions:
        reasons = (
            (quality.in_language(reason, language), number)
            for reason, number in ranked(counts.quality.reasons)
        )
        grades = ((words[name], getattr(counts.quality, name)) for name in ("good", "fair", "poor"))
        note = words["mean"].format(mean=counts.quality.mean)
        yield _section(words["quality"], (*grades, *reasons), words, note)
    yield from _recall(counts, words)
    if counts.redactions:
        yield _section(words["hidden"], ranked(counts.redactions), words, words["hidden_note"])
    sizes = (Bar(words[name], size, sized(size)) for name, size in counts.bytes.items())
    yield ReportSection(words["sizes"], tuple(sizes))


def level(number: int, most: int) -> int:
    """Return a level from 0 for none to 4 for as many as `most`.

    >>> [level(number, 8) for number in (0, 1, 3, 8)]
    [0, 1, 2, 4]
    """
    return -(-4 * number // most) if most else 0


def sized(count: int) -> str:
    """Return a number of bytes as people read it.

    >>> sized(999), sized(2_400_000)
    ('999 B', '2.4 MB')
    """
    amount, units = float(count), ["B", "KB", "MB", "GB", "TB"]
    while amount >= 1000 and len(units) > 1:
        amount /= 1000
        units.pop(0)
    return f"{count} B" if units[0] == "B" else f"{amount:.1f} {units[0]}"


def _section(
    title: str, numbers: Sequence[tuple[str, int]], words: Mapping[str, str], note: str = ""
) -> ReportSection:
    bars = tuple(Bar(name, number, f"{number:,}") for name, number in numbers[:MOST_ROWS])
    rest = len(numbers) - len(bars)
    more = words["rest"].format(count=rest) if rest else ""
    return ReportSection(title, bars, notes=tuple(filter(None, (more, note))))


def _calendar(counts: Counts, weekdays: Sequence[str]) -> Grid:
    """Return the sessions of each day: a row per weekday, a column per week."""
    first = counts.start
    mondays = [first - timedelta(days=first.weekday())]
    while mondays[-1] + timedelta(days=7) <= counts.last:
        mondays.append(mondays[-1] + timedelta(days=7))
    rows = []
    for weekday, name in enumerate(weekdays):
        days = (monday + timedelta(days=weekday) for monday in mondays)
        cells = tuple(
            (day, counts.sessions.get(day, 0)) if first <= day <= counts.last else None
            for day in days
        )
        rows.append((name, cells))
    header: list[tuple[str, int]] = []
    for (year, month), weeks in groupby(mondays, key=lambda monday: (monday.year, monday.month)):
        span = len(list(weeks))
        is_new = span > 1 and all(label != str(year) for label, _ in header)
        header.append((str(year) if is_new else f"{month:02}", span))
    return Grid(tuple(rows), tuple(header))


def _recall(counts: Counts, words: Mapping[str, str]) -> Iterator[ReportSection]:
    recall = counts.recall
    if not recall.conversations:
        return
    numbers = (
        ("conversations", recall.conversations),
        ("told", recall.told),
        ("recalled", recall.sessions),
        ("used", recall.used),
        ("unknown", recall.unknown),
    )
    agents = (
        ("asked", recall.asked),
        ("agent_saves", recall.agent_saves),
        ("agent_tokens", recall.agent_tokens),
    )
    shown = (*numbers, *agents) if recall.agent_tokens else numbers
    bars = [(words[name], number) for name, number in shown]
    yield _section(words["recall"], bars, words, words["recall_note"])
    if recall.most:
        most = (
            Bar(f"{hit.id} {hit.topic}", hit.told, f"{hit.told} / {hit.used}")
            for hit in recall.most
        )
        yield ReportSection(words["most"], tuple(most), kind="most")

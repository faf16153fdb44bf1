"""A report as one HTML page with pictures: no script, nothing from elsewhere, light and dark.

The pictures are SVG of our own. Memory text, of which there are names, tags and topics, is escaped
as in the export, and the policy in the head lets the browser load nothing but the style.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta

from daily_memory.core.pages.html_page import shown
from daily_memory.core.pages.report import Counts, Recall, Topics, ranked
from daily_memory.core.pages.report_text import display_width, fitted, heat, sized
from daily_memory.core.review import quality

WORDS = {
    "zh": {
        "report": "记忆报告",
        "range": "{first} 至 {last} · 生成于 {made}",
        "sessions": "会话",
        "days": "有记录的天数",
        "observations": "观察",
        "important": "重要",
        "outdated": "过时",
        "private": "私密",
        "foreign": "他人的",
        "by_day": "每天的会话",
        "day": "{day}：{count} 个会话",
        "weekdays": "一,,三,,五,,日",
        "less": "少",
        "more": "多",
        "topics_week": "各标签每周的会话",
        "topics_month": "各标签每月的会话",
        "tags": "标签",
        "projects": "项目",
        "hosts": "来源程序",
        "hidden": "已隐藏的内容",
        "hidden_note": "现存会话和观察里的隐藏标记。没有留下的文字里隐藏过什么，无从得知。",
        "recall": "回忆",
        "conversations": "实时会话",
        "told": "其中被告知过往记忆的",
        "recalled": "告知次数",
        "used": "有使用迹象",
        "not_used": "没有迹象",
        "unknown": "已不存在",
        "recall_note": "“有使用迹象”：之后助手或工具提到了那个会话的编号、文件，"
        "或至少三个几乎只有它才有的词，而此前没人提过。这是迹象，不是证明。",
        "most": "被告知最多的会话",
        "quality": "摘要质量",
        "good": "好",
        "fair": "一般",
        "poor": "差",
        "mean": "平均 {mean}（满分 1）；`memory review` 列出差的",
        "sizes": "占用空间",
        "daily": "每日文件",
        "index": "索引",
        "archive": "归档",
        "none": "这些天没有记录。",
        "rest": "另有 {count:,} 个",
        "footer": "私密会话只计入总数和天数，其内容不出现在本页。",
    },
    "en": {
        "report": "memory report",
        "range": "{first} to {last} · made on {made}",
        "sessions": "sessions",
        "days": "days with sessions",
        "observations": "observations",
        "important": "important",
        "outdated": "outdated",
        "private": "private",
        "foreign": "of others",
        "by_day": "Sessions by day",
        "day": "{day}: {count} sessions",
        "weekdays": "Mon,,Wed,,Fri,,Sun",
        "less": "less",
        "more": "more",
        "topics_week": "Sessions with each tag, by week",
        "topics_month": "Sessions with each tag, by month",
        "tags": "Tags",
        "projects": "Projects",
        "hosts": "Programs",
        "hidden": "Hidden",
        "hidden_note": "Marks in the sessions and observations that are kept. What was hidden in "
        "text that was not kept is not known.",
        "recall": "Recall",
        "conversations": "live sessions",
        "told": "told of earlier ones",
        "recalled": "times told",
        "used": "signs of use",
        "not_used": "no sign",
        "unknown": "gone by now",
        "recall_note": "Signs of use: afterwards the assistant or a tool named that session, one "
        "of its files, or three words that hardly any other session has, and nobody had before. A "
        "sign, no proof.",
        "most": "Told of most",
        "quality": "Quality of digests",
        "good": "good",
        "fair": "fair",
        "poor": "poor",
        "mean": "{mean} of 1 on average; `memory review` lists the poor ones",
        "sizes": "Size on disk",
        "daily": "day files",
        "index": "index",
        "archive": "archive",
        "none": "Nothing is stored of these days.",
        "rest": "{count:,} more",
        "footer": "Private sessions count in the totals and by day; nothing that they say is on "
        "this page.",
    },
}

STYLE = """
:root { --text: #1f2328; --soft: #59636e; --line: #d1d9e0; --paper: #fff; --card: #f6f8fa;
  --h0: #e6eaee; --h1: #b7d7f5; --h2: #6fb0ea; --h3: #2f81cf; --h4: #0b4f94;
  --good: #2f8f4e; --fair: #c98a12; --poor: #c4473a; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e9ed; --soft: #9ba5b0; --line: #3a424b; --paper: #14171b; --card: #1d2127;
    --h0: #2a3038; --h1: #14406b; --h2: #1f65a8; --h3: #4a98e0; --h4: #a5d3ff;
    --good: #57b877; --fair: #e0ac4a; --poor: #ee8075; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 64rem; padding: 0 1rem 3rem; color: var(--text);
  background: var(--paper); line-height: 1.5; overflow-wrap: anywhere;
  font-family: system-ui, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif; }
h1 { margin: 1.5rem 0 0; font-size: 1.6rem; } h1 small { color: var(--soft); font-weight: 400; }
h2 { margin: 0 0 .6rem; font-size: 1.05rem; } h3 { margin: .8rem 0 .2rem; font-size: .95rem; }
p { margin: .3rem 0; color: var(--soft); font-size: .9rem; }
dl { display: flex; flex-wrap: wrap; gap: .6rem; margin: 1rem 0; }
dl div { flex: 1 1 6rem; padding: .5rem .8rem; background: var(--card);
  border: 1px solid var(--line); border-radius: .6rem; }
dt { color: var(--soft); font-size: .8rem; } dd { margin: 0; font-size: 1.3rem; }
main { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr));
  gap: 1rem; }
section { min-width: 0; padding: .8rem 1rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .6rem; }
section.wide { grid-column: 1 / -1; } .scroll { overflow-x: auto; }
/* Scrolled to its end, the newest days, where it is wider than the screen. */
.newest { direction: rtl; } .newest svg { direction: ltr; display: block; margin-right: auto; }
svg { display: block; max-width: none; } svg.key { display: inline-block; }
svg.fit { max-width: 100%; height: auto; }
text { fill: var(--text); font-size: 12px; } text.soft { fill: var(--soft); font-size: 10px; }
.h0 { fill: var(--h0); } .h1 { fill: var(--h1); } .h2 { fill: var(--h2); } .h3 { fill: var(--h3); }
.h4 { fill: var(--h4); } .good { fill: var(--good); } .fair { fill: var(--fair); }
.poor { fill: var(--poor); } .bar { fill: var(--h3); } .base { fill: var(--h0); }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
td, th { padding: .2rem .5rem .2rem 0; text-align: start; vertical-align: top; }
td.n, th.n { text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.id { white-space: nowrap; } th { color: var(--soft); font-weight: 400; }
i { padding: 0 .2rem; font: .75em monospace; color: var(--soft); border: 1px dashed currentColor; }
@media print { section { break-inside: avoid; } }
"""

_CELL, _GAP = 11, 2
_STEP = _CELL + _GAP
_BARS = 12
_NAME_COLUMNS = 22
_NAME_PX, _BAR_PX, _ROW_PX = 170, 200, 22


def page(counts: Counts, *, title: str, language: str, made: date) -> str:
    """Return the page; `language` is that of its words, `zh` or `en`, `made` the day of today."""
    words = WORDS[language]
    sections = "".join(_sections(counts, language, words))
    if not counts.sessions and not counts.observations:
        sections = f"<section><p>{words['none']}</p></section>\n"
    when = words["range"].format(first=counts.first, last=counts.last, made=made)
    policy = f"default-src 'none'; style-src 'sha256-{_hash(STYLE)}'; base-uri 'none'"
    return f"""<!doctype html>
<html lang="{"zh-CN" if language == "zh" else "en"}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}; form-action 'none'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{shown(title)} · {words["report"]}</title>
<style>{STYLE}</style>
</head>
<body>
<header>
<h1 dir="auto">{shown(title)} <small>{words["report"]}</small></h1>
<p>{when}</p>
{_totals(counts, words)}</header>
<main>
{sections}</main>
<footer><p>{words["footer"]}</p></footer>
</body>
</html>
"""


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _totals(counts: Counts, words: Mapping[str, str]) -> str:
    numbers = {
        "sessions": sum(counts.sessions.values()),
        "days": len(counts.sessions),
        "observations": sum(counts.observations.values()),
        **counts.flags,
    }
    boxes = (
        f"<div><dt>{words[name]}</dt><dd>{number:,}</dd></div>" for name, number in numbers.items()
    )
    return f"<dl>{''.join(boxes)}</dl>\n"


def _sections(counts: Counts, language: str, words: Mapping[str, str]) -> Iterator[str]:
    yield _section(words["by_day"], _heat_maps(counts, words), is_wide=True)
    if counts.topics.periods:
        unit = words[f"topics_{counts.topics.unit}"]
        yield _section(unit, _topics(counts.topics), is_wide=True)
    for name, numbers in (
        ("tags", counts.tags),
        ("projects", counts.projects),
        ("hosts", counts.hosts),
    ):
        if ranked(numbers):
            yield _section(words[name], _bars(ranked(numbers), words))
    if counts.quality.sessions:
        yield _section(words["quality"], _quality(counts, words, language))
    if counts.recall.conversations:
        yield _section(words["recall"], _recall(counts.recall, words))
    note = f"<p>{words['hidden_note']}</p>\n"
    yield _section(words["hidden"], _bars(ranked(counts.redactions), words) + note)
    yield _section(words["sizes"], _sizes(counts.bytes, words))


def _section(title: str, body: str, *, is_wide: bool = False) -> str:
    kind = ' class="wide"' if is_wide else ""
    return f"<section{kind}><h2>{title}</h2>\n{body}</section>\n"


# ---------------------------------------------------------------------------- pictures


def _heat_maps(counts: Counts, words: Mapping[str, str]) -> str:
    """Return a map of each year that has sessions, the newest first."""
    most = max(counts.sessions.values(), default=0)
    years = sorted({day.year for day in counts.sessions} or {counts.last.year}, reverse=True)
    maps = "".join(_heat_map(year, counts, most, words) for year in years)
    scale = "".join(
        f'<rect class="h{level}" x="{40 + level * _STEP}" y="2" width="{_CELL}" height="{_CELL}" '
        'rx="2"/>'
        for level in range(5)
    )
    return (
        f'{maps}<svg width="160" height="18" aria-hidden="true"><text class="soft" x="36" y="12" '
        f'text-anchor="end">{words["less"]}</text>{scale}<text class="soft" x="{44 + 5 * _STEP}" '
        f'y="12">{words["more"]}</text></svg>\n'
    )


def _heat_map(year: int, counts: Counts, most: int, words: Mapping[str, str]) -> str:
    first = max(counts.first, date(year, 1, 1))
    last = min(counts.last, date(year, 12, 31))
    monday = first - timedelta(days=first.weekday())
    left = 34
    cells = "".join(
        _cell(first + timedelta(days=offset), monday, left, counts, most, words)
        for offset in range((last - first).days + 1)
    )
    weeks = (last - monday).days // 7 + 1
    months = "".join(_months(first, last, monday, left))
    names = "".join(
        f'<text class="soft" x="0" y="{25 + row * _STEP}">{name}</text>'
        for row, name in enumerate(words["weekdays"].split(","))
    )
    label = f"{year}: {sum(n for day, n in counts.sessions.items() if day.year == year)}"
    return (
        f'<h3>{year}</h3><div class="scroll newest"><svg role="img" aria-label="{label}" '
        f'width="{left + weeks * _STEP}" height="{18 + 7 * _STEP}">{months}{names}{cells}</svg>'
        "</div>\n"
    )


def _cell(
    day: date, monday: date, left: int, counts: Counts, most: int, words: Mapping[str, str]
) -> str:
    number = counts.sessions.get(day, 0)
    x = left + (day - monday).days // 7 * _STEP
    y = 16 + day.weekday() * _STEP
    told = words["day"].format(day=day, count=number)
    return (
        f'<rect class="h{heat(number, most)}" x="{x}" y="{y}" width="{_CELL}" height="{_CELL}" '
        f'rx="2"><title>{told}</title></rect>'
    )


def _months(first: date, last: date, monday: date, left: int) -> Iterator[str]:
    day = first
    while day <= last:
        x = left + (day - monday).days // 7 * _STEP
        yield f'<text class="soft" x="{x}" y="10">{day:%m}</text>'
        day = (day.replace(day=1) + timedelta(days=31)).replace(day=1)


def _topics(topics: Topics) -> str:
    """Return a row of columns for each tag, all of one scale."""
    most = max(max(numbers) for numbers in topics.tags.values())
    periods = len(topics.periods)
    step = max(4, min(28, 720 // periods))
    height = 30
    rows = []
    for row, (tag, numbers) in enumerate(topics.tags.items()):
        top = row * (height + 10)
        rows.append(_name(tag, top + height - 4, end=sum(numbers)))
        for place, number in enumerate(numbers):
            tall = round(height * number / most, 1) if number else 0
            x = _NAME_PX + 40 + place * step
            told = f"{topics.periods[place]}: {number}"
            rows.append(
                f'<rect class="base" x="{x}" y="{top + height}" width="{step - 2}" height="1"/>'
                f'<rect class="bar" x="{x}" y="{top + height - tall}" width="{step - 2}" '
                f'height="{tall}"><title>{_in_picture(tag)} {told}</title></rect>'
            )
    total = len(topics.tags) * (height + 10)
    width = _NAME_PX + 40 + periods * step
    ends = (
        f'<text class="soft" x="{_NAME_PX + 40}" y="{total + 10}">{topics.periods[0]}</text>'
        f'<text class="soft" x="{max(width, _NAME_PX + 200)}" y="{total + 10}" text-anchor="end">'
        f"{topics.periods[-1]}</text>"
    )
    return _svg(max(width, _NAME_PX + 200), total + 16, "".join(rows) + ends)


def _bars(numbers: Sequence[tuple[str, int]], words: Mapping[str, str]) -> str:
    if not numbers:
        return "<p>0</p>\n"
    most = numbers[0][1]
    rows = []
    for row, (name, number) in enumerate(numbers[:_BARS]):
        y = row * _ROW_PX
        wide = max(2, round(_BAR_PX * number / most))
        rows.append(
            f'{_name(name, y + 14)}<rect class="bar" x="{_NAME_PX}" y="{y + 3}" width="{wide}" '
            f'height="14" rx="2"/><text x="{_NAME_PX + wide + 6}" y="{y + 14}">{number:,}</text>'
        )
    rest = len(numbers) - _BARS
    more = f"<p>{words['rest'].format(count=rest)}</p>\n" if rest > 0 else ""
    height = min(len(numbers), _BARS) * _ROW_PX
    return _svg(_NAME_PX + _BAR_PX + 60, height, "".join(rows), kind="fit") + more


def _name(name: str, y: float, end: int = 0) -> str:
    """Return a name at the left, and a number before the picture; all of a long name on hover."""
    line = " ".join(name.split())
    told = f"<title>{_in_picture(line)}</title>" if display_width(line) > _NAME_COLUMNS else ""
    number = (
        f'<text class="soft" x="{_NAME_PX + 34}" y="{y}" text-anchor="end">{end:,}</text>'
        if end
        else ""
    )
    return f'<text x="0" y="{y}">{told}{_in_picture(fitted(line, _NAME_COLUMNS))}</text>{number}'


def _in_picture(text: str) -> str:
    """Return text as it may stand in SVG, where an element of HTML would end the picture."""
    return shown(text).replace("<i>", "[").replace("</i>", "]")


def _svg(width: float, height: float, body: str, *, kind: str = "wide") -> str:
    return (
        f'<div class="scroll"><svg class="{kind}" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">{body}</svg></div>\n'
    )


def _stack(parts: Sequence[tuple[str, str, int]]) -> str:
    """Return numbers as parts of one bar, each with its class and words, and a line of them."""
    total = sum(number for _, _, number in parts) or 1
    x, rows = 0.0, []
    for kind, name, number in parts:
        wide = 400 * number / total
        rows.append(
            f'<rect class="{kind}" x="{x:.1f}" y="0" width="{wide:.1f}" height="18">'
            f"<title>{name}: {number}</title></rect>"
        )
        x += wide
    legend = " · ".join(
        f'<svg class="key" width="10" height="10" aria-hidden="true"><rect class="{kind}" '
        f'width="10" height="10"/></svg> {name} {number:,}'
        for kind, name, number in parts
    )
    return f"{_svg(400, 18, ''.join(rows), kind='fit')}<p>{legend}</p>\n"


def _quality(counts: Counts, words: Mapping[str, str], language: str) -> str:
    found = counts.quality
    parts = [
        ("good", words["good"], found.good),
        ("fair", words["fair"], found.fair),
        ("poor", words["poor"], found.poor),
    ]
    reasons = "".join(
        f'<tr><td class="n">{number:,}</td>'
        f"<td>{shown(quality.in_language(reason, language))}</td></tr>\n"
        for reason, number in ranked(found.reasons)
    )
    table = f"<table>{reasons}</table>\n" if reasons else ""
    return f"{_stack(parts)}<p>{words['mean'].format(mean=found.mean)}</p>\n{table}"


def _recall(recall: Recall, words: Mapping[str, str]) -> str:
    rows = [
        (words["conversations"], recall.conversations),
        (words["told"], recall.told),
        (words["recalled"], recall.sessions),
    ]
    table = "".join(
        f'<tr><td>{name}</td><td class="n">{number:,}</td></tr>\n' for name, number in rows
    )
    without = recall.sessions - recall.used - recall.unknown
    parts = [
        ("good", words["used"], recall.used),
        ("base", words["not_used"], without),
        ("fair", words["unknown"], recall.unknown),
    ]
    most = "".join(
        f'<tr><td class="id">{one.id}</td><td dir="auto">{shown(" ".join(one.topic.split()))}</td>'
        f'<td class="n">{one.told}</td><td class="n">{one.used}</td></tr>\n'
        for one in recall.most
    )
    head = (
        f'<tr><th colspan="2"></th><th class="n">{words["recalled"]}</th>'
        f'<th class="n">{words["used"]}</th></tr>\n'
    )
    listed = f"<h3>{words['most']}</h3>\n<table>{head}{most}</table>\n" if most else ""
    return f"<table>{table}</table>\n{_stack(parts)}<p>{words['recall_note']}</p>\n{listed}"


def _sizes(sizes: Mapping[str, int], words: Mapping[str, str]) -> str:
    rows = "".join(
        f'<tr><td>{words[name]}</td><td class="n">{sized(size)}</td></tr>\n'
        for name, size in sizes.items()
    )
    return f"<table>{rows}</table>\n"

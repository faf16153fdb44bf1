"""The report as one HTML page with charts: no script, nothing to load, light and dark."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from daily_memory.core.pages import html
from daily_memory.core.pages.html import shown
from daily_memory.core.pages.report import Counts
from daily_memory.core.pages.report_sections import (
    WORDS,
    Bar,
    Grid,
    ReportSection,
    level,
    sections,
    totals,
)


def page(counts: Counts, style: str) -> str:
    words = WORDS[counts.language]
    name = shown(counts.title)
    opening = html.opening(f"{name} · {words['report']}", counts.language, style, kind="report")
    period = words["range"].format(first=counts.start, last=counts.last)
    return f"""{opening}<header>
<h1 dir="auto">{name} <small>{words["report"]}</small></h1>
<p>{period}</p>
<dl>{boxes(counts)}</dl>
</header>
<main class="sections">
{body(counts)}</main>
<footer><p>{words["footer"]}</p></footer>
</body>
</html>
"""


def body(counts: Counts, address: Callable[[str, str], str] = lambda _kind, _name: "") -> str:
    """Return the sections as HTML.

    `address` gives an address for a kind (`tags`, `projects`, …) and a name, "" for no link.
    """
    return "".join(_section(section, address) for section in sections(counts, counts.language))


def boxes(counts: Counts) -> str:
    words = WORDS[counts.language]
    return "".join(
        f"<div><dt>{words[key]}</dt><dd>{number:,}</dd></div>"
        for key, number in totals(counts).items()
    )


def _section(section: ReportSection, address: Callable[[str, str], str]) -> str:
    most = max((bar.number for bar in section.bars), default=0)

    def link(name: str) -> str:
        return address(section.kind, name) if section.kind else ""

    bars = "".join(_bar(bar, most, link(bar.name)) for bar in section.bars)
    table = f'<table class="bars">{bars}</table>\n' if bars else ""
    grid = _grid(section.grid) if section.grid else ""
    notes = "".join(f"<p>{note}</p>\n" for note in section.notes)
    kind = "wide" if grid else ""
    return f'<section class="{kind}"><h2>{section.title}</h2>\n{grid}{table}{notes}</section>\n'


def _bar(bar: Bar, most: int, href: str) -> str:
    name = shown(" ".join(bar.name.split()))
    linked = f'<a href="{escape(href)}">{name}</a>' if href else name
    return (
        f'<tr><td dir="auto">{linked}</td><td><progress max="{most}" value="{bar.number}" '
        f'aria-hidden="true"></progress></td><td class="n">{bar.text}</td></tr>\n'
    )


def _grid(grid: Grid) -> str:
    labels = "".join(
        f'<th colspan="{span}">{label}</th>' if span > 1 else "<td></td>"
        for label, span in grid.header
    )
    rows = [f"<tr><td></td>{labels}</tr>\n"] if labels else []
    for name, cells in grid.rows:
        boxes = "".join(
            f'<td class="h{level(cell[1], grid.most)}" title="{cell[0]}: {cell[1]}"></td>'
            if cell
            else "<td></td>"
            for cell in cells
        )
        label = f"<th>{shown(' '.join(name.split()))}</th>" if name else "<td></td>"
        rows.append(f"<tr>{label}{boxes}</tr>\n")
    table = f'<table class="grid">{"".join(rows)}</table>'
    return f'<div class="scroll" tabindex="0">{table}</div>\n'

"""A report as one HTML page with pictures: no script, nothing to load, light and dark."""

from __future__ import annotations

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
    """Return the page in the language of the counts."""
    words = WORDS[counts.language]
    name = shown(counts.title)
    boxes = "".join(
        f"<div><dt>{words[key]}</dt><dd>{number:,}</dd></div>"
        for key, number in totals(counts).items()
    )
    opening = html.opening(f"{name} · {words['report']}", counts.language, style, kind="report")
    period = words["range"].format(first=counts.first, last=counts.last)
    return f"""{opening}<header>
<h1 dir="auto">{name} <small>{words["report"]}</small></h1>
<p>{period}</p>
<dl>{boxes}</dl>
</header>
<main>
{"".join(map(_section, sections(counts, counts.language)))}</main>
<footer><p>{words["footer"]}</p></footer>
</body>
</html>
"""


def _section(section: ReportSection) -> str:
    most = max((bar.number for bar in section.bars), default=0)
    bars = "".join(_bar(bar, most) for bar in section.bars)
    table = f'<table class="bars">{bars}</table>\n' if bars else ""
    grid = _grid(section.grid) if section.grid else ""
    notes = "".join(f"<p>{note}</p>\n" for note in section.notes)
    kind = "wide" if grid else ""
    return f'<section class="{kind}"><h2>{section.title}</h2>\n{grid}{table}{notes}</section>\n'


def _bar(bar: Bar, most: int) -> str:
    return (
        f'<tr><td dir="auto">{shown(" ".join(bar.name.split()))}</td><td><progress max="{most}" '
        f'value="{bar.number}"></progress></td><td class="n">{bar.text}</td></tr>\n'
    )


def _grid(grid: Grid) -> str:
    labels = "".join(
        f'<th colspan="{span}">{label if span > 1 else ""}</th>' for label, span in grid.header
    )
    rows = [f"<tr><th></th>{labels}</tr>\n"] if labels else []
    for name, cells in grid.rows:
        boxes = (
            f'<td class="h{level(cell[1], grid.most)}" title="{cell[0]}: {cell[1]}"></td>'
            if cell
            else "<td></td>"
            for cell in cells
        )
        rows.append(f"<tr><th>{shown(' '.join(name.split()))}</th>{''.join(boxes)}</tr>\n")
    return f'<div class="scroll"><table class="grid">{"".join(rows)}</table></div>\n'

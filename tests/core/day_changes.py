"""Days as people and programs change them on two branches, for tests of merging."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import strategies as st

TITLE = "# 2026-01-29 对话记忆\n"
CODE = '### 代码/配置\n```json\n{\n  "a": 1\n}\n```\n\n'
WORDS = (
    "缓存 TTL",
    "改用 FastAPI",
    "rotate the key",
    "部署到 staging",
    "🚀 release",
    "---",
    "C# 设计",
)


class Made(NamedTuple):
    """A section as it was made: its `mark` stands in no other one."""

    number: int
    time: str
    mark: str
    lines: tuple[str, ...]
    has_code: bool
    is_closed: bool = True

    @property
    def core(self) -> str:
        """What must stand in the outcome to the byte, whatever the number."""
        code = CODE if self.has_code else ""
        points = "".join(f"- {line} {self.mark}\n" for line in self.lines)
        end = "### 标签\n#共同\n\n---" if self.is_closed else "### 标签\n#共同"
        return f"\n\n### 主题\n{self.mark}\n\n### 关键信息\n{points}\n{code}{end}"

    @property
    def text(self) -> str:
        """The section, without the last line end."""
        time = f" - {self.time}" if self.time else ""
        return f"## Session {self.number}{time}{self.core}"


def day(sections: list[Made], title: str = TITLE) -> str:
    """Return a day file with these sections."""
    return "\n\n".join([title.rstrip("\n"), *(section.text for section in sections)]) + "\n"


class Branch(NamedTuple):
    """What became of a day on one branch."""

    sections: tuple[Made, ...]
    kept: tuple[str, ...]
    edited: tuple[str, ...]
    added: tuple[Made, ...]


_MARKS = st.uuids(version=4).map(lambda value: value.hex[:12])


@st.composite
def made(draw: st.DrawFn, number: int) -> Made:
    minute = draw(st.integers(0, 5))
    time = draw(st.sampled_from([f"10:0{minute}:00", f"10:0{minute}", f"9:0{minute}:30", ""]))
    lines = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3))
    return Made(number, time, draw(_MARKS), tuple(lines), draw(st.booleans()), draw(st.booleans()))


@st.composite
def bases(draw: st.DrawFn, most: int = 4) -> list[Made]:
    return [draw(made(number)) for number in range(1, draw(st.integers(0, most)) + 1)]


@st.composite
def branches(draw: st.DrawFn, base: list[Made]) -> Branch:
    """Some sections taken out, some edited, some put in, at the end or between."""
    sections, kept, edited = [], [], []
    for section in base:
        fate = draw(st.sampled_from(("keep", "keep", "keep", "edit", "delete")))
        if fate == "edit":
            lines = (*section.lines, draw(_MARKS))
            sections.append(section._replace(lines=lines))
            edited.append(lines[-1])
        elif fate == "keep":
            sections.append(section)
        if fate != "delete":
            kept.append(section.mark)
    added = []
    number = max((section.number for section in base), default=0)
    for offset in range(draw(st.integers(0, 3))):
        section = draw(made(number + offset + 1))
        added.append(section)
        at = draw(st.sampled_from([len(sections), len(sections), 0]))
        sections.insert(at, section)
    return Branch(tuple(sections), tuple(kept), tuple(edited), tuple(added))


# What people and git make of a file, right or wrong.
LINES = st.sampled_from(
    [
        "## Session 1 - 10:00",
        "## Session 2",
        "## 会话 2 - 10:01:00",
        "---",
        "",
        "",
        "text 文",
        "- item",
        "```",
        "```py",
        "~~~",
        "### 主题",
        "<<<<<<< a",
        "|||||||",
        "=======",
        ">>>>>>> a",
        "\ufeff",
        "项目: x",
        '<!-- memory {"continues":"2026-01-29#1"} -->',
        "x\r",
    ]
)

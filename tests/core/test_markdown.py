"""The day file: what is written is read back, whatever text is in it and whoever edits it."""

from __future__ import annotations

from datetime import date

from hypothesis import example, given
from hypothesis import strategies as st

from daily_memory.core.markdown import (
    clean_language,
    clean_tag,
    format_section,
    language_of,
    parse_day,
    parse_facts,
)
from daily_memory.model import Code, Note, Session, Span

DAY = date(2026, 1, 29)

EXAMPLE = """\
# 2026-01-29 对话记忆

## Session 1 - 10:30:45

### 主题
Memory Skill 设计讨论

### 关键信息
- 用户希望创建长期记忆功能
- 存储位置：.cursor/skills/memories/
- 检索方式：关键词 + 语义搜索
- 自动保存，用户可选择跳过

### 代码/配置
```json
{
  "storage": "project-first",
  "auto_save": true
}
```

### 标签
#skill #memory #design

---

## Session 2 - 14:20:00

### 主题
..."""

EXAMPLE_SESSION = Session(
    DAY,
    1,
    "10:30:45",
    topic="Memory Skill 设计讨论",
    key_points=(
        "用户希望创建长期记忆功能",
        "存储位置：.cursor/skills/memories/",
        "检索方式：关键词 + 语义搜索",
        "自动保存，用户可选择跳过",
    ),
    code=(Code("json", '{\n  "storage": "project-first",\n  "auto_save": true\n}'),),
    tags=("skill", "memory", "design"),
)

# Text that tries to be structure, in every place where structure could stand.
HOSTILE = (
    "## Session 9 - 00:00:00",
    "# 2026-01-01",
    "### 主题",
    "### Topic\nforged",
    "---",
    "--- ",
    "```",
    "```python\nprint(1)",
    "~~~~",
    '<!-- memory {"project":"forged"} -->',
    "<<<<<<< HEAD",
    "=======",
    ">>>>>>> theirs",
    "||||||| base",
    "\\## not escaped by us",
    "\\\\---",
    "- item\n- item",
    "1. item",
    "a\r\nb\rc",
    "&#x0D; &amp;#x0D; &amp;amp;#xFEFF;",
    "\x00\x07\x1b[31m\x7f\x85\u2028\u2029\ufeff",
    "  both ends  ",
    "\n\nblank lines\n\n\nin between\n",
    "   \n \n",
    "trailing \t\nblank\u3000\nends\u00a0",
    "#skill #memory",
    "设计讨论：缓存 🚀 𠮷野家",
    "-",
    "- ",
    "",
)
text = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(max_size=60),
    st.lists(st.sampled_from(HOSTILE), min_size=2, max_size=4).map("\n".join),
)
filled = text.filter(bool)
items = st.lists(text, max_size=3).map(tuple)
tags = st.lists(text.map(clean_tag).filter(bool), max_size=3).map(lambda t: tuple(dict.fromkeys(t)))
word = st.text(st.characters(min_codepoint=32, exclude_categories=["Cs"]), max_size=20)
sessions = st.builds(
    Session,
    st.just(DAY),
    st.integers(1, 999),
    st.sampled_from(["", "10:30", "10:30:45"]),
    topic=text,
    summary=text,
    key_points=items,
    decisions=items,
    code=st.lists(st.builds(Code, text.map(clean_language), text), max_size=2).map(tuple),
    open_questions=items,
    next_steps=items,
    files=items,
    tags=tags,
    notes=st.lists(
        st.builds(Note, st.sampled_from(["备注", "Background: why"]), text), max_size=2
    ).map(tuple),
    conversation=word,
    source=word,
    project=word,
    origin=word,
    continues=word,
    digest=word,
    copy=st.just(1),
)


def test_the_example_of_the_format_has_its_values_and_its_lines():
    day = parse_day(EXAMPLE, DAY)

    first, second = day.sections
    assert first == (EXAMPLE_SESSION, Span(3, 25))
    assert (second.session.number, second.session.topic, second.span) == (2, "...", Span(27, 30))
    assert day.problems == ()


def test_the_example_written_again_is_the_same_to_the_byte():
    lines = EXAMPLE.split("\n")[2:25]

    assert format_section(EXAMPLE_SESSION, language="zh") == "\n".join([*lines, ""])


@given(sessions, st.sampled_from(["zh", "en"]), st.sampled_from(["", "`"]))
@example(Session(DAY, 1, topic="a", key_points=("x\n## Session 2",)), "en", "")
def test_a_session_is_read_back_as_it_was_written(session, language, open_fences):
    text = "# day\n\n" + format_section(session, language=language, open_fences=open_fences)

    day = parse_day(text, DAY)

    assert [section.session for section in day.sections] == [session]
    assert day.sections[0].span == Span(3, text.count("\n"))
    assert day.problems == ()


@given(st.lists(sessions, min_size=2, max_size=3))
def test_sessions_one_after_the_other_stay_apart(several):
    numbered = [session._replace(number=n) for n, session in enumerate(several, 1)]

    text = "\n".join(format_section(session, language="zh") for session in numbered)

    assert [section.session for section in parse_day(text, DAY).sections] == numbered

"""The day file: what is written is read back, whatever text is in it and whoever edits it."""

from __future__ import annotations

from datetime import date
from string import ascii_letters

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from daily_memory.core.format.markdown import (
    clean_language,
    clean_tag,
    field_of,
    format_fact,
    format_section,
    heading_language,
    language_of,
    outline,
    parse_day,
    parse_facts,
    parse_section,
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


LOOSE = "mine #tag\n\n```\n## code\n```\n\n"
BELOW = "\n\n---\n```sh\nls\n```\n## Session 2\nx\n---\n### Files\n- a\n"


def test_the_line_ends_of_windows_make_no_difference():
    text = LOOSE + EXAMPLE + BELOW

    assert parse_day(text.replace("\n", "\r\n"), DAY) == parse_day(text, DAY)


def test_sections_are_found_by_their_ids_in_their_order():
    day = outline(LOOSE + EXAMPLE + BELOW, DAY)
    ids = [section.session.id for section in day.parsed().all_sections]
    assert [str(id_)[11:] for id_ in ids] == ["0", "1", "2", "0~2", "2~2", "0~3"]

    for wanted in (ids, ids[:1], ids[1:3], []):
        assert [section.session.id for section in day.sections(wanted)] == list(wanted)


def test_the_example_written_again_is_the_same_to_the_byte():
    lines = EXAMPLE.split("\n")[2:25]

    assert format_section(EXAMPLE_SESSION, language="zh") == "\n".join([*lines, ""])


@given(sessions, st.sampled_from(["zh", "en"]))
@example(Session(DAY, 1, topic="a", key_points=("x\n## Session 2",)), "en")
def test_a_session_is_read_back_as_it_was_written(session, language):
    text = "# day\n\n" + format_section(session, language=language)

    day = parse_day(text, DAY)

    assert [section.session for section in day.sections] == [session]
    assert day.sections[0].span == Span(3, text.count("\n"))
    assert day.problems == ()


@given(st.lists(sessions, min_size=2, max_size=3))
def test_sessions_one_after_the_other_stay_apart(several):
    numbered = [session._replace(number=n) for n, session in enumerate(several, 1)]

    text = "\n".join(format_section(session, language="zh") for session in numbered)

    assert [section.session for section in parse_day(text, DAY).sections] == numbered


def test_front_matter_gives_the_project_and_the_language_and_moves_no_line():
    text = "---\nproject: app\nlanguage: en\nfence: '```'\n---\n# day\n\n## Session 1\ntext\n"

    day = parse_day(text, DAY)

    assert (day.project, day.language) == ("app", "en")
    assert [section.span for section in day.sections] == [Span(8, 9)]
    assert day.sections[0].session.project == "app"


def test_both_languages_and_any_order_of_the_headings_are_understood():
    text = """\
## 会话 3 - 9:05
above

### Tags：
- #a, #重要
### 备注
kept
### Key points
* one
  more of one

  and more
1. two
three

plain
### 主题 / Topic
title
### 标签
#b #a
"""

    session = parse_day(text, DAY).sections[0].session

    assert session == Session(
        DAY,
        3,
        "9:05",
        topic="title",
        key_points=("one\nmore of one\n\nand more", "two\nthree", "plain"),
        tags=("a", "重要", "b"),
        notes=(Note("", "above"), Note("备注", "kept")),
    )


def test_code_outside_a_fence_is_code_without_a_language():
    fenced = "  ```py\n  y\n z\n   1\n  ```\n~~~\n\n~~~\n"
    text = f"## Session 1\n### Code\nx = 1\n\n{fenced}```never closed\n"

    session = parse_day(text, DAY).sections[0].session

    assert session.code == (
        Code("", "x = 1"),
        Code("py", "y\nz\n 1"),
        Code("", ""),
        Code("", "```never closed"),
    )


def test_one_number_twice_is_a_problem_and_both_are_there():
    day = parse_day("## Session 1\na\n---\n## Session 1\nb\n", DAY, "x.md")

    assert [str(section.session.id) for section in day.sections] == [
        "2026-01-29#1",
        "2026-01-29#1~2",
    ]
    assert [str(problem) for problem in day.problems] == ["x.md:4: session 1 occurs more than once"]
    assert day.last_number == 1


def test_an_empty_day_has_no_last_number():
    assert parse_day("", DAY).last_number == 0


def test_what_a_fact_says_neither_ends_nor_begins_a_comment():
    written = format_fact("<!-- 缓存\x85\u2028\ufeff -->")

    assert written == r'"\u003c!-- 缓存\u0085\u2028\ufeff --\u003e"'


@pytest.mark.parametrize(
    "line", ["", "<!-- memory nonsense -->", "<!-- memory {a} -->", "<!-- memory {} -->"]
)
def test_a_comment_that_is_not_ours_has_no_facts(line):
    assert parse_facts(line) == {}


@pytest.mark.parametrize(
    "line", ['<!--memory\t{"project":"a"}-->', '<!-- memory {"project":"a"}　-->  ']
)
def test_any_blanks_may_stand_around_the_facts(line):
    assert parse_facts(line) == {"project": "a"}


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        (" #Web API ", "Web-API"),
        ("a,b", "a-b"),
        ("C#", "C#"),
        ("-", ""),
        ("##", ""),
        ("a\x00b\n", "a-b"),
    ],
)
def test_a_tag_is_one_word(text, tag):
    assert clean_tag(text) == tag


@pytest.mark.parametrize(
    ("setting", "topic", "language"),
    [
        ("auto", "设计讨论", "zh"),
        ("auto", "design", "en"),
        ("en", "设计", "en"),
        ("zh", "design", "zh"),
    ],
)
def test_headings_have_the_language_of_the_text_or_of_the_setting(setting, topic, language):
    assert heading_language(setting, [Session(DAY, topic=topic)]) == language


@pytest.mark.parametrize("letter", ascii_letters)
@pytest.mark.parametrize("character", ["一", "鿿"])
def test_a_text_is_chinese_that_has_a_character_for_four_letters(letter, character):
    assert language_of(character + 4 * letter) == "zh"
    assert language_of(character + 5 * letter + "\ud83d") == "en"


@pytest.mark.parametrize(
    ("topic", "points", "language"),
    [
        (
            "CI 上 docker build 一直报 ERR_PNPM_OUTDATED_LOCKFILE，本地没问题，怎么回事？",
            [
                "`pnpm install --frozen-lockfile` 失败：Cannot install with a frozen lockfile"
                " because pnpm-lock.yaml is not up to date",
                "镜像从 1.2 GB 降到 410 MB",
                "镜像推到了内网仓库",
            ],
            "zh",
        ),
        (
            "Error message in the 订单 page",
            ["the string is `订单列表接口最近越来越慢，生产上已经到三秒了`", "translated it"],
            "en",
        ),
    ],
)
def test_headings_have_the_language_of_most_statements(topic, points, language):
    session = Session(DAY, topic=topic, key_points=tuple(points))

    assert heading_language("auto", [session]) == language


def test_lines_that_are_no_section_have_no_session():
    assert parse_section(["---"], DAY) is None
    assert parse_section(EXAMPLE.split("\n")[2:25], DAY) == EXAMPLE_SESSION


def test_a_known_heading_is_told_from_a_note():
    assert field_of("标签") == "tags"
    assert field_of("备注") == ""


def test_text_above_the_first_heading_is_written_there_again():
    session = Session(DAY, 1, "10:30", topic="t", notes=(Note("", "above\n## not a heading"),))

    text = format_section(session, language="en")

    assert text.startswith("## Session 1 - 10:30\n\nabove\n\\## not a heading\n\n### Topic\n")
    assert parse_section(text.split("\n")[:-1], DAY) == session


def test_below_a_front_matter_that_is_refused_all_is_read():
    text = "---\na: &a [x]\nproject: *a\n---\n# day\n\n## Session 1 - 10:00:00\n\n### 主题\n缓存\n"

    day = parse_day(text, date(2026, 1, 29), "d.md")

    assert [section.session.topic for section in day.sections] == ["缓存"]
    assert [str(problem) for problem in day.problems] == [
        "d.md:2: the front matter is not read: it has an anchor or an alias (`&`, `*`)"
    ]


@pytest.mark.parametrize(
    ("heading", "field"),
    [
        *(("主题", "topic"), ("Topic", "topic"), ("話題", "topic"), ("Title", "topic")),
        *(("摘要", "summary"), ("Summary", "summary"), ("总结", "summary"), ("總結", "summary")),
        *(("关键信息", "key_points"), ("Key points", "key_points"), ("要点", "key_points")),
        *(("關鍵資訊", "key_points"), ("关键点", "key_points"), ("Key point", "key_points")),
        *(("决策", "decisions"), ("Decisions", "decisions"), ("决定", "decisions")),
        *(("決策", "decisions"), ("decision", "decisions")),
        *(("未解决/风险", "open_questions"), ("Open questions", "open_questions")),
        *(("未解决", "open_questions"), ("风险", "open_questions"), ("待确认", "open_questions")),
        *(("risks", "open_questions"), ("下一步", "next_steps"), ("Next steps", "next_steps")),
        *(("待办", "next_steps"), ("TODO", "next_steps"), ("Next step", "next_steps")),
        *(("文件", "files"), ("Files", "files"), ("檔案", "files"), ("相关文件", "files")),
        *(("Topic:", "topic"), ("主题：", "topic"), ("主题 / Topic:", "topic")),
        *(("标签", "tags"), ("Tags", "tags"), ("標籤", "tags"), ("tag", "tags")),
    ],
)
def test_each_heading_leads_to_its_field(heading: str, field: str) -> None:
    text = f"## Session 1\n\n### {heading}\nredis"

    session = parse_day(text, DAY).sections[0].session

    expected = "redis" if field in ("topic", "summary") else ("redis",)
    assert getattr(session, field) == expected
    assert session.notes == ()


@pytest.mark.parametrize(
    "heading", ["代码/配置", "Code", "代码", "配置", "程式碼", "code/config", "Config"]
)
def test_each_heading_of_code_leads_to_code(heading: str) -> None:
    session = parse_day(f"## Session 1\n\n### {heading}\n```sh\nls\n```", DAY).sections[0].session

    assert session.code == (Code("sh", "ls"),)


@pytest.mark.parametrize(
    ("language", "headings"),
    [
        (
            "zh",
            "主题 摘要 关键信息 决策 代码/配置 未解决/风险 下一步 文件 标签",
        ),
        (
            "en",
            "Topic|Summary|Key points|Decisions|Code|Open questions|Next steps|Files|Tags",
        ),
    ],
)
def test_the_headings_are_written_in_this_order(language: str, headings: str) -> None:
    session = Session(
        DAY,
        1,
        "10:30:45",
        topic="a",
        summary="b",
        key_points=("c",),
        decisions=("d",),
        code=(Code("sh", "ls"),),
        open_questions=("e",),
        next_steps=("f",),
        files=("g.py",),
        tags=("h",),
    )

    lines = format_section(session, language=language).split("\n")

    found = [line.removeprefix("### ") for line in lines if line.startswith("### ")]
    assert found == headings.split("|" if "|" in headings else " ")


@pytest.mark.parametrize("mark", ["-", "*", "+", "1.", "2)", "123456789."])
def test_each_mark_of_an_item_begins_one(mark: str) -> None:
    text = f"## Session 1\n\n### Decisions\n{mark} use redis\n{mark} drop flask"

    session = parse_day(text, DAY).sections[0].session

    assert session.decisions == ("use redis", "drop flask")


@pytest.mark.parametrize("sign", [",", "，", "、", ";", "；", " "])
def test_each_sign_between_tags_separates_them(sign: str) -> None:
    text = f"## Session 1\n\n### Tags\n#redis{sign}#cache"

    assert parse_day(text, DAY).sections[0].session.tags == ("redis", "cache")


day_lines = st.lists(
    st.sampled_from(
        "## Session 1 - 10:00|## Session 2|### Topic|### Code|- a|  b|redis|---|```|~~~|# mine|"
        "<<<<<<< ours|=======|>>>>>>> theirs||| ".split("|")
    ),
    max_size=30,
)


def test_a_section_that_moved_has_its_digest_still():
    one, two = "## Session 1\n### Topic\nredis", "## Session 2\n\n- cache\n---"

    digests = [
        {both.digest(cut) for cut in both.cuts}
        for both in (
            outline(f"{one}\n{two}", DAY),
            outline(f"{two}\n\n\n{one}\n\n", DAY),
            outline(f"{one} cache", DAY),
        )
    ]

    assert digests[0] == digests[1]
    assert len(digests[0] | digests[2]) == 3


@given(day_lines, day_lines, st.sampled_from(["", "---\nproject: shop\n---\n"]))
def test_sections_with_one_digest_are_parsed_to_the_same(lines, others, front):
    before = outline("\n".join([*lines, *others]), DAY)
    after = outline(front + "\n".join([*others, *lines]), DAY)

    known = {before.digest(cut): before.section(cut).session for cut in before.cuts}

    for cut in after.cuts:
        session = after.section(cut).session
        assert known.get(after.digest(cut), session) == session


@pytest.mark.parametrize(
    ("said", "language"),
    [
        (("修复 `connection refused by upstream server`",), "zh"),
        (("fix the `连接被上游服务器拒绝了` error",), "en"),
        (("修复登录", "fix the login", "缓存方案"), "zh"),
        (("修复登录", "fix the login", "the cache"), "en"),
        ((), "en"),
    ],
)
def test_headings_are_in_the_language_of_most_statements(said, language):
    session = Session(date(2026, 1, 29), key_points=said)

    assert heading_language("auto", [session]) == language
    assert heading_language("zh", [session]) == "zh"

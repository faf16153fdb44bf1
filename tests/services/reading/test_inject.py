"""The context block: what matters, what is recent, and nothing where nothing fits."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from daily_memory import InvalidInputError

SESSION = {
    "topic": "Redis 缓存方案",
    "summary": "why and how",
    "key_points": ["TTL 定为 300 秒"],
    "decisions": ["use Redis"],
    "open_questions": ["how large?"],
    "next_steps": ["monitor"],
    "files": ["src/cache.py"],
    "code": [{"language": "py", "text": "TTL = 300"}],
    "notes": [{"heading": "背景", "text": "reports"}],
    "tags": ["redis"],
}


def test_a_block_holds_what_is_relevant(memory):
    memory.save(SESSION)
    memory.save({"topic": "Replace Flask by FastAPI", "tags": ["api"]})

    injection = memory.inject("redis 缓存")

    assert injection.ids == ("2026-01-29#1",)
    for line in (
        "| # Redis 缓存方案",
        "| why and how",
        "| reports",
        "| - TTL 定为 300 秒",
        "| - decided: use Redis",
        "| - open: how large?",
        "| - next: monitor",
        "| TTL = 300",
        "| files: src/cache.py (gone)",
    ):
        assert f"\n{line}\n" in injection.text
    assert injection.text.endswith(">\n")


@pytest.mark.parametrize(
    ("question", "ids"),
    [
        ("上次我们讨论的缓存方案", ("2026-01-29#1",)),
        ("登录页要怎么处理浏览器缓存", ()),
        ("2026-01-29", ("2026-01-29#1",)),
        ("今天做了什么", ("2026-01-29#1",)),
        ("what did we do yesterday?", ()),
    ],
)
def test_what_was_said_before_is_told_to_whoever_asks_for_it(memory, question, ids):
    memory.save({"topic": "报表", "key_points": ["缓存 300 秒", "导出用游标", "图表改成折线"]})

    assert memory.inject(question).ids == ids


def test_nothing_relevant_is_no_block(memory):
    memory.save(SESSION)

    assert memory.inject("kubernetes ingress").text == ""


def test_without_a_question_the_last_conversation_comes_first_then_the_important(memory):
    memory.save({"topic": "first", "tags": ["a"]})
    memory.save({"topic": "second", "tags": ["a"], "important": True})
    memory.save({"topic": "third", "tags": ["a"]})
    memory.save({"topic": "a note", "tags": ["a"], "source": "note"})
    memory.save({"topic": "hidden", "tags": ["a", "private"]})
    memory.save({"topic": "stale", "tags": ["a", "outdated"]})

    ids = [f"2026-01-29#{number}" for number in (3, 2, 4, 1)]
    assert list(memory.inject().ids) == ids


@pytest.mark.parametrize(
    "prompt", ["继续上次没做完的", "pick up where we stopped", "what was I doing?"]
)
def test_a_prompt_that_only_goes_on_gets_the_last_conversation_its_open_ends_first(memory, prompt):
    memory.setup.init("project")
    path = Path(memory.workspace.project_root.path, "summary.md")
    path.write_text(path.read_text() + "\n- 我们用 pnpm\n")
    memory.save({"topic": "first", "key_points": ["x"], "important": True})
    memory.save({**SESSION, "open_questions": ["how large?"], "next_steps": ["monitor"]})

    text = memory.inject(prompt).text

    parts = ("# Redis", "- open: how large?", "- next: monitor", "- TTL", "# first", "我们用 pnpm")
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


def test_a_conversation_that_was_compacted_is_told_of_itself_first(memory):
    for name in ("own", "other"):
        memory.save({"topic": f"of {name}", "key_points": ["x"], "conversation": name})

    text = memory.inject(resumed="own").text

    assert text.index("# of own") < text.index("# of other")


def test_an_empty_project_is_told_what_is_recent_everywhere(memory):
    memory.setup.init("project")
    memory.save({"topic": "everywhere", "tags": ["a"]}, scope="global")

    assert "| everywhere" in memory.inject().text
    assert memory.in_folder(memory.project).inject(scope="project").text == ""


def test_a_summary_written_by_hand_comes_first(memory):
    memory.setup.init("project")
    path = Path(memory.workspace.project_root.path, "summary.md")
    path.write_text(path.read_text() + "\n- 我们用 pnpm\n")
    memory.save(SESSION)

    text = memory.inject("redis").text

    assert text.index("| - 我们用 pnpm") < text.index("| # Redis")
    assert "每个新对话" not in text


def test_the_block_keeps_to_its_length(memory):
    for number in range(20):
        memory.save({**SESSION, "topic": f"Redis {number}", "key_points": ["缓存 redis " * 40]})

    injection = memory.inject("redis", max_chars=1500)

    assert len(injection.text) <= 1500
    assert 0 < len(injection.ids) < 20
    with pytest.raises(InvalidInputError):
        memory.inject("redis", max_chars=100)


def test_a_summary_that_is_no_file_costs_only_the_summary(memory):
    memory.save({"topic": "Redis 缓存", "key_points": ["TTL 300 s"]})
    os.mkfifo(os.path.join(memory.workspace.project_root.path, "summary.md"))

    injection = memory.inject("redis")

    assert "TTL 300 s" in injection.text
    assert injection.warnings[0].startswith("the summary was not used")


def test_a_day_to_come_is_not_told_first(memory, day_file, clock):
    memory.save({"topic": "今天的缓存方案"})
    for day in ("9930-12-31", "2027-01-01", "2026-01-31"):
        day_file(f"# {day}\n\n## Session 1\n### Topic\nof {day}\n\n---\n", f"{day}.md")
    day_file("# 2026-01-30\n\n## Session 1\n### Topic\ntomorrow\n\n---\n", "2026-01-30.md")

    told = memory.inject().text

    assert told.index("tomorrow") < told.index("今天的缓存方案")
    assert "of 9930" not in told
    assert "of 2026-01-31" not in told
    assert memory.search("9930").hits
    named = [
        one
        for one in memory.doctor()[memory.workspace.save_root().path].remarks
        if "is in the future" in one.message
    ]
    assert [one.path[-13:] for one in named] == ["2026-01-31.md", "2027-01-01.md", "9930-12-31.md"]
    clock.now = clock.now.replace(year=9999, month=12, day=31)
    assert "of 9930" in memory.inject().text


def test_of_a_session_that_was_cut_the_rest_is_told_when_asked_for(memory):
    points = [
        f"module {n} of the shop took {n * 7} ms in the load test, " + "x" * 60 for n in range(30)
    ]
    memory.save({"topic": "shop", "key_points": [*points, "billing listens on port 7443"]})
    start = memory.inject()

    later = memory.inject("which port has billing?", known=frozenset(start.marks))

    assert "7443" not in start.text
    assert "| - billing listens on port 7443\n" in later.text
    assert not [line for line in later.text.split("\n") if line in start.text and "module" in line]


def test_an_old_note_is_told_with_the_newer_one_that_the_summary_holds(memory):
    memory.add("redis TTL is 300 s")
    memory.add("redis TTL is 600 s")
    memory.summarize()

    told = memory.inject().text

    assert "| redis TTL is 300 s (until 2026-01-29, now: 2026-01-29#2)\n" in told
    assert "| redis TTL is 600 s" not in told


def test_a_note_is_told_where_the_summary_that_holds_it_is_cut(memory):
    memory.add("redis TTL is 300 s")
    memory.summarize()
    path = memory.roots[0].path + "/summary.md"
    held = Path(path).read_text(encoding="utf-8")
    own = "".join(f"- rule {n} of the house: all is well and good, always\n" for n in range(90))
    Path(path).write_text(f"{own}\n{held}", encoding="utf-8")

    assert memory.inject().text.count("| redis TTL is 300 s") == 1


def test_of_a_long_note_the_rest_is_told_when_asked_for(memory):
    rules = [f"The service of team {n} writes its log once a day. " for n in range(14)]
    memory.add("".join(rules) + "Billing listens on port 7443.")
    start = memory.inject()

    later = memory.inject("which port has billing?", known=frozenset(start.marks))

    assert "7443" not in start.text
    assert "Billing listens on port 7443." in later.text


def test_a_note_that_the_summary_tells_is_told_once(memory):
    memory.add("we use pnpm, not npm #tooling")
    memory.summarize()

    injection = memory.inject()

    assert injection.ids == ("summary",)
    assert injection.text.count("pnpm") == 1


def test_of_the_last_conversation_a_whole_brief_digest_is_told_its_decisions_before_its_points(
    memory,
):
    points = [f"point {n} of the shop: {'x' * 80}" for n in range(16)]
    last = {"conversation": "c1", "decisions": ["use Redis"], "files": ["cache.py"]}
    memory.save({"topic": "shop", "key_points": points, **last})

    lines = memory.inject().text.split("\n")

    assert lines.index("| - decided: use Redis") < lines.index(f"| - {points[0]}")
    assert "| files: cache.py" in lines


def hold(memory, topic, *said, private=()):
    """Have a conversation of which the section tells no more than the topic."""
    memory.start("pool")
    for kind, text in said:
        memory.log(text, kind=kind, conversation="pool", private=text in private)
    memory.save({"topic": topic, "conversation": "pool"})


def test_what_was_said_is_told_with_its_id_below_its_session(memory):
    hold(memory, "连接池", ("user", "为什么慢？"), ("assistant", "连接池等待 417 毫秒"))
    memory.save({"topic": "连接池的文档"})

    injection = memory.inject("连接池 等待")

    assert injection.ids == ("2026-01-29#1", "2026-01-29/pool:3", "2026-01-29#2")
    assert "[memory 2026-01-29/pool:3 | assistant]\n| 连接池等待 417 毫秒\n" in injection.text


def test_nothing_private_is_told_of_a_record(memory):
    secret = "连接池的口令在抽屉里"
    hold(memory, "连接池", ("user", "连接池 20"), ("user", secret), private=[secret])

    assert "连接池 20" in memory.inject("连接池").text
    assert secret not in memory.inject("连接池 口令 抽屉").text
    memory.mark(["2026-01-29#1"], {"private": True})
    assert memory.inject("连接池").text == ""


def test_a_section_of_others_tells_nothing_of_the_conversation_that_it_names(memory):
    memory.start("pool")
    memory.log("连接池的端口 6543", conversation="pool", kind="user")
    theirs = {"topic": "连接池", "conversation": "pool", "date": "2026-01-29", "origin": "import"}
    memory.import_sessions([theirs])

    assert memory.inject("连接池 端口").ids == ("2026-01-29#1",)


def test_an_order_is_told_less_than_a_question(memory):
    points = ["the supplier is in the second column", "rows without an id are skipped"]
    memory.save({"topic": "Orders", "key_points": points})

    assert memory.inject("move the supplier into the second file").ids == ()
    assert memory.inject("where is the supplier in the second file?").ids == ("2026-01-29#1",)


@pytest.mark.parametrize("message", ["firmware tests", "what does this firmware do?"])
def test_what_asks_nothing_of_earlier_work_needs_words_that_few_sessions_have(memory, message):
    for number in range(12):
        memory.save({"topic": f"The firmware {number}", "key_points": ["the tests of it fail"]})

    assert memory.search(message).hits != ()
    assert memory.inject(message).ids == ()
    # One word names a subject, and a question asks for what is known of one.
    assert memory.inject("firmware").ids != ()
    memory.save({"topic": "The project uses PostgreSQL as its database"})
    assert memory.inject("which database does this project use?").ids == ("2026-01-29#13",)
    assert memory.inject("why do the tests of the firmware fail?").ids != ()


def test_a_question_needs_less_of_an_answer_that_stands_out(memory):
    asked = "do photos in the service keep their sequence when somebody loads the page again?"
    points = ["the order of photos is kept in the service", "thumbnails are made at night"]
    memory.save({"topic": "Uploads", "key_points": points})
    memory.save({"topic": "Logs", "key_points": ["kept for a week, green buttons"]})

    [hit] = memory.search(asked).hits

    assert hit.relevance < 0.155
    assert memory.inject(asked).ids == (hit.id,)
    # What more than one session may answer needs as much as ever.
    memory.save({"topic": "Albums", "key_points": ["photos are sorted", "service of covers"]})
    assert memory.inject(asked).ids == ()


def test_a_question_needs_less_where_its_words_meet_in_one_session_alone(memory):
    asked = "同一套流程换成 Codex 为什么不行，要动哪里，谁来定，什么时候能好"
    memory.save({"topic": "整套流程给 Codex 跑，效果很差", "key_points": ["上下文不会自动加载"]})
    for number in range(8):
        memory.save({"topic": f"界面为什么不行 {number}", "key_points": ["先重做按钮"]})
    memory.save({"topic": "换成新的界面流程", "key_points": ["要动按钮"]})

    first, second = memory.search(asked).hits

    # It does not stand out by how much of the question it has.
    assert second.relevance > first.relevance - 0.02
    assert first.relevance < 0.155
    assert memory.inject(asked).ids[0] == first.id == "2026-01-29#1"


@pytest.mark.parametrize("others", [0, 1, 3, 15, 40])
def test_two_rare_words_of_an_order_are_told_in_a_memory_of_any_size(memory, others):
    memory.save({"topic": "发布检查清单", "key_points": ["the release checklist has nine steps"]})
    for number in range(others):
        memory.save({"topic": f"Notes {number}", "key_points": ["logs are kept for a week"]})

    for order in ("run the release checklist again", "把发布的检查清单再跑一遍"):
        assert memory.inject(order).ids == ("2026-01-29#1",)


def test_one_translated_word_tells_nothing(memory):
    memory.save({"topic": "Rate limiting of the API", "key_points": ["200 requests a minute"]})
    memory.save({"topic": "Colours", "key_points": ["buttons are green"]})

    assert memory.search("限流的阈值").hits != ()
    assert memory.inject("限流的阈值是什么").ids == ()
    assert memory.inject("接口的限流每分钟是多少").ids == ("2026-01-29#1",)


@pytest.mark.parametrize("others", [0, 1, 4, 20])
def test_a_translation_of_one_character_is_a_word(memory, others):
    memory.save({"topic": "导出为什么慢", "key_points": ["每行查一次数据库，改成批量以后 3 秒"]})
    for number in range(others):
        memory.save({"topic": f"登录页面 {number}", "key_points": ["颜色改成绿色"]})

    assert memory.inject("why was the export slow?").ids == ("2026-01-29#1",)
    # Of an only session nobody knows how common its words are.
    assert memory.inject("why was the upload slow?").ids == (() if others else ("2026-01-29#1",))


def test_a_word_that_stands_there_beside_its_translation_is_no_lone_translation(memory):
    paths = [f"src/app/[locale]/page-{n}.tsx reads the messages of the shop" for n in range(4)]
    points = [*paths, "language switcher in components/language-switcher.tsx"]
    memory.save({"topic": "给书店的网站添加多语言支持", "key_points": points})

    [hit] = memory.search("多语言 用哪个库").hits

    assert hit.translated
    assert memory.inject("多语言 用哪个库").ids == (hit.id,)


def test_beside_the_best_answer_only_sessions_with_half_of_its_score_are_told(memory):
    memory.save({"topic": "Uploads", "key_points": ["an upload is retried three times"]})
    memory.save({"topic": "Downloads", "key_points": ["retried after a timeout of 30 seconds"]})
    points = ["a link expires after a day", "the client gives up after a timeout of 30 seconds"]
    memory.save({"topic": "Links", "key_points": [*points, "pages are cached for a week"]})
    question = "how often is an upload retried after a timeout?"

    first, second, third = memory.search(question).hits

    assert first.score > second.score > first.score / 2 > third.score
    assert memory.inject(question).ids == (first.id, second.id)


def test_what_is_above_the_floor_is_told_however_old_it_is(memory):
    memory.config.set("retrieval.time_decay_floor", 0.0)
    points = ["it waits 60 seconds after a timeout", "the client logged the error 504"]
    points = ["an upload is retried three times", *points]
    memory.save({"date": "2024-12-01", "topic": "Uploads", "key_points": points})
    memory.save({"topic": "Links", "key_points": ["a client retried the build; see which error"]})
    memory.save({"topic": "Colours", "key_points": ["the client is green"]})
    question = "how often is an upload retried by the client, how many seconds does it wait?"

    newer, older = memory.search(question).hits

    assert newer.relevance < 0.155 < older.relevance
    assert newer.score > 2 * older.score
    assert older.id in memory.inject(question).ids


@pytest.mark.parametrize("order", ["fix the typo in the README", "run the tests", "跑一下测试"])
def test_an_everyday_order_is_told_nothing(memory, order):
    memory.save({"topic": "A typo in the code", "key_points": ["run the tests, 跑一下测试"]})

    assert memory.inject(order).text == ""
    assert memory.search(order).hits != ()
    assert memory.inject(f"上次我们说的：{order}").text != ""


def test_what_holds_by_its_own_section_alone_is_not_told_to_a_conversation(memory):
    memory.start("c1")
    memory.log("我们决定用 Redis 做缓存，TTL 定为 300 秒", kind="decision", conversation="c1")
    memory.end("c1")
    memory.summarize()

    assert "Redis" not in memory.inject(conversation="c1").text
    assert "Redis" in memory.inject(conversation="c2").text


@pytest.mark.parametrize("question", ["how do we run the tests?", "测试怎么跑？"])
def test_a_question_in_everyday_words_is_answered_by_a_small_memory(memory, question):
    memory.save(
        {"topic": "the tests run with pytest -n 4", "key_points": ["测试用 pytest -n 4 跑"]}
    )

    assert "pytest -n 4" in memory.inject(question).text


@pytest.mark.parametrize("question", ["which typo was in the README?", "README 里有什么 typo"])
def test_a_question_of_everyday_words_is_answered(memory, question):
    memory.save({"topic": "Typo in the README", "key_points": ["run the tests, 跑一下测试"]})

    assert memory.inject(question).ids == ("2026-01-29#1",)


def test_a_file_that_is_gone_is_marked(memory):
    memory.setup.init("project")
    Path(memory.project, "here.py").write_text("x")
    files = ["here.py", "src/old.py", "../outside.py", "/etc/none"]
    memory.save(
        {"topic": "redis", "key_points": ["see src/old.py, not src/old.pyc"], "files": files}
    )

    text = memory.inject("redis").text

    assert "| - see src/old.py (gone), not src/old.pyc\n" in text
    assert "| files: here.py, src/old.py (gone), ../outside.py, /etc/none\n" in text


def test_the_newer_of_two_rules_is_told_as_the_one_in_force(memory):
    memory.save({"topic": "发布", "key_points": ["周五可以发布"], "date": "2026-01-05"})
    memory.save({"topic": "发布", "key_points": ["周五禁止发布"], "date": "2026-01-20"})

    text = memory.inject("发布 周五").text

    assert "| - 周五可以发布 (until 2026-01-20, now: 2026-01-20#1)\n" in text
    assert "| - 周五禁止发布 (since 2026-01-20)\n" in text


def test_the_newer_of_two_notes_is_told_as_the_one_in_force(memory):
    memory.add("Redis 缓存 TTL 设为 300 秒")
    memory.add("Redis 缓存 TTL 改为 600 秒 #redis")

    text = memory.inject("缓存 TTL 是多少？").text

    assert "| Redis 缓存 TTL 设为 300 秒 (until 2026-01-29, now: 2026-01-29#2)\n" in text
    assert "| Redis 缓存 TTL 改为 600 秒 (since 2026-01-29)\n" in text

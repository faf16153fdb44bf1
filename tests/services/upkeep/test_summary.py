from __future__ import annotations

import os
from datetime import date, timedelta
from pathlib import Path

import pytest

from daily_memory import Memory
from daily_memory.core.review.summary_region import BEGIN, END
from daily_memory.errors import ConflictError, InvalidInputError
from daily_memory.frontends import json_shapes
from daily_memory.services.upkeep import summary as summaries
from daily_memory.storage import archive_files, start_summary
from daily_memory.storage.fs import files

ZH = {"topic": "缓存方案", "decisions": ["决定用 Redis 存登录会话"]}
EN = {"topic": "Sizes", "key_points": ["We always build with Node 22"]}


@pytest.fixture
def summary(memory: Memory) -> Path:
    memory.save(ZH)
    assert memory.workspace.project_root is not None
    return Path(memory.workspace.project_root.path) / "summary.md"


def test_a_summary_is_written_once(memory, summary):
    made = memory.summarize()

    assert made.is_changed
    assert summary.read_text(encoding="utf-8") == (
        f"# 记忆摘要 / Summary\n\n{BEGIN}\n## 有效的决策\n"
        f"- 决定用 Redis 存登录会话 (2026-01-29#1)\n{END}\n"
    )
    before = summary.stat()
    assert not memory.summarize().is_changed
    assert summary.stat() == before


@pytest.mark.parametrize(
    "hand",
    [
        "我手写的一行\n<!-- 注释 -->\n",
        "\ufeff# BOM\r\n\r\nby hand\r\n",
        "no newline at the end",
        "tabs\tand  blanks  \n\n\n\n",
    ],
)
def test_what_a_person_wrote_stays_byte_for_byte(memory, summary, hand):
    summary.write_bytes(hand.encode())
    memory.summarize()
    after = b"\r\n\xe5\xbe\x8c\n"
    summary.write_bytes(summary.read_bytes() + after)
    memory.save(EN)

    assert memory.summarize().is_changed

    data = summary.read_bytes()
    assert data.startswith(hand.encode())
    assert data.endswith(after)
    assert "Node 22" in data.decode()


def test_a_trial_writes_nothing(memory, summary):
    made = memory.summarize(dry_run=True)

    assert "Redis" in made.text
    assert made.is_changed
    assert not summary.exists()


def test_headings_are_in_the_language_of_the_memory(memory):
    memory.save(EN)

    assert memory.summarize().text.startswith("## Preferences\n- We always build with Node 22")


def test_a_memory_that_lays_nothing_down_gets_no_file(memory):
    memory.save({"topic": "聊了聊"})

    made = memory.summarize()

    assert (made.text, made.is_changed) == ("", False)
    assert not Path(made.path).exists()


def test_a_secret_that_a_person_wrote_into_a_day_is_not_copied(memory, summary, day_file):
    day = day_file()
    text = day.read_text(encoding="utf-8")
    secret = "ghp_0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R"
    day.write_text(text.replace("登录会话", f"登录会话 token {secret}"), encoding="utf-8")

    memory.summarize()

    assert "登录会话" in summary.read_text(encoding="utf-8")
    assert "ghp_" not in summary.read_text(encoding="utf-8")


def test_what_does_not_fit_is_counted(memory, summary):
    for number in range(40):
        memory.save({"topic": "x", "decisions": [f"决定把组件 gamma{number} 放进服务 {number}"]})

    made = memory.summarize(max_chars=300)

    assert len(made.text) <= 300
    assert len(made.lines) + made.left_out == 41


def test_what_is_there_by_hand_takes_its_room(memory, summary):
    for number in range(40):
        memory.save({"topic": "x", "decisions": [f"决定把组件 gamma{number} 放进服务 {number}"]})
    assert 1200 < len(memory.summarize().text) <= 1400

    summary.write_text("手写的一行\n" * 150, encoding="utf-8")
    assert 500 < len(memory.summarize().text) <= 650

    summary.write_text("手写的一行\n" * 1500, encoding="utf-8")
    assert 100 < len(memory.summarize().text) <= 200


def test_too_little_room_is_an_error(memory, summary):
    with pytest.raises(InvalidInputError, match="max_chars: 10 is less than 200"):
        memory.summarize(max_chars=10)


def test_a_file_that_is_not_utf_8_is_left_alone(memory, summary):
    summary.write_bytes("手写".encode("gbk"))

    with pytest.raises(InvalidInputError, match=r"summary\.md is not UTF-8"):
        memory.summarize()

    assert summary.read_bytes() == "手写".encode("gbk")


def test_a_new_conversation_is_told_the_summary(memory, summary):
    memory.summarize()

    assert "| - 决定用 Redis 存登录会话 (2026-01-29#1)" in memory.inject().text
    assert memory.summaries()[0]["text"].startswith("## 有效的决策")


@pytest.mark.parametrize("tag", ["#private", "#私密", "#过时"])
def test_what_was_flagged_by_hand_is_told_to_nobody(memory, summary, day_file, tag):
    memory.summarize()
    day = day_file()
    text = day.read_text(encoding="utf-8")
    day.write_text(text.replace("---", f"### 标签\n{tag}\n\n---"), encoding="utf-8")

    assert "登录会话 (2026-01-29#1)" not in memory.inject().text
    assert memory.summaries() == []


@pytest.mark.parametrize("act", ["delete", "purge", "private", "outdated", "undo"])
def test_a_line_whose_source_is_gone_leaves_the_file_at_once(memory, summary, act):
    memory.save(EN)
    if act == "undo":
        memory.mark(["2026-01-29#1"], {"private": True})
        memory.mark(["2026-01-29#1"], {"private": False})
    memory.summarize()

    if act == "delete":
        memory.delete(["2026-01-29#1"])
    elif act == "purge":
        memory.deletion.purge(memory.deletion.traces(memory.deletion.choose(["2026-01-29#1"])))
    elif act == "undo":
        memory.undo()
    else:
        memory.mark(["2026-01-29#1"], {act: True})

    assert "Redis" not in summary.read_text(encoding="utf-8")
    assert "Node 22 (2026-01-29#2)" in summary.read_text(encoding="utf-8")


def test_what_is_deleted_for_its_age_leaves_the_file_and_what_is_archived_stays(
    memory, summary, clock
):
    clock.now += timedelta(days=1)
    memory.save(EN)
    memory.summarize()
    due = memory.archive.due(before=clock.now.date())

    memory.archive.store(due)
    assert "Redis" in summary.read_text(encoding="utf-8")

    memory.archive.restore(everything=True)
    memory.archive.delete(memory.archive.due(before=clock.now.date()))
    assert "Redis" not in summary.read_text(encoding="utf-8")
    assert "Node 22" in summary.read_text(encoding="utf-8")


def test_what_was_merged_into_another_is_no_source_any_more(memory, summary):
    points = [
        "会话在最后一次使用之后保留 300 秒，超时之后由后台任务清理",
        "连接池最多打开 20 个连接，没有空闲连接时等待五秒钟再报错",
        "每个请求都写一行日志，里面有它的编号、用户和所用的时间",
    ]
    said = {"topic": "会话缓存改用 Redis", "key_points": points}
    more = [*points, "We always build with Node 22"]
    memory.save({**said, "key_points": more, "date": "2026-01-20"})
    memory.save({**said, "date": "2026-01-21"})
    memory.summarize()
    assert "Node 22 (2026-01-20#1)" in summary.read_text(encoding="utf-8")

    assert memory.cleanup.merge(memory.cleanup.duplicates()).ids

    assert "Node 22" not in summary.read_text(encoding="utf-8")
    assert "Redis" in summary.read_text(encoding="utf-8")


def test_a_purge_takes_lines_that_others_said_as_well(memory, summary, clock):
    memory.save(ZH)
    memory.save(EN)
    memory.summarize()
    assert "登录会话 (2026-01-29#1, 2026-01-29#2)" in summary.read_text(encoding="utf-8")

    purged = memory.deletion.purge(memory.deletion.traces(memory.deletion.choose(["2026-01-29#1"])))

    assert "登录会话" not in summary.read_text(encoding="utf-8")
    assert "Node 22" in summary.read_text(encoding="utf-8")
    assert not any(place.startswith("summary.md") for place in purged.elsewhere)


def test_a_purge_tells_of_a_summary_that_it_can_not_read(memory, summary):
    memory.summarize()
    summary.write_bytes(summary.read_bytes() + b"\xff\n")

    purged = memory.deletion.purge(memory.deletion.traces(memory.deletion.choose(["2026-01-29#1"])))

    assert purged.elsewhere == ("summary.md:5",)


def test_a_summary_that_is_no_file_keeps_nobody_from_a_purge(memory, summary):
    summary.mkdir()

    memory.deletion.purge(memory.deletion.traces(memory.deletion.choose(["2026-01-29#1"])))

    assert list(memory.sessions()) == []


def test_a_day_that_is_gone_or_never_was_has_no_lines(memory, summary, day_file):
    memory.summarize()
    text = summary.read_text(encoding="utf-8")
    summary.write_text(text.replace("2026-01-29#1", "2026-02-31#1"), encoding="utf-8")
    assert memory.summaries() == []

    summary.write_text(text, encoding="utf-8")
    day_file().unlink()
    assert memory.summaries() == []


def test_a_summary_without_our_part_is_not_touched_by_a_deletion(memory, summary):
    summary.write_text("手写 (2026-01-29#1)\n", encoding="utf-8")

    memory.delete(["2026-01-29#1"])

    assert summary.read_text(encoding="utf-8") == "手写 (2026-01-29#1)\n"


def test_a_broken_part_does_not_keep_anybody_from_deleting(memory, summary):
    memory.summarize()
    summary.write_bytes(summary.read_bytes().replace(b"Redis", b"\xff"))

    assert len(memory.delete(["2026-01-29#1"]).sections) == 1
    assert memory.summaries() == []


def test_what_an_editor_saves_meanwhile_is_kept(memory, summary, monkeypatch):
    replace = files.replace
    saved = ["one", "two"]

    def replace_after_an_editor(path, data, modes, *, expected=None, folder=""):
        if saved and expected:
            Path(path).write_text(f"{saved.pop()}\n", encoding="utf-8")
        replace(path, data, modes, expected=expected, folder=folder)

    summary.write_text("by hand\n", encoding="utf-8")
    monkeypatch.setattr(files, "replace", replace_after_an_editor)

    memory.summarize()

    assert summary.read_text(encoding="utf-8").startswith("one\n\n<!-- memory")


def test_an_editor_that_never_stops_wins(memory, summary, monkeypatch):
    def refuse(*_args, **_named):
        raise ConflictError("changed", hint="again")

    monkeypatch.setattr(files, "replace", refuse)

    with pytest.raises(ConflictError, match=r"summary\.md.* kept changing"):
        memory.summarize()


def test_the_json_of_a_summary(memory, summary):
    made = json_shapes.summary(memory.summarize())

    assert made == {
        "path": str(summary),
        "scope": "project",
        "changed": True,
        "left_out": 0,
        "text": "## 有效的决策\n- 决定用 Redis 存登录会话 (2026-01-29#1)",
        "lines": [
            {
                "kind": "decision",
                "text": "决定用 Redis 存登录会话",
                "ids": ["2026-01-29#1"],
                "origin": None,
            }
        ],
    }


def archive_day(memory: Memory, day: str) -> None:
    assert memory.workspace.project_root is not None
    root, when = memory.workspace.project_root, date.fromisoformat(day)
    path = Path(root.daily_folder) / f"{day}.md"
    archive_files.store(root, when, path.read_bytes())
    path.unlink()


def test_what_stands_still_stands_when_its_day_is_archived(memory, summary, clock):
    memory.summarize()
    archive_day(memory, "2026-01-29")
    clock.now += timedelta(days=400)
    memory.save(EN)

    made = memory.summarize()

    texts = {line.text: line.ids for line in made.lines}
    assert texts["决定用 Redis 存登录会话"] == ("2026-01-29#1",)
    assert "决定用 Redis 存登录会话" in memory.inject().text


def test_an_archived_decision_that_was_taken_back_does_not_stand(memory, summary, clock):
    archive_day(memory, "2026-01-29")
    clock.now += timedelta(days=400)
    memory.save({"topic": "会话", "decisions": ["登录会话不再用 Redis，改用 Postgres"]})

    lines = [line.text for line in memory.summarize().lines]

    assert lines == ["登录会话不再用 Redis，改用 Postgres"]


def test_a_line_of_an_archived_session_that_was_made_private_is_not_told(memory, summary, clock):
    memory.summarize()
    archive_day(memory, "2026-01-29")
    assert "Redis" in memory.inject().text
    archive_path = next(Path(memory.workspace.project_root.archive_folder).rglob("*.md.gz"))
    archive_path.unlink()

    assert "Redis" not in memory.inject().text


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        (
            "Never touch config/prod.yaml by yourself, ask me first. Now fix the login redirect.",
            "Never touch config/prod.yaml by yourself, ask me first.",
        ),
        ("登录页重定向错了，修一下。以后都用中文回答我。", "以后都用中文回答我。"),
    ],
)
def test_a_rule_that_the_user_states_is_a_preference(memory, said, rule):
    memory.start("c", host="cursor")
    memory.log(said, kind="user")
    memory.log("I fixed the redirect in src/login.py: 重定向改好了。", kind="assistant")
    memory.end("c")

    (line,) = [line for line in memory.summarize().lines if line.kind == "preference"]

    assert line.text == rule


# ---------------------------------------------------------------------------- at the next start


def talked(memory: Memory, name: str, said: str) -> None:
    """Hold a conversation, and let it end as the background process of a hook does."""
    memory.start(name, host="cursor")
    memory.log(said, kind="user", conversation=name)
    memory.log("改好了，I changed src/login.py.", kind="assistant", conversation=name)
    memory.background.run("ended", name)


@pytest.mark.parametrize(
    "rule", ["Never touch config/prod.yaml by yourself, ask me first.", "以后都用中文回答我。"]
)
def test_the_next_conversation_is_told_a_preference_without_a_summary_file(memory, summary, rule):
    talked(memory, "c", f"修一下登录页 fix the login page。{rule}")

    assert f"| - {rule} (2026-01-29#2)" in memory.inject().text
    assert not summary.exists()


def test_what_is_noted_here_is_the_users_own_whatever_git_says_of_the_template(memory, summary):
    (Path(memory.project) / ".git").mkdir(exist_ok=True)
    (Path(memory.project) / ".git" / "HEAD").write_text("broken", encoding="utf-8")
    memory.setup.init()

    talked(memory, "c", "修一下登录页。以后都用中文回答我。")

    assert memory.summaries()[0]["origin"] is None


def test_lines_by_hand_stay_and_our_part_of_the_file_is_told_as_of_now(memory, summary):
    summary.write_text("我们部门叫「交易中台」。\n", encoding="utf-8")
    memory.summarize()
    before = summary.read_bytes()

    talked(memory, "c", "修一下登录页。以后都用中文回答我。")

    told = memory.summaries()[0]["text"]
    assert "交易中台" in told
    assert "以后都用中文回答我。 (2026-01-29#2)" in told
    assert told.count("登录会话 (2026-01-29#1)") == 1
    assert summary.read_bytes() == before


def test_a_day_that_did_not_change_and_has_nothing_that_holds_is_not_read_again(memory, day_file):
    unseen, seen = "We always build with Node 22", "Looked at the build with Ann"
    memory.save({"topic": "Sizes", "key_points": [seen], "date": "2025-01-02"})
    memory.save({**ZH, "date": "2025-02-03"})
    memory.save({"topic": "聊了聊"})
    root, settings = memory.workspace.save_root(), memory.settings
    summaries.renew(root, settings)
    old = day_file(name="2025-01-02.md")
    status = old.stat()
    old.write_bytes(old.read_bytes().replace(seen.encode(), unseen.encode()))
    os.utime(old, ns=(status.st_atime_ns, status.st_mtime_ns))

    memory.save({"topic": "日志", "decisions": ["决定日志保留 30 天"]})
    summaries.renew(root, settings)

    told = memory.summaries()[0]["text"]
    assert "日志保留 30 天" in told
    assert "登录会话 (2025-02-03#1)" in told
    assert unseen not in told


@pytest.mark.parametrize("act", ["delete", "edit"])
def test_what_is_taken_out_of_its_section_is_not_told_any_more(memory, act):
    talked(memory, "c", "修一下登录页。以后都用中文回答我。")

    if act == "delete":
        memory.delete(["2026-01-29#1"])
    else:
        text = memory.open("2026-01-29#1").text
        memory.edit("2026-01-29#1", text.replace("以后都用中文回答我", "以后再说"))

    assert "以后都用中文" not in memory.inject().text
    kept = Path(start_summary.path_of(memory.workspace.save_root())).read_text(encoding="utf-8")
    assert "以后都用中文" not in kept


def test_a_damaged_file_is_written_again(memory):
    talked(memory, "c", "修一下登录页。以后都用中文回答我。")
    path = Path(start_summary.path_of(memory.workspace.save_root()))
    path.write_text("{cut", encoding="utf-8")

    assert memory.summaries() == []
    talked(memory, "d", "再修一下注册页。Always answer in English from now on.")

    assert "中文" in memory.summaries()[0]["text"]

"""Live sessions: what happens is noted line by line, and becomes one section in the end."""

from __future__ import annotations

import os
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from daily_memory import InvalidInputError, Memory, NotFoundError
from daily_memory.services.writing import digest, live
from daily_memory.storage import observations
from tests.conftest import sign

CHAT = [
    ("user", "为什么报表接口这么慢？"),
    ("assistant", "原因是每次都查询全表。决定给报表接口加 Redis 缓存。"),
    ("user", "缓存多久过期？"),
    ("assistant", "TTL 定为 300 秒，因为报表每 5 分钟刷新。"),
    ("user", "好，下一步加监控。"),
]


def fill(memory, name="c", chat=CHAT):
    memory.start(name, host="cursor")
    for kind, text in chat:
        memory.log(text, kind=kind, conversation=name)
    return name


def section(memory):
    (found,) = memory.sessions()
    return found.session


def test_a_session_that_ends_is_a_section(memory):
    fill(memory)

    ended = memory.end()

    assert (ended.id, ended.skipped) == ("2026-01-29#1", "")
    saved = section(memory)
    assert (saved.conversation, saved.source, saved.time) == ("c", "cursor", "10:30:45")
    assert "决定给报表接口加 Redis 缓存。" in saved.decisions
    assert memory.observations.live("c").digested == "2026-01-29#1"


def test_a_session_that_goes_on_stays_one_section(memory):
    fill(memory)
    memory.end()
    memory.log("决定把 TTL 改成 600 秒。", kind="assistant", conversation="c")

    assert memory.end("c").id == "2026-01-29#1"

    assert "600" in " ".join((*section(memory).decisions, *section(memory).key_points))


def test_a_section_is_renewed_although_in_the_end_little_came_of_the_conversation(memory):
    fill(memory, chat=[("user", "看下报表页"), ("assistant", "看了。"), ("user", "把字体调大一点")])
    assert memory.end().id == "2026-01-29#1"
    assert section(memory).next_steps == ("把字体调大一点",)
    memory.log("已经够大了。", kind="assistant", conversation="c")

    assert memory.end("c").id == "2026-01-29#1"

    assert section(memory).next_steps == ()


def test_little_that_follows_a_deletion_makes_no_section(memory):
    fill(memory)
    memory.delete([memory.end().id])
    memory.log("字体多大", kind="user", conversation="c")

    assert "shorter than 3 turns" in memory.end("c").skipped


def test_a_session_belongs_to_the_day_on_which_it_began(memory, clock):
    fill(memory)
    clock.now += timedelta(hours=20)
    memory.log("再见", kind="user")

    assert memory.end().id == "2026-01-29#1"


def test_what_was_left_behind_long_ago_is_saved_as_well(memory, clock):
    fill(memory, "killed")
    clock.now = clock.now.replace(year=2099)  # a file carries the real time

    assert [one.id for one in memory.end_all()] == ["2026-01-29#1"]


def test_left_behind_means_in_no_section(memory):
    real = Memory(memory.project, environment={"HOME": memory.project})  # with the real clock
    fill(real, "killed")
    fill(real, "short", CHAT[:1])

    ended = {one.conversation: one for one in real.end_all()}

    assert ended["killed"].id.endswith("#1")
    assert "shorter than 3 turns" in ended["short"].skipped
    assert real.end_all() == []


@pytest.mark.parametrize("words", ["这次不保存", "Please don't save this conversation."])
def test_what_the_user_does_not_want_kept_is_gone(memory, words):
    fill(memory)
    memory.log(words, kind="user")

    ended = memory.end()

    assert ended.skipped == digest.REFUSED
    assert list(memory.sessions()) == []
    assert "全表" not in Path(memory.observations.live("c").path).read_text()

    memory.log("再问一句", kind="user")
    assert memory.end().skipped == digest.REFUSED
    memory.log("保存这次对话", kind="user")
    assert memory.end().id == "2026-01-29#1"
    assert "全表" not in str(section(memory))


@pytest.mark.parametrize("words", ["不要保存", "Don't save this conversation."])
def test_what_was_saved_before_the_user_refused_is_gone_as_well(memory, words):
    memory.save({"topic": "Another", "conversation": "other"})
    fill(memory)
    saved = memory.end("c", so_far=True).id
    memory.log(words, kind="user", conversation="c")

    assert memory.end("c").skipped == digest.REFUSED

    assert [str(one.session.id) for one in memory.sessions()] == ["2026-01-29#1"]
    assert memory.search("Redis 缓存 TTL").hits == ()
    root = Path(memory.workspace.project_root.path)
    told = [
        file
        for file in root.rglob("*")
        if file.is_file() and "全表" in file.read_text("utf-8", "replace")
    ]
    assert told == []
    # Its number is not given again, and nobody is told to bring it back.
    assert saved == "2026-01-29#2"
    assert str(memory.save({"topic": "Next"}).id) == "2026-01-29#3"
    (report,) = memory.doctor(scope="project").values()
    assert not any("gone" in problem.message for problem in report.remarks)


def test_what_a_person_edited_is_not_taken_away(memory, day_file):
    fill(memory)
    memory.end("c")
    edited = day_file().read_text().replace("Redis", "Valkey")
    day_file(edited)
    memory.log("不要保存", kind="user", conversation="c")

    ended = memory.end("c")

    assert ended.warnings == ("2026-01-29#1 stays: it was edited by hand",)
    assert day_file().read_text() == edited


def test_what_was_saved_otherwise_of_a_conversation_stays(memory, clock):
    memory.save({"topic": "记下的 by hand", "conversation": "c", "time": "09:00:00"})
    fill(memory)
    memory.end("c")
    memory.log("不要保存", kind="user", conversation="c")

    memory.end("c")

    assert [one.session.topic for one in memory.sessions()] == ["记下的 by hand"]


def test_a_hook_put_in_later_takes_nothing_from_what_was_imported(memory):
    whole = {"topic": "整个对话 imported", "conversation": "c", "time": "08:00:00"}
    memory.save({**whole, "key_points": ["the part before the hook"]})
    fill(memory)

    assert memory.end("c").id == "2026-01-29#2"
    memory.log("决定把 TTL 改成 600 秒。", kind="assistant", conversation="c")
    assert memory.end("c").id == "2026-01-29#2"

    first, second = (one.session for one in memory.sessions())
    assert first.key_points == ("the part before the hook",)
    assert second.continues == "2026-01-29#1"


def test_a_conversation_that_comes_back_after_many_days_keeps_its_section(memory, clock):
    fill(memory)
    assert memory.end("c").id == "2026-01-29#1"
    for _ in range(40):
        clock.now += timedelta(days=1)
        memory.add("每天一条")
    memory.log("决定把 TTL 改成 600 秒。", kind="assistant", conversation="c")

    assert memory.end("c").id == "2026-01-29#1"


def test_what_is_said_while_a_model_is_asked_is_digested_as_well(memory):
    fill(memory)
    path = memory.observations.live("c").path
    asked = []

    def improve(draft, text):
        asked.append(text)
        memory.log(f"决定把 TTL 改成 {len(asked)}00 秒。", kind="assistant", conversation="c")
        return draft, ()

    now = datetime.now().astimezone()
    root = memory.workspace.project_root
    observations.append(root, path, observations.format_line(ended="ended"))
    live.settle(root, path, live.DigestContext(memory.settings, now, improve))

    assert len(asked) == 1
    assert "100 秒" in str(section(memory))
    assert observations.is_settled(path)


def test_what_never_stops_growing_is_left_to_the_next_start(memory):
    fill(memory)
    path = memory.observations.live("c").path

    def improve(draft, text):
        memory.log(f"第 {len(text)} 句", kind="assistant", conversation="c")
        return draft, ()

    much_later = datetime.now().astimezone() + timedelta(days=1)
    over = live.DigestContext(memory.settings, much_later, improve)
    live.settle(memory.workspace.project_root, path, over)
    assert not observations.is_settled(path)

    last = over._replace(improve=lambda draft, _: (draft, ()))
    assert [one.id for one in live.settle_unfinished(memory.workspace.project_root, last)] == [
        "2026-01-29#1"
    ]
    assert observations.is_settled(path)


def test_a_record_that_can_not_be_read_hides_no_other(memory):
    fill(memory)
    (Path(memory.observations.live("c").path).parent / "folder.jsonl").mkdir()
    broken = Path(memory.start("broken").path)
    broken.write_text('{"at"\n[]\n')

    assert [one.conversation for one in memory.observations.live_sessions()] == ["broken", "c"]
    (report,) = memory.doctor(scope="project").values()
    told = [(os.path.basename(one.path), one.line, one.message) for one in report.remarks]
    assert ("broken.jsonl", 1, "passed over what can't be read: 2 lines") in told
    assert any(name == "folder.jsonl" and text.startswith("is not read") for name, _, text in told)


def test_doctor_tells_of_conversations_that_were_left_behind(memory):
    fill(memory)
    memory.setup.init()
    os.utime(memory.observations.live("c").path, (0, 0))

    (report,) = memory.doctor(scope="project").values()

    assert any("1 conversation not saved yet" in one.message for one in report.remarks)


def test_a_tag_hides_what_its_words_would(memory):
    memory.start("c")
    memory.log("x", tags=["password: hunter2xx9", "redis"])

    assert memory.observations.live().observations[0].tags == ("redacted", "redis")


def test_a_short_conversation_in_which_work_was_done_is_kept(memory):
    fill(memory, chat=[("user", "use Redis for the reports"), ("decision", "Redis, TTL 300 s")])

    assert memory.end().id == "2026-01-29#1"


def test_what_was_kept_by_hand_is_saved_however_short_it_is(memory):
    memory.start("standup")
    memory.log("周五之前把发版脚本改完", conversation="standup")

    assert memory.end("standup").id == "2026-01-29#1"


def test_nothing_said_is_nothing_saved(memory):
    memory.start("c")
    memory.log("Redis", kind="decision", private=True)
    Path(memory.workspace.project_root.config).parent.mkdir(parents=True, exist_ok=True)
    Path(memory.workspace.project_root.config).write_text(
        '{"recording": {"min_conversation_length": 0}}'
    )
    fresh = memory.in_folder(memory.project)

    assert fresh.end("c").skipped == "nothing was said"


def test_private_observations_stay_out_of_the_section(memory):
    fill(memory)
    memory.log("the salary list is in sheet 7", kind="user", private=True)

    memory.end()

    assert "salary" not in str(section(memory))
    assert any(one.private for one in memory.observations.live("c").observations)


def test_secrets_never_reach_the_record(memory):
    memory.start("c")
    memory.log("password: tulip-Bridge-42", tags=["redis", "token=tulipBridge42xyz"])

    text = Path(memory.observations.live().path).read_text()

    assert "tulip" not in text
    assert '"redis"' in text


@pytest.mark.parametrize("secret", ["<private>tulip</private>", "password=tulip-Bridge-42"])
def test_no_field_of_a_new_session_lets_a_secret_pass(memory, secret):
    began = memory.start(secret, host=secret, project=secret, meta={"note": secret})

    logged = memory.log("decided to use pnpm", conversation=secret)

    written = [
        path for path in Path(memory.workspace.project_root.path).rglob("*") if path.is_file()
    ]
    assert written
    assert all("tulip" not in f"{path}{path.read_bytes()!r}" for path in written)
    assert (
        logged.live.conversation
        == memory.observations.live(secret).conversation
        == began.conversation
    )


def test_in_the_global_memory_a_session_names_its_project(memory):
    config = Path(memory.workspace.global_root.config)
    config.parent.mkdir(parents=True)
    config.write_text('{"storage": {"location": "global-only"}}')
    fill(memory)

    memory.end()

    (found,) = memory.sessions(scope="global")
    assert found.session.project == "app"


def test_the_last_session_is_meant_where_none_is_named(memory):
    memory.start("a")
    memory.start("b")
    os.utime(memory.observations.live("a").path, (0, 0))

    assert memory.observations.live().conversation == "b"
    assert [live.conversation for live in memory.observations.live_sessions()] == ["a", "b"]


def test_without_a_name_a_session_is_called_after_the_moment(memory):
    first, second = memory.start().conversation, memory.start().conversation

    assert first.startswith("20260129T103045-")
    assert first != second


@pytest.mark.parametrize("name", ["", "absent"])
def test_a_session_that_is_not_there_is_told(memory, name):
    with pytest.raises(NotFoundError, match="no live session"):
        memory.observations.live(name)


@pytest.mark.parametrize(("text", "kind"), [("x", "other"), (" ", "note")])
def test_what_can_not_be_logged_is_told(memory, text, kind):
    memory.start("c")

    with pytest.raises(InvalidInputError):
        memory.log(text, kind=kind)


def test_a_file_without_its_first_line_is_still_a_session(memory):
    path = observations.new_path(memory.workspace.project_root, "c", memory.today())
    sign(memory)
    os.makedirs(os.path.dirname(path))
    Path(path).write_text('{"at":"?","kind":"decision","text":"Redis"}\n')

    assert memory.end("c").id.endswith("#1")


def test_how_much_is_kept_is_a_setting(memory):
    words = (
        "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏闰余成岁律吕调阳云腾致雨露结为霜金生丽水"
    )
    long = [("user", f"为什么 {number} 号接口这么慢？") for number in range(4)]
    long += [
        (
            "assistant",
            f"已修复 {word * 2}_{number}.py：{word * 9} 由 {number} 改为 {number * 7}。",
        )
        for number, word in enumerate(words)
    ]
    fill(memory, "brief", long)
    memory.end("brief")
    Path(memory.workspace.project_root.config).write_text('{"recording": {"digest": "detailed"}}')
    detailed = memory.in_folder(memory.project)
    fill(detailed, "detailed", long)
    detailed.end("detailed")

    brief, full = [found.session for found in memory.sessions()]

    kept = [len(" ".join(session.key_points)) for session in (brief, full)]
    assert kept[0] <= 900
    assert kept[0] < kept[1] <= 3200


def test_a_session_that_was_begun_goes_on(memory):
    fill(memory)

    assert len(memory.start("c").observations) == len(CHAT)


def test_only_the_days_that_are_asked_for_are_listed(memory, clock):
    memory.start("a")
    clock.now += timedelta(days=2)
    memory.start("b")

    later = memory.observations.live_sessions(first=clock.now.date())
    assert [live.conversation for live in later] == ["b"]


def test_one_session_that_can_not_be_saved_hinders_no_other(memory):
    real = Memory(memory.project, environment={"HOME": memory.project})  # with the real clock
    fill(real, "a")
    fill(real, "b")
    assert real.workspace.project_root is not None
    day = Path(real.workspace.project_root.daily_folder)
    day.parent.mkdir(parents=True, exist_ok=True)
    day.write_text("in the way")

    ended = real.end_all()

    assert len(ended) == 2
    assert all(one.warnings and not one.id for one in ended)


def test_a_file_that_knows_no_time_is_as_old_as_it_is(memory):
    path = observations.new_path(memory.workspace.project_root, "c", memory.today())
    sign(memory)
    os.makedirs(os.path.dirname(path))
    Path(path).write_text('{"at":"?","kind":"user","text":"记住这个：TTL 定为 300 秒"}\n')

    ended = memory.end("c")

    assert ended.id == f"{datetime.now().date()}#1"
    assert memory.get(ended.id).session.conversation == "c"


def test_a_day_without_sessions_is_passed_over(memory):
    memory.start("a")
    os.mkdir(os.path.join(memory.workspace.project_root.observations_folder, "2099-01-01"))

    assert memory.observations.live().conversation == "a"


@pytest.mark.parametrize(
    "decided", ["Set the timeout of payments to {} s", "支付接口的超时定为 {} 秒"]
)
def test_each_logged_decision_is_in_the_section(memory, decided):
    memory.start("c")
    texts = tuple(decided.format(seconds) for seconds in (3, 5, 8))
    for text in texts:
        memory.log(text, kind="decision")

    ended = memory.end("c")

    assert section(memory).decisions == texts
    assert ended.warnings == ()


def test_logged_decisions_that_do_not_fit_are_counted(memory):
    memory.start("c")
    for port in range(40):
        memory.log(
            f"Port {port} is for the worker that sends the mails of the shop", kind="decision"
        )

    ended = memory.end("c")

    left = 40 - len(section(memory).decisions)
    assert 0 < left < 40
    assert ended.warnings == (
        f"{left} logged decisions did not fit into the digest:"
        " `memory observations c --kind decision` shows all of them",
    )


@pytest.mark.parametrize(
    ("entries", "is_kept"),
    [
        ([("user", "跑一下", ""), ("tool", "$ pytest -q > out.txt", "shell")], True),
        ([("user", "看看", "")] + 3 * [("tool", "src/a.py", "read")], False),
        ([("user", "看看", "")] + [("tool", f"src/{name}.py", "read") for name in "abc"], True),
        ([("user", "放哪里？", ""), ("assistant", "决定放在 Redis。", "")], True),
        (
            [(kind, text, "") for text in ("hi", "ok", "好") for kind in ("user", "assistant")],
            False,
        ),
    ],
)
def test_substance_decides_what_a_hook_keeps(memory, entries, is_kept):
    memory.start("c", host="cursor")
    for kind, text, tool in entries:
        memory.log(text, kind=kind, tool=tool, conversation="c")

    assert bool(memory.end("c").id) == is_kept


def test_a_turn_that_changes_nothing_of_the_section_writes_no_file(memory):
    fill(memory)
    memory.end("c", so_far=True)
    root = memory.workspace.project_root
    paths = [Path(root.daily_folder, "2026-01-29.md"), Path(root.path, "index/journal.jsonl")]
    before = [(path.stat().st_ino, path.read_bytes()) for path in paths]
    memory.log("ok", kind="assistant", conversation="c")

    memory.end("c", so_far=True)

    assert [(path.stat().st_ino, path.read_bytes()) for path in paths] == before


def test_a_model_that_was_not_asked_so_far_is_asked_after_half_an_hour_of_silence(memory):
    fill(memory)
    path, root = memory.observations.live("c").path, memory.workspace.project_root
    recording = memory.settings.recording._replace(summarizer="ollama", summarizer_model="m")
    settings = memory.settings._replace(recording=recording)
    asked = []

    def improve(draft, text):
        asked.append(text)
        return draft, ()

    now = datetime.now().astimezone()
    live.settle(root, path, live.DigestContext(settings, now, improve))
    live.settle_unfinished(root, live.DigestContext(settings, now + timedelta(minutes=29), improve))
    assert (asked, observations.is_settled(path)) == ([], False)

    later = now + timedelta(minutes=31)
    live.settle_unfinished(root, live.DigestContext(settings, later, improve))
    assert (len(asked), observations.is_settled(path)) == (1, True)

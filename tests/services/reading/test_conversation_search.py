"""Where no section answers, what was said is searched: saved or not, and in the archive."""

from __future__ import annotations

from datetime import timedelta

import pytest

from daily_memory import Memory
from daily_memory.storage import observations

QUESTION = "whispergate retries and backoff"
SAID = "the whispergate client retries four times, with a backoff of 250 ms"
# It says nothing of the answer.
SECTION = "## Session 1 - 10:00:00\n\n**Topic**: Uploads\n\n### Key Points\n- looked at them\n"


@pytest.fixture
def talk(memory):
    """Return a memory with a recorded conversation, c1, that goes on."""
    memory.start("c1")
    memory.log("can you look at the uploads?", conversation="c1", kind="user")
    memory.log(SAID, conversation="c1", kind="assistant")
    return memory


@pytest.fixture
def saved(talk):
    """Return a memory whose conversation was saved without its answer."""
    id_ = talk.end("c1").id
    lines = talk.open(id_).text.split("\n")
    words = ("whispergate", "retries", "backoff")
    talk.edit(id_, "\n".join(line for line in lines if not any(word in line for word in words)))
    return talk


def test_a_saved_conversation_is_found_by_what_was_said(saved):
    (hit,) = saved.search(QUESTION).hits

    assert (hit.id, hit.explanation[-1]) == ("2026-01-29#1", "in what was said")
    assert "250 ms" in hit.snippet
    assert SAID in saved.inject(QUESTION).text


def test_what_was_said_is_found_beside_a_section_with_a_part_of_the_answer(saved):
    points = ["whispergate is scraped every minute", "backoff of the alerts: an hour"]
    saved.save({"topic": "Metrics", "key_points": [*points, "dashboards are in grafana"]})

    result = saved.search("how many retries has the whispergate client, and which backoff?")

    assert [hit.id for hit in result.hits] == ["2026-01-29#1", "2026-01-29#2"]
    assert SAID in saved.inject(result.query).text


def test_a_conversation_in_which_nothing_was_said_is_no_answer(memory):
    memory.start("c1")

    # The words of a record's first line.
    assert memory.search("which conversation began the session").unsaved == ()


def test_what_was_said_is_found_in_the_archive(saved, clock):
    clock.now += timedelta(days=400)
    saved.archive.store(saved.archive.due(before=clock.now.date()))

    (hit,) = saved.search(QUESTION).hits

    assert (hit.id, hit.archived) == ("2026-01-29#1", True)
    assert SAID in saved.inject(QUESTION).text


def test_a_conversation_without_a_section_is_told_by_its_record(talk):
    told = talk.inject(QUESTION, conversation="c2")

    assert talk.search(QUESTION).hits == ()
    assert told.ids == ("2026-01-29/c1:3", "2026-01-29/c1:3")
    assert "| not saved]\n| # can you look at the uploads\n" in told.text
    assert f"| {SAID}\n" in told.text


def test_words_of_every_conversation_bring_none_of_them(memory):
    for number in range(20):
        memory.start(f"c{number}")
        memory.log(f"show the results on page {number}", conversation=f"c{number}", kind="user")
        memory.log("done, the images load now", conversation=f"c{number}", kind="assistant")
    memory.log("the rapeseed harvest took a month", conversation="c0", kind="assistant")

    common = memory.inject("what were the load results?", conversation="c20")
    rare = memory.inject("what of the rapeseed harvest?", conversation="c20")

    assert (common.text, rare.ids[:1]) == ("", ("2026-01-29/c0:4",))


def test_nothing_is_told_to_the_conversation_that_said_it(talk):
    assert talk.inject(QUESTION, conversation="c1").ids == ()
    # Nobody knows who asks: it may be this one.
    assert talk.inject(QUESTION).ids == ()


@pytest.mark.parametrize("wish", ["private", "deleted"])
def test_what_the_user_took_out_is_not_found_by_its_record(saved, wish):
    if wish == "private":
        saved.mark(["2026-01-29#1"], {"private": True})
    else:
        saved.delete(["2026-01-29#1"])

    result = saved.search(QUESTION)

    assert (result.hits, result.unsaved) == ((), ())


def test_a_damaged_record_of_what_was_saved_fails_no_search(saved):
    (root,) = {found.root for found in saved.sessions()}
    observations.append(root, observations.find_path(root, "c1"), '{"digested":"2026-1"}\n')

    result = saved.search(QUESTION)

    # Whether the user keeps to themselves what was made of it is not known.
    assert (result.hits, result.unsaved) == ((), ())


def test_of_many_records_the_newest_are_read(talk, monkeypatch):
    monkeypatch.setattr("daily_memory.services.reading.conversation_search._MOST_BYTES", 10)

    assert talk.search(QUESTION).unsaved == ()


def test_the_conversation_that_asks_is_known_where_its_host_says_so(talk):
    def asking(environment):
        return Memory(
            talk.project, home=talk.home, environment=environment
        ).workspace.asking_conversation()

    assert asking({"CLAUDE_CODE_SESSION_ID": "c1"}) == "c1"
    assert asking({"CLAUDE_CODE_SESSION_ID": "c2"}) == "c2"  # nothing of it is recorded yet
    assert asking({}) == ""


def test_a_conversation_that_is_over_does_not_ask(talk):
    talk.end("c1")
    after_end = Memory(
        talk.project, home=talk.home, environment={"CLAUDE_CODE_SESSION_ID": "c1"}
    ).workspace.asking_conversation()

    talk.log("one more thing", conversation="c1", kind="user")
    resumed = Memory(
        talk.project, home=talk.home, environment={"CLAUDE_CODE_SESSION_ID": "c1"}
    ).workspace.asking_conversation()

    assert (after_end, resumed) == ("", "c1")

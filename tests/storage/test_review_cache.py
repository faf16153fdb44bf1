"""What was found in sessions: kept for the next time, and dropped with what it was found in."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path

import pytest

from daily_memory.core.review import contradictions, quality
from daily_memory.core.review.review import review
from daily_memory.core.review.summary_lines import statements_in_force
from daily_memory.model import Session
from daily_memory.storage import review_cache
from daily_memory.storage.review_cache import ReviewCache
from daily_memory.storage.roots import project_root

DAY = date(2026, 1, 29)
SESSIONS = [
    Session(DAY, 1, topic="日志保留", decisions=("日志保留 30 天", "用 Redis 做缓存")),
    Session(DAY, 2, topic="Deploys", decisions=("We use nginx", "每周五部署")),
    Session(DAY, 3, topic="改动", decisions=("日志保留 90 天", "周五不要部署", "缓存换成 Valkey")),
    Session(DAY, 4, topic="nginx", decisions=("Switched from nginx to Caddy",)),
]


def refuse(_session: Session) -> list[list[object]]:
    raise AssertionError("it was looked at again")


def test_with_the_answers_of_last_time_the_findings_are_the_same(root):
    first = review(SESSIONS, DAY)
    holds = statements_in_force(SESSIONS)
    assert {finding.kind for finding in first} >= {"contradiction"}
    for _ in range(2):
        known = ReviewCache(root, "rules")

        assert review(SESSIONS, DAY, cache=known.get) == first
        assert statements_in_force(SESSIONS, cache=known.get) == holds
        known.save()


def test_a_session_that_did_not_change_is_not_looked_at_again(root):
    known = ReviewCache(root, "rules")
    for session in SESSIONS:
        known.get("quality", session, lambda each: [quality.assess(each)])
    known.save()

    again = ReviewCache(root, "rules")

    assert again.get("quality", SESSIONS[0], refuse) == [[1.0, []]]
    with pytest.raises(AssertionError):
        again.get("quality", SESSIONS[0]._replace(topic="other"), refuse)
    with pytest.raises(AssertionError):
        ReviewCache(root, "other rules").get("quality", SESSIONS[0], refuse)


def test_the_contradictions_of_the_same_sessions_are_not_looked_for_again(root):
    known = ReviewCache(root, "rules")
    found = contradictions.find_contradictions(SESSIONS, cache=known.get)
    known.save()
    again = ReviewCache(root, "rules")

    def ask_all(what, of, _find, /):
        return again.get(what, of, refuse)

    assert contradictions.find_contradictions(SESSIONS[::-1], cache=ask_all) == found
    with pytest.raises(AssertionError):
        contradictions.find_contradictions(SESSIONS[1:], cache=ask_all)


def test_two_that_ask_in_turn_find_their_answers_again(root):
    """`review` asks of the days, `summarize` of what is archived too."""
    sides = SESSIONS, SESSIONS[1:]
    for sessions in sides:
        known = ReviewCache(root, "rules")
        contradictions.find_contradictions(sessions, cache=known.get)
        known.save()

    for sessions in sides:
        known = ReviewCache(root, "rules")
        contradictions.find_contradictions(
            sessions,
            cache=lambda what, of, _find, /, known=known: known.get(what, of, refuse),
        )


def test_what_neither_of_the_last_two_asked_is_not_kept(root):
    for topic in ("first", "second", "third"):
        known = ReviewCache(root, "rules")
        known.get("quality", SESSIONS[0]._replace(topic=topic), lambda each: [[each.topic]])
        known.save()

    last = ReviewCache(root, "rules")

    assert last.get("quality", SESSIONS[0]._replace(topic="second"), refuse) == [["second"]]
    with pytest.raises(AssertionError):
        last.get("quality", SESSIONS[0]._replace(topic="first"), refuse)


def test_what_was_found_elsewhere_is_noted(root):
    session = SESSIONS[0]._replace(topic="half of a pair: \ud83d")
    known = ReviewCache(root, "rules")
    assert known.is_empty
    known.put(session, review_cache.key_of(session), {"quality": [["noted"]]})
    known.save()

    again = ReviewCache(root, "rules")

    assert not again.is_empty
    assert again.get("quality", session, refuse) == [["noted"]]


def test_what_the_last_two_asked_is_known_whoever_was_the_last(root):
    for session in SESSIONS[:2]:
        known = ReviewCache(root, "rules")
        known.get("quality", session, lambda each: [[each.topic]])
        known.save()

    assert not ReviewCache(root, "rules").is_empty


def test_nothing_is_kept_where_there_is_no_index(tmp_path):
    root = project_root(str(tmp_path))
    known = ReviewCache(root, "rules")

    known.put(SESSIONS[0], "key", {})
    known.save()

    assert not os.path.exists(root.path)


def test_a_file_that_is_cut_off_is_made_again(root):
    known = ReviewCache(root, "rules")
    found = contradictions.find_contradictions(SESSIONS, cache=known.get)
    known.save()
    path = Path(review_cache.path_of(root))
    path.write_bytes(path.read_bytes()[:-20])

    again = ReviewCache(root, "rules")

    assert contradictions.find_contradictions(SESSIONS, cache=again.get) == found


def test_a_deletion_takes_the_answers_along(memory, day_file):
    day_file("# d\n\n## Session 1\n\n### Decisions\n- we use zookeeper\n")
    memory.review()
    root = memory.workspace.save_root()
    assert os.path.exists(review_cache.path_of(root))

    memory.delete(["2026-01-29#1"])

    assert not os.path.exists(review_cache.path_of(root))

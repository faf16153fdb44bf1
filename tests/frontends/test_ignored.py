"""What is accepted has an effect; what can have none is an error."""

from __future__ import annotations

import json

import pytest

LATER, EARLIER = "2026-12-01", "2026-01-01"


@pytest.mark.parametrize(
    "words",
    [
        ("search", "redis"),
        ("search", "redis", "--observations"),
        ("list",),
        ("timeline",),
        ("export",),
        ("restore", "--yes"),
    ],
)
def test_a_time_that_ends_before_it_begins_is_an_error(cli, words):
    cli("add", "Redis TTL")

    refused = cli(*words, "--since", LATER, "--until", EARLIER)

    assert (refused.status, refused.out) == (2, "")
    assert f"since {LATER} is later than until {EARLIER}" in refused.err


@pytest.mark.parametrize(
    "words",
    [
        ("search", "redis", "-k"),
        ("search", "redis", "--days"),
        ("search", "redis", "--observations", "-k"),
        ("list", "--days"),
        ("timeline", "--days"),
    ],
)
@pytest.mark.parametrize("number", ["0", "-1"])
def test_a_count_below_one_is_an_error(cli, words, number):
    cli("add", "Redis TTL")

    refused = cli(*words, number)

    assert (refused.status, refused.out) == (2, "")
    assert words[-1] in refused.err
    assert f": {number} is less than 1" in refused.err


def test_a_count_that_is_no_number_is_an_error(cli):
    assert "invalid positive value: 'x'" in cli("list", "--days", "x").err


def test_live_sessions_are_listed_up_to_a_day(cli):
    cli("start", "talk")

    assert cli("timeline", "--until", "2020-01-01").status == 0
    assert "talk" in cli("timeline", "--until", "9999-12-31", "--since", "2020-01-01").out


def test_a_search_by_meaning_that_can_not_be_says_that_words_were_used(cli):
    cli("add", "Redis 缓存 TTL")
    told = (
        "search by meaning is off, keywords were used:"
        " `memory config set --global semantic.enabled true`"
    )

    for words in (("search", "缓存", "--method", "semantic"), ("search", "缓存")):
        found = cli(*words)
        assert (f"warning: {told}" in found.err) is ("semantic" in words)
        assert (told in cli(*words, "--json").json()["warnings"]) is ("semantic" in words)
    cli("config", "set", "--global", "retrieval.method", "semantic")
    assert told in cli("search", "缓存").err
    assert told in cli("inject", "缓存", "--json").json()["warnings"]


def test_the_summarizer_that_trae_mem_would_ask_is_told_not_to_be(cli, monkeypatch):
    monkeypatch.setenv("TRAE_MEM_SUMMARIZER", "openai")
    talk = {
        "messages": [{"role": "user", "content": f"决定用 pnpm {number}"} for number in range(4)]
    }

    saved = cli("save", "--json", stdin=json.dumps(talk)).json()

    assert saved["id"]
    assert saved["warnings"] == [
        "TRAE_MEM_SUMMARIZER is not read: set recording.summarizer instead"
    ]

"""The team's database, in a real PostgreSQL."""

from __future__ import annotations

import psycopg
import pytest

from daily_memory.backends.team import database
from daily_memory.backends.team.database import Pushed, SharedRecord
from daily_memory.backends.team.schema import STEPS
from daily_memory.core.record import Record, RecordFilters
from daily_memory.core.search.text import terms as split
from daily_memory.errors import BackendError, InvalidInputError

DAY = "2026-01-29"
EVERYTHING = RecordFilters()


def shared(number: int, text: str, day: str = DAY) -> SharedRecord:
    id_ = f"{day}/c:{number}"
    return SharedRecord(Record(id_, f"{day}T10:00:00", "note", text, "c"), f"{day}/c", number)


def push(team, role: str, project: str = "shop", source: str = "a1", **days: list[str]) -> Pushed:
    """Push texts by the last two digits of their days; the fingerprint is what they say."""
    texts = {f"2026-01-{name[1:]}": said for name, said in days.items()}
    with database.opened(team.url(role), timeout_s=10) as opened:
        return opened.push(
            project,
            source,
            {day: repr(said) for day, said in texts.items()},
            lambda day: [shared(number, text, day) for number, text in enumerate(texts[day], 1)],
        )


def texts(team, role: str, *terms: str, filters: RecordFilters = EVERYTHING) -> set[str]:
    """Return the texts with any of the terms that a role finds, without what stands beside them."""
    with database.opened(team.url(role), timeout_s=10, reads=True) as opened:
        found = {document.text for document in opened.corpus(filters).find(terms, 100)}
    return {each for each in found if not set(terms).isdisjoint(split(each))}


# ---------------------------------------------------------------------------- pushing


def test_only_days_that_differ_are_sent_and_of_these_only_records_that_changed(team):
    assert push(team, "alice", d28=["redis 一"], d29=["redis 二", "三"]) == Pushed(2, 3, 0)
    assert push(team, "alice", d28=["redis 一"], d29=["redis 二", "四"]) == Pushed(1, 1, 1)
    assert push(team, "alice", d28=["redis 一"], d29=["redis 二", "四"]) == Pushed()

    assert texts(team, "bob", "redi") == {"redis 一", "redis 二"}
    assert team.counts_are_right()


def test_a_day_that_is_gone_goes_with_its_terms(team):
    push(team, "alice", d28=["redis"], d29=["kafka"])

    assert push(team, "alice", d29=["kafka"]) == Pushed(1, 0, 1)

    assert texts(team, "bob", "redi", "kafka") == {"kafka"}
    assert team.owner("SELECT term FROM daily_memory.frequencies") == [("kafka",)]


def test_clones_and_authors_do_not_touch_what_others_pushed(team):
    push(team, "alice", source="a1", d29=["redis 一"])
    push(team, "alice", source="a2", d29=["redis 二"])
    push(team, "bob", source="a1", d29=["redis 三"])

    push(team, "alice", source="a1")

    assert texts(team, "alice", "redi") == {"redis 二", "redis 三"}
    assert team.counts_are_right()


def test_text_that_postgresql_does_not_take_is_mended(team):
    push(team, "alice", d29=["nul \0 half \ud800 escaped \\u0000 \\\\ redis", ""])

    assert texts(team, "bob", "redi") == {"nul   half ? escaped \\u0000 \\\\ redis"}


def test_a_push_that_is_cut_off_leaves_whole_days_and_is_made_up_for(team):
    days = {"2026-01-28": "a", DAY: "b"}

    def load(day: str) -> list[SharedRecord]:
        if day == DAY:
            team.cut_off("alice")
        return [shared(1, "redis", day)]

    with (
        pytest.raises(BackendError, match="can't be used"),
        database.opened(team.url("alice"), timeout_s=10) as opened,
    ):
        opened.push("shop", "a1", days, load)

    assert team.owner("SELECT day::text FROM daily_memory.days") == [("2026-01-28",)]
    assert push(team, "alice", d28=["redis"], d29=["redis"]).days == 2
    assert team.owner("SELECT count(*) FROM daily_memory.records") == [(2,)]
    assert team.counts_are_right()


# ---------------------------------------------------------------------------- access


def test_a_role_sees_only_what_it_was_granted_however_it_asks(team):
    push(team, "alice", d29=["redis secret"])
    every_table = ("days", "records", "frequencies", "totals")

    assert texts(team, "carol", "redi", filters=RecordFilters(projects=("shop",))) == set()
    with psycopg.connect(team.url("carol"), autocommit=True) as carol:
        for table in every_table:
            assert carol.execute(f"SELECT count(*) FROM daily_memory.{table}").fetchone() == (0,)
        # A function that tells what it is given is not called with rows that are not hers.
        carol.execute(
            "CREATE FUNCTION pg_temp.leak(text) RETURNS boolean LANGUAGE plpgsql COST 0.0001"
            " AS $$ BEGIN RAISE EXCEPTION '%', $1; END $$"
        )
        carol.execute("SELECT FROM daily_memory.records WHERE pg_temp.leak(content)")
        found = carol.execute(
            "SELECT count(*) FROM daily_memory.find('{shop}', '{redi}', '{1}', 1, 9, 9, '{}', '{}',"
            " '{}', '', '')"
        )
        assert found.fetchone() == (0,)
        for attempt in (
            "SELECT * FROM daily_memory.grants",
            "INSERT INTO daily_memory.grants VALUES ('shop', 'carol', true)",
            "INSERT INTO daily_memory.days VALUES ('shop', 'carol', '2026-01-29', 'c', 'x')",
            "UPDATE daily_memory.records SET content = ''",
            "TRUNCATE daily_memory.records",
            "ALTER TABLE daily_memory.records DISABLE ROW LEVEL SECURITY",
            "COPY daily_memory.grants TO STDOUT",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                carol.execute(attempt.encode())
    with pytest.raises(BackendError, match="may not push to project 'shop'"):
        push(team, "carol", d29=["x"])


def test_a_writer_changes_nothing_of_another_author(team):
    push(team, "alice", d29=["redis"])

    with psycopg.connect(team.url("bob"), autocommit=True) as bob:
        assert bob.execute("DELETE FROM daily_memory.records").rowcount == 0
        assert bob.execute("UPDATE daily_memory.days SET fingerprint = ''").rowcount == 0
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            bob.execute("INSERT INTO daily_memory.days VALUES ('shop', 'alice', now(), 'b', 'x')")

    assert texts(team, "bob", "redi") == {"redis"}


def test_a_grant_holds_for_the_members_of_a_role_until_it_is_taken_back(team):
    push(team, "alice", d29=["redis"])
    team.owner("DROP ROLE IF EXISTS readers")
    team.owner("CREATE ROLE readers")
    team.owner("GRANT readers TO carol")
    team.grant("shop", "readers")
    team.grant("shop", "nobody_by_that_name")

    assert texts(team, "carol", "redi") == {"redis"}
    with pytest.raises(BackendError, match="may not push"):
        push(team, "carol", d29=["x"])
    team.owner("DELETE FROM daily_memory.grants WHERE role = 'readers'")
    assert texts(team, "carol", "redi") == set()


def test_terms_of_projects_that_were_not_granted_do_not_count(team):
    team.grant("lab", "alice", can_write=True)
    push(team, "alice", d29=["redis"])
    push(team, "alice", "lab", "a2", d29=["redis kafka"])

    with database.opened(team.url("bob"), timeout_s=10) as opened:
        corpus = opened.corpus(RecordFilters())
        assert corpus.frequencies(["redi", "kafka"]) == {"redi": 1}
        assert corpus.vocabulary() == ["redi"]
        assert corpus.containing("afk") == []
        assert (corpus.count, corpus.average_lengths) == (1, (1.0,))
    with database.opened(team.url("alice"), timeout_s=10) as opened:
        assert opened.corpus(RecordFilters(projects=("lab",))).count == 1
        assert opened.corpus(RecordFilters()).frequencies(["redi"]) == {"redi": 2}


# ---------------------------------------------------------------------------- versions


def test_an_older_schema_is_upgraded_by_its_owner_and_a_newer_one_is_refused(team):
    push(team, "alice", d29=["redis"])
    newer = (*STEPS, "ALTER TABLE daily_memory.records ADD COLUMN language text")
    with (
        database.opened(team.url("alice"), timeout_s=10) as opened,
        pytest.raises(BackendError, match="has schema 1, this program needs 2"),
    ):
        opened.check(newer)
    with (
        pytest.raises(BackendError, match="refuses this to your role"),
        database.opened(team.url("alice"), timeout_s=10) as opened,
    ):
        opened.setup(newer)
    with database.opened(team.url("postgres"), timeout_s=10) as opened:
        assert opened.setup(newer) == 1
        assert opened.setup(newer) == 0
    with (
        database.opened(team.url("alice"), timeout_s=10) as opened,
        pytest.raises(BackendError, match="has schema 2, this program knows 1"),
    ):
        opened.check()
    with pytest.raises(BackendError, match="has schema 2, this program knows 1"):
        texts(team, "bob", "redi")
    assert team.owner("SELECT content FROM daily_memory.records") == [("redis",)]


# ---------------------------------------------------------------------------- connections


def test_searches_of_a_server_share_a_connection_that_sees_what_is_granted_now(team):
    database.close_kept()
    push(team, "alice", d29=["redis"])

    def processes() -> set[int]:
        sql = "SELECT pid FROM pg_stat_activity WHERE usename = 'bob'"
        return {pid for (pid,) in team.owner(sql)}

    assert texts(team, "bob", "redi") == {"redis"}
    (first,) = processes()
    assert texts(team, "bob", "redi") == {"redis"}
    assert processes() == {first}
    team.owner("DELETE FROM daily_memory.grants WHERE role = 'bob'")
    assert texts(team, "bob", "redi") == set()

    team.cut_off("bob")  # as a server that is started again does
    assert any(first not in processes() for _ in range(2000))
    team.grant("shop", "bob")
    assert texts(team, "bob", "redi") == {"redis"}
    database.close_kept()
    with (
        pytest.raises(BackendError),
        database.opened(team.url("bob"), timeout_s=10, reads=True) as opened,
    ):
        opened.rows("SELECT 1 / 0")
    assert any(not processes() for _ in range(2000))  # it ends by itself, a moment later


def test_an_upgrade_that_fails_changes_nothing(team):
    broken = (*STEPS, "CREATE TABLE daily_memory.more (x integer); SELECT 1 / 0")

    with (
        pytest.raises(BackendError),
        database.opened(team.url("postgres"), timeout_s=10) as opened,
    ):
        opened.setup(broken)

    assert team.owner(
        "SELECT version, to_regclass('daily_memory.more') FROM daily_memory.meta"
    ) == [(len(STEPS), None)]


def test_an_empty_database_is_told_from_one_that_is_not_there(postgres):
    with (
        pytest.raises(BackendError, match="no tables") as caught,
        database.opened(postgres.url(), timeout_s=10) as opened,
    ):
        opened.check()
    assert "memory mirror setup" in caught.value.hint
    with (
        pytest.raises(BackendError, match="can't be used"),
        database.opened(postgres.url(database="nowhere"), timeout_s=10),
    ):
        pass


def test_a_password_in_the_address_is_refused():
    with (
        pytest.raises(InvalidInputError, match="password"),
        database.opened("postgresql://a@/x?password=tulip", timeout_s=1),
    ):
        pass

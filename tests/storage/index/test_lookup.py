"""The lookup cache: what it holds after any changes is what a new one would hold."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import stat
import sys
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daily_memory.core.search import fields, keywords
from daily_memory.errors import DamagedDataError
from daily_memory.model import Section, Session, SessionId, Span
from daily_memory.storage.fs import files, sqlite
from daily_memory.storage.index import lookup
from daily_memory.storage.index.indexer import section_digest
from daily_memory.storage.index.lookup import (
    BLOCK,
    MOST_POSTINGS,
    Current,
    Filters,
    Indexed,
    Lookup,
    Place,
)
from daily_memory.storage.roots import project_root

DAY = date(2026, 1, 29)


def section(number: int, topic: str, day: date = DAY, **values: object) -> Section:
    session = Session(day, number, topic=topic)._replace(**values)  # type: ignore[arg-type]
    return Section(session, Span(number * 10, number * 10 + 5))


def indexed(one: Section) -> Indexed:
    session = one.session
    reading = fields.read(session)
    return Indexed(
        session,
        current(one),
        section_digest(one),
        reading.impacts,
        reading.lengths,
        keywords.keywords(session),
    )


def current(one: Section) -> Current:
    source = f"{one.session.number} {one.session.topic}".encode()
    first, last = one.span
    return Current(one.session.copy, first, last, 100 * first, 100 * last, source)


def kept(one: Section) -> dict[bytes, Current]:
    return {section_digest(one): current(one)}


def empty() -> Lookup:
    return lookup.copy_in_memory(None)


def contents(cache: Lookup) -> dict[str, object]:
    """All that a search can see of a cache, whatever its keys are."""
    keys = [key for key, day in enumerate(cache.days) if day]
    named = {
        place.key: (place.day, place.number, place.copy, place.span) for place in cache.places(keys)
    }
    terms = cache.vocabulary()
    return {
        "count": cache.count,
        "lengths": cache.average_lengths,
        "frequencies": cache.frequencies(terms),
        "places": sorted(named.values()),
        "postings": {
            term: sorted((named[p >> 8], p & 255) for p in cache.postings(term)) for term in terms
        },
    }


def test_a_search_finds_what_was_added():
    cache = empty()

    cache.add([indexed(section(1, "redis cache")), indexed(section(2, "redis 缓存"))])

    assert cache.count == 2
    assert cache.frequencies(["redi", "cach", "nowhere"]) == {"redi": 2, "cach": 1}
    assert [posting >> 8 for posting in cache.postings("redi")] == [0, 1]
    assert list(cache.days)[:3] == [DAY.toordinal(), DAY.toordinal(), 0]
    assert cache.places([1, 0, 7]) == [
        Place(1, DAY.toordinal(), 2, 1, "", Span(20, 25), "", 2000, 2500),
        Place(0, DAY.toordinal(), 1, 1, "", Span(10, 15), "", 1000, 1500),
    ]
    assert cache.vocabulary("r") == ["redi"]
    assert cache.vocabulary_size() == len(cache.vocabulary()) == 5


def test_the_length_of_a_field_is_its_mean_over_all_sessions():
    cache = empty()

    cache.add([indexed(section(1, "redis"))._replace(lengths=(3, 1))])
    assert cache.average_lengths == (3, 1)
    cache.add([indexed(section(2, "redis"))._replace(lengths=(4, 0))])
    assert cache.average_lengths == (3.5, 0.5)


def test_a_cache_that_can_not_be_asked_is_told_with_what_makes_a_new_one():
    cache = empty()
    cache.close()

    with pytest.raises(DamagedDataError, match=r"^the lookup cache is damaged: ") as caught:
        cache.meta("version")

    assert caught.value.hint == "run `memory reindex`"


def test_an_empty_cache_answers_with_nothing():
    assert contents(empty()) == {
        "count": 0,
        "lengths": (),
        "frequencies": {},
        "places": [],
        "postings": {},
    }


FILTERED = (
    section(1, "a", tags=("Redis", "ci"), project="app"),
    section(2, "b", tags=("redis", "important")),
    section(1, "c", date(2026, 2, 1), tags=("ci",), project="other"),
)
FIRST, LAST = DAY.toordinal(), date(2026, 2, 1).toordinal()


@pytest.mark.parametrize(
    ("filters", "keys"),
    [
        (Filters(tags=("redis",)), {0, 1}),
        (Filters(tags=("REDIS", "ci")), {0}),
        (Filters(tags=("ci",)), {0, 2}),
        (Filters(projects=("app",)), {0}),
        (Filters(projects=("app", "other")), {0, 2}),
        (Filters(projects=("nothing",)), set()),
        (Filters(projects=("app", "other"), tags=("ci",), first_day=LAST), {2}),
        (Filters(first_day=FIRST), {0, 1, 2}),
        (Filters(first_day=FIRST + 1), {2}),
        (Filters(last_day=FIRST), {0, 1}),
        (Filters(last_day=FIRST - 1), set()),
        (Filters(first_day=FIRST, last_day=LAST), {0, 1, 2}),
        (Filters(first_day=LAST, last_day=LAST), {2}),
    ],
)
def test_filters_narrow_what_is_looked_at(filters, keys):
    cache = empty()
    cache.add(map(indexed, FILTERED))

    assert cache.matching_keys(filters) == keys
    assert {key for key, one in enumerate(FILTERED) if filters.has(one.session)} == keys


def test_without_filters_all_is_looked_at_and_what_is_important_is_known():
    cache = empty()
    cache.add(map(indexed, FILTERED))

    assert cache.matching_keys(Filters()) is None
    assert all(Filters().has(one.session) for one in FILTERED)
    assert cache.important_keys() == {1}


def test_sessions_are_told_by_their_language():
    cache = empty()
    assert not cache.has_language(is_chinese=True)
    cache.add(map(indexed, (section(1, "缓存过期"), section(2, "cache"), section(3, "部署"))))

    assert cache.in_language([2, 1, 0, 7], is_chinese=True) == [2, 0]
    assert cache.in_language([2, 1, 0, 7], is_chinese=False) == [1]
    assert cache.has_language(is_chinese=True)
    cache.remove([0, 2])
    assert not cache.has_language(is_chinese=True)
    assert cache.has_language(is_chinese=False)


def test_each_section_is_known_by_day_number_and_digest():
    cache = empty()
    sections = (section(2, "b"), section(1, "a"), section(2, "b", copy=2))
    cache.add(map(indexed, sections))
    digests = [section_digest(one) for one in sections]

    assert cache.sections() == [
        (FIRST, 1, digests[1]),
        (FIRST, 2, digests[0]),
        (FIRST, 2, digests[2]),
    ]
    assert sorted(cache.keys_at(FIRST, 2)) == [(0, digests[0]), (2, digests[2])]
    assert cache.keys_at(FIRST, 3) == cache.keys_at(LAST, 2) == []
    assert cache.digests_of([1, 2, 9]) == {1: digests[1], 2: digests[2]}
    assert cache.digests(DAY) == {b"2 b": digests[2], b"1 a": digests[1]}
    assert cache.digests(date(2026, 2, 1)) == {}


def test_what_others_wrote_keeps_its_origin():
    cache = empty()
    cache.add(
        [
            indexed(section(1, "mine")),
            indexed(section(2, "theirs", copy=2))._replace(origin="git: Alice 张"),
        ]
    )

    assert cache.origins() == {SessionId(DAY, 2, 2): "git: Alice 张"}
    assert cache.places([1])[0].origin == "git: Alice 张"
    lines = [json.loads(line.rstrip(b",")) for line in cache.entry_lines(f"{DAY}.md")]
    assert [line.get("origin") for line in lines] == [None, "git: Alice 张"]
    assert [line["session"] for line in lines] == [1, 2]
    assert cache.entry_lines("2026-02-01.md") == []


def test_words_are_listed_by_their_length_and_beginning():
    cache = empty()
    cache.add([indexed(section(1, "a1b redis rollback r2 salt 缓存 88213"))])

    assert cache.vocabulary(shortest=5, longest=5) == ["88213"]
    assert cache.vocabulary("r") == ["redi", "rollback"]
    assert cache.vocabulary("r", 5, 8) == ["rollback"]
    assert cache.vocabulary("r", 4, 7) == ["redi"]
    assert cache.vocabulary("z") == []
    many = ["x"] * 3 + [f"x{n}" for n in range(1200)]
    many[300:300], many[700:700], many[1100:1100] = ["redi"], ["rollback"], ["88213"]
    assert cache.frequencies(many) == {"redi": 1, "rollback": 1, "88213": 1}


def test_what_is_noted_is_read_back_by_its_name_and_month():
    cache = empty()
    months = [
        ("2026-01", "2026-01-28.md\n2026-01-29.md", b"12", "2026-01-28.md aa\n2026-01-29.md bb"),
        ("2026-02", "2026-02-01.md", b"3", "2026-02-01.md cc"),
        ("2026-03", "", b"", ""),
    ]
    cache.note_listing(months, is_all=True)

    assert cache.listing() == ("2026-01-28.md\n2026-01-29.md\n2026-02-01.md", b"123")
    assert cache.listing("2026-02") == ("2026-02-01.md", b"3")
    assert cache.listing("2026-04") == ("", b"")
    assert cache.hashes() == {"2026-01-28.md": "aa", "2026-01-29.md": "bb", "2026-02-01.md": "cc"}
    assert cache.hashes("2026-02") == {"2026-02-01.md": "cc"}
    assert (cache.meta("x"), cache.warnings) == ("", ())
    cache.note(x="1", warnings="a\nb")
    cache.note(x="2")
    assert (cache.meta("x"), cache.warnings) == ("2", ("a", "b"))


def test_no_byte_of_what_was_purged_is_left(root):
    with contextlib.closing(lookup.create_lookup(root)) as made:
        made.add([indexed(section(1, "redis")), indexed(section(2, "tigerbox"))])
        made.commit()
        made.remove([1])
        made.commit()
    path = Path(lookup.lookup_path(root))
    # As a SQLite leaves it that was not built to blank what it deletes.
    with contextlib.closing(sqlite3.connect(path)) as other, other:
        other.execute("PRAGMA secure_delete = OFF")
        other.execute("INSERT INTO vocabulary VALUES ('tigerbox', 1)")
        other.commit()
        other.execute("DELETE FROM vocabulary WHERE term = 'tigerbox'")
    assert b"tigerbox" in path.read_bytes()

    lookup.purge(root)

    assert b"tigerbox" not in path.read_bytes()
    opened = lookup.open_lookup(root)
    assert opened is not None
    assert opened.frequencies(["redi", "tigerbox"]) == {"redi": 1}
    opened.close()
    os.unlink(lookup.lookup_path(root))
    lookup.purge(root)
    assert not os.path.exists(lookup.lookup_path(root))


def test_a_cache_of_which_much_went_is_made_smaller(root):
    with contextlib.closing(lookup.create_lookup(root)) as made:
        made.add([indexed(section(number, f"redis t{number}")) for number in range(1, 200)])
        made.commit()
        size = os.path.getsize(lookup.lookup_path(root))
        made.remove(range(1, 199))
        made.commit()

        made.compact()

        assert os.path.getsize(lookup.lookup_path(root)) < size
        assert made.frequencies(["redi", "t1"]) == {"redi": 1, "t1": 1}


def test_a_new_cache_takes_the_place_of_the_old_and_of_its_journal(root):
    lookup.create_lookup(root).close()
    journal = Path(f"{lookup.lookup_path(root)}-journal")
    journal.write_bytes(b"left")

    with contextlib.closing(lookup.create_lookup(root)) as made:
        assert made.count == 0

    assert not journal.exists()
    assert Path(lookup.lookup_path(root)).name == "lookup.sqlite3"


words = st.lists(
    st.sampled_from(["redis", "cache", "缓存", "deploy", "C++", "api"]), min_size=1, max_size=4
)
changes = st.lists(
    st.dictionaries(st.integers(1, 4), words.map(" ".join), max_size=4), min_size=1, max_size=5
)


@settings(max_examples=60)
@given(changes)
def test_updated_equals_rebuilt(states):
    updated = empty()
    for state in states:
        sections = {section_digest(one): one for one in (section(n, t) for n, t in state.items())}
        present = set(updated.digests(DAY).values())
        there = dict(item for one in sections.values() for item in kept(one).items())
        updated.remove(updated.keep(DAY, there))
        updated.add([indexed(one) for digest, one in sections.items() if digest not in present])

    rebuilt = empty()
    rebuilt.add([indexed(section(n, t)) for n, t in states[-1].items()])

    assert {k: v for k, v in contents(updated).items() if k != "lengths"} == {
        k: v for k, v in contents(rebuilt).items() if k != "lengths"
    }
    assert updated.average_lengths == rebuilt.average_lengths or not states[-1]


def test_a_section_that_only_moved_keeps_its_key():
    cache = empty()
    one = section(1, "redis")
    cache.add([indexed(one)])

    cache.keep(DAY, kept(one._replace(span=Span(100, 105))))

    place = Place(0, DAY.toordinal(), 1, 1, "", Span(100, 105), "", 10_000, 10_500)
    assert cache.places([0]) == [place]


def test_a_key_is_never_given_twice():
    cache = empty()
    cache.add([indexed(section(1, "redis"))])
    cache.remove(cache.keep(DAY, {}))

    cache.add([indexed(section(1, "redis"))])

    assert [posting >> 8 for posting in cache.postings("redi")] == [1]


def test_more_sessions_than_a_row_holds_are_all_found():
    cache = empty()
    count = BLOCK + 5

    cache.add([indexed(section(n, f"redis {n}")) for n in range(1, count + 1)])

    assert [posting >> 8 for posting in cache.postings("redi")] == list(range(count))
    assert cache.count == count
    assert cache.places([count - 1])[0].number == count


def test_what_is_added_one_by_one_is_the_same_as_together():
    sections = [section(number, f"redis t{number}") for number in range(1, MOST_POSTINGS + 60)]
    together, single = empty(), empty()

    together.add([indexed(one) for one in sections])
    for one in sections:
        single.add([indexed(one)])

    assert contents(single) == contents(together)


@pytest.mark.parametrize("count", [3, 40])
def test_sessions_of_several_rows_are_taken_out_together(count):
    cache = empty()
    sections = [section(number, f"redis t{number}") for number in range(1, BLOCK + 61)]
    cache.add([indexed(one) for one in sections])
    gone = set(range(0, BLOCK + 60, (BLOCK + 60) // count))

    cache.remove(sorted(gone))

    left = [key for key in range(BLOCK + 60) if key not in gone]
    assert [posting >> 8 for posting in cache.postings("redi")] == left
    assert cache.frequencies(["redi"]) == {"redi": len(left)}
    assert cache.count == len(left)
    assert [key for key, day in enumerate(cache.days) if day] == left
    cache.remove(left)
    assert contents(cache)["postings"] == {}


def test_sessions_with_keys_far_apart_are_taken_out_together():
    cache = empty()
    for number in range(1, 31):
        cache.add([indexed(section(number, "redis"))])
        cache.note(next_key=str(256 * number))
    keys = [posting >> 8 for posting in cache.postings("redi")]

    cache.remove(keys[:25])

    assert [posting >> 8 for posting in cache.postings("redi")] == keys[25:]
    assert (cache.count, cache.frequencies(["redi"])) == (5, {"redi": 5})


def test_a_new_file_is_for_the_owner_only_and_opens_again(root):
    made = lookup.create_lookup(root)
    made.add([indexed(section(1, "redis"))])
    made.note_listing([("2026-01", "2026-01-29.md", b"", "2026-01-29.md abc")], is_all=True)
    made.commit()
    made.close()

    opened = lookup.open_lookup(root)

    assert opened is not None
    assert opened.hashes() == {"2026-01-29.md": "abc"}
    assert opened.count == 1
    assert opened.is_sound()
    assert stat.S_IMODE(os.stat(lookup.lookup_path(root)).st_mode) == 0o600
    opened.close()


def test_a_listing_of_all_files_leaves_no_month_of_the_one_before(root):
    first, second, third = (
        (f"2026-0{month}", f"2026-0{month}-01.md", b"", "") for month in (1, 2, 3)
    )
    with contextlib.closing(lookup.create_lookup(root)) as made:
        made.note_listing([first, second], is_all=True)
        made.note_listing([third], is_all=False)
        of_months = made.months()
        made.note_listing([second], is_all=True)

        assert (of_months, made.months()) == (["2026-01", "2026-02", "2026-03"], ["2026-02"])


@pytest.mark.parametrize("data", [b"", b"garbage" * 1000, b"SQLite format 3\0" + b"\xff" * 4096])
def test_a_file_that_is_no_cache_is_not_trusted(root, data):
    with open(lookup.lookup_path(root), "wb") as file:
        file.write(data)

    assert lookup.open_lookup(root) is None


def test_a_cache_with_names_that_are_no_text_is_not_trusted(root):
    lookup.create_lookup(root).close()
    path = Path(lookup.lookup_path(root))
    path.write_bytes(
        path.read_bytes()
        .replace(b"CREATE TABLE blocks", b"CRXATE TABLE blocks")
        .replace(b"blocks", b"\x96locks")
    )

    assert lookup.open_lookup(root) is None


def test_a_cache_of_another_version_is_not_trusted(root):
    made = lookup.create_lookup(root)
    made.note(version="0")
    made.commit()
    made.close()

    assert lookup.open_lookup(root) is None


def test_since_python_3_11_that_of_an_encrypted_memory_can_be_kept():
    assert (sys.version_info >= (3, 11)) == lookup.CAN_SEAL


def test_no_file_is_no_cache(root):
    assert lookup.open_lookup(root) is None


def test_a_copy_in_memory_changes_nothing_on_disk(root):
    made = lookup.create_lookup(root)
    made.add([indexed(section(1, "redis"))])
    made.commit()

    copy = lookup.copy_in_memory(made)
    copy.remove(copy.keep(DAY, {}))

    assert copy.count == 0
    assert made.count == 1
    made.close()


def test_what_is_taken_back_was_never_there(root):
    made = lookup.create_lookup(root)
    made.add([indexed(section(1, "redis"))])
    made.commit()
    made.add([indexed(section(2, "redis cache"))])
    assert (made.count, len(made.postings("redi"))) == (2, 2)

    made.take_back()

    assert (made.count, len(made.postings("redi")), len(made.postings("cach"))) == (1, 1, 0)
    made.close()


def test_a_damaged_file_is_not_sound(root):
    made = lookup.create_lookup(root)
    made.add([indexed(section(n, f"word{n} redis cache")) for n in range(1, 400)])
    made.commit()
    made.close()
    with open(lookup.lookup_path(root), "r+b") as file:
        file.seek(3 * 4096)
        file.write(os.urandom(8 * 4096))

    connection = sqlite3.connect(lookup.lookup_path(root))

    assert not Lookup(connection).is_sound()
    connection.close()


def test_a_cache_that_goes_away_while_it_is_opened_is_none(root, monkeypatch):
    monkeypatch.setattr(os.path, "isfile", lambda _: True)

    assert lookup.open_lookup(root) is None
    assert not os.path.exists(lookup.lookup_path(root))


def test_a_cache_that_may_not_be_read_now_is_none(root, monkeypatch):
    lookup.create_lookup(root).close()
    monkeypatch.setattr(sqlite, "BUSY_S", 0)
    with sqlite3.connect(lookup.lookup_path(root)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")

        assert lookup.open_lookup(root) is None


@pytest.mark.parametrize("name", ["a?b", "a#b", "a%41b", "空 格"])
def test_any_name_of_a_folder_will_do(tmp_path, name):
    made = project_root(str(tmp_path / name))
    files.make_folder(made.index_folder)
    lookup.create_lookup(made).close()

    opened = lookup.open_lookup(made)
    assert opened is not None
    opened.close()


def test_whatever_the_process_takes_away_the_owner_can_read_it(root):
    old = os.umask(0o777)
    try:
        lookup.create_lookup(root).close()
    finally:
        os.umask(old)

    assert os.stat(lookup.lookup_path(root)).st_mode & 0o777 == 0o600

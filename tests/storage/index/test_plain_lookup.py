"""The index without SQLite answers as the one with it."""

from __future__ import annotations

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from daily_memory.model import SessionId
from daily_memory.storage.index import lookup
from daily_memory.storage.index.lookup import Filters, Indexed
from daily_memory.storage.index.plain_lookup import PlainLookup
from tests.storage.index.test_lookup import DAY, contents, indexed, section

TOPICS = st.lists(st.sampled_from(["redis", "缓存", "cache", "TTL 300", "nginx"]), max_size=4)
ADDED = st.lists(
    st.tuples(
        st.integers(0, 3), TOPICS, st.sampled_from(["", "git: Ann"]), st.booleans(), st.booleans()
    ),
    max_size=8,
)


def made(number: int, values: tuple[int, list[str], str, bool, bool]) -> Indexed:
    day, topic, origin, is_important, is_of_shop = values
    tags = ("important", "Redis") if is_important else ("ops",)
    one = section(
        number,
        " ".join(topic),
        DAY + timedelta(days=day),
        tags=tags,
        project="shop" if is_of_shop else "",
    )
    return indexed(one)._replace(origin=origin)


@given(ADDED)
def test_both_answer_the_same(values):
    plain, stored = PlainLookup(), lookup.copy_in_memory(None)
    added = [made(number, one) for number, one in enumerate(values, 1)]
    for cache in (plain, stored):
        cache.keep(DAY, {})
        cache.add(added)
        cache.note(warnings="one")
        cache.note_listing(b"x")
        cache.note_hashes({"2026-01-29.md": "0"})
        cache.commit()

    assert contents(plain) == contents(stored)
    for filters in (
        Filters(),
        Filters(first_day=DAY.toordinal() + 1),
        Filters(last_day=DAY.toordinal()),
        Filters(tags=("REDIS",)),
        Filters(projects=("shop",)),
    ):
        assert plain.matching_keys(filters) == stored.matching_keys(filters)
    assert plain.important_keys() == stored.important_keys()
    assert plain.origins() == stored.origins()
    assert plain.hashes() == stored.hashes()
    assert plain.vocabulary_size() == stored.vocabulary_size()
    assert plain.vocabulary("r", 2, 9) == stored.vocabulary("r", 2, 9)
    for day in (DAY, DAY + timedelta(days=1)):
        assert plain.digests(day) == stored.digests(day)
        assert plain.day_origins(day) == stored.day_origins(day)
    assert (plain.meta("warnings"), plain.meta("nothing")) == ("one", "")
    assert plain.is_sound()
    plain.close()
    stored.close()


def test_nothing_of_it_is_compared_with_the_files_of_a_later_answer():
    plain = PlainLookup()
    plain.note_listing(b"seen")

    assert plain.listing() == b""


def test_an_origin_is_known_by_the_id_of_its_section():
    plain = PlainLookup()
    plain.add([made(3, (0, ["redis"], "git: Ann", False, False))])

    assert plain.origins() == {SessionId(date(2026, 1, 29), 3, 1): "git: Ann"}

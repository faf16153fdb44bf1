"""An index in memory answers as the one in SQLite."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from daily_memory.model import Section
from daily_memory.storage.index import lookup
from daily_memory.storage.index.lookup import Filters
from daily_memory.storage.index.plain_lookup import PlainLookup
from tests.storage.index.test_lookup import DAY, indexed, section

TOPICS = st.lists(st.sampled_from(["redis", "缓存", "cache", "TTL 300", "nginx"]), max_size=4)
ADDED = st.lists(
    st.tuples(
        st.integers(0, 3), TOPICS, st.sampled_from(["", "git: Ann"]), st.booleans(), st.booleans()
    ),
    max_size=8,
)


def made(number: int, values: tuple[int, list[str], str, bool, bool]) -> Section:
    day, topic, origin, is_important, is_of_shop = values
    tags = ("important", "Redis") if is_important else ("ops",)
    one = section(
        number,
        " ".join(topic),
        DAY + timedelta(days=day),
        tags=tags,
        project="shop" if is_of_shop else "",
    )
    return one._replace(session=one.session._replace(origin=origin))


@given(ADDED)
def test_both_answer_the_same(values):
    sections = [made(number, one) for number, one in enumerate(values, 1)]
    plain, stored = PlainLookup(sections), lookup.copy_in_memory(None)
    stored.add([indexed(one)._replace(origin=one.session.origin) for one in sections])
    stored.commit()

    assert (plain.count, list(plain.days)[:8]) == (stored.count, list(stored.days)[: plain.count])
    keys = range(plain.count)
    assert plain.places(keys) == [place._replace(start=0, stop=0) for place in stored.places(keys)]
    for term in ("redis", "缓存", "300", "cach", "none"):
        assert plain.postings(term) == stored.postings(term)
    for filters in (
        Filters(),
        Filters(first_day=DAY.toordinal() + 1),
        Filters(last_day=DAY.toordinal()),
        Filters(tags=("REDIS",)),
        Filters(projects=("shop",)),
    ):
        assert plain.matching_keys(filters) == stored.matching_keys(filters)
    assert plain.important_keys() == stored.important_keys()
    assert plain.vocabulary_size() == stored.vocabulary_size()
    assert plain.vocabulary("r", 2, 9) == stored.vocabulary("r", 2, 9)
    plain.close()
    stored.close()

"""Who is told how far work is."""

from __future__ import annotations

from daily_memory.core.progress import tell, told_to, watched


def test_only_who_listens_meanwhile_is_told():
    outer: list[tuple[int, int]] = []
    inner: list[tuple[int, int]] = []

    tell(0, 9)
    with told_to(lambda *at: outer.append(at)):
        tell(1, 9)
        with told_to(lambda *at: inner.append(at)):
            tell(2, 9)
        tell(3, 9)
    tell(4, 9)

    assert (outer, inner) == ([(1, 9), (3, 9)], [(2, 9)])


def test_an_item_is_done_when_the_next_one_is_asked_for():
    told: list[tuple[int, int]] = []

    with told_to(lambda *at: told.append(at)):
        items = watched("ab")
        assert (next(items), told) == ("a", [])
        assert (next(items), told) == ("b", [(1, 2)])
        assert (list(items), told) == ([], [(1, 2), (2, 2)])

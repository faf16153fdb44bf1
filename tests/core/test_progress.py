"""Who is told how far work is."""

from __future__ import annotations

from daily_memory.core.progress import progress_to, report_progress, with_progress


def test_only_who_listens_meanwhile_is_told():
    outer: list[tuple[int, int]] = []
    inner: list[tuple[int, int]] = []

    report_progress(0, 9)
    with progress_to(lambda *at: outer.append(at)):
        report_progress(1, 9)
        with progress_to(lambda *at: inner.append(at)):
            report_progress(2, 9)
        report_progress(3, 9)
    report_progress(4, 9)

    assert (outer, inner) == ([(1, 9), (3, 9)], [(2, 9)])


def test_an_item_is_done_when_the_next_one_is_asked_for():
    told: list[tuple[int, int]] = []

    with progress_to(lambda *at: told.append(at)):
        items = with_progress("ab")
        assert (next(items), told) == ("a", [])
        assert (next(items), told) == ("b", [(1, 2)])
        assert (list(items), told) == ([], [(1, 2), (2, 2)])

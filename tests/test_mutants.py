"""The mutants of scripts.mutants, and how the tests that may notice one are found."""

from __future__ import annotations

import ast

import pytest
from scripts import mutants


@pytest.mark.parametrize(
    ("source", "after"),
    [
        ("a < b", ["((a) <= (b))"]),
        ("x = (0, 16)", ["1", "17"]),
        ("x = '换行\\n'", ["'XX换行\\n'"]),
        ("if not a: pass", ["bool((a))"]),
        ("a and b or c", ["((a) or (b))", "((a and b) and (c))"]),
        ("def f():\n    '''Doc.'''\n    return a", ["return None"]),
        ("def f():\n    return False", ["True"]),
        ("x: int\nraise E('text')\nimport os", []),
        ("for x in y:\n    go()\n    continue", ["pass", "break"]),
    ],
)
def test_each_mutant_changes_one_thing(source, after):
    found = mutants.find_mutants("m.py", source)

    assert sorted(mutant.after for mutant in found) == sorted(after)
    for mutant in found:
        assert source[mutant.start : mutant.end] == mutant.before
        ast.parse(source[: mutant.start] + mutant.after + source[mutant.end :])


def test_a_module_is_tried_by_its_own_tests_first():
    stages = list(mutants.load_tests().stages("skill/daily_memory/core/search/text.py"))

    assert stages[0][0] == "tests/core/search/test_text.py"
    assert "tests/core/search/test_dates.py" in {test for stage in stages for test in stage}
    assert len({test for stage in stages for test in stage}) == sum(map(len, stages))


def test_a_noticed_mutant_is_killed_and_the_copy_is_as_before(tmp_path):
    copy = mutants.copy_checkout(tmp_path)
    path = "skill/daily_memory/core/search/snippet.py"
    before = (copy / path).read_text(encoding="utf-8")
    start = before.index("def ")
    broken = mutants.Mutant(path, 1, start, start + 3, "def", "raise RuntimeError  #")

    assert mutants.is_killed(broken, copy, mutants.load_tests())
    assert (copy / path).read_text(encoding="utf-8") == before

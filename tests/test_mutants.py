"""The mutants of scripts.mutants, and the tests that may notice one."""

from __future__ import annotations

import ast

import pytest
from scripts import executed_lines, mutants


@pytest.mark.parametrize(
    ("source", "after"),
    [
        ("a < b", ["((a) <= (b))"]),
        ("x = (0, 16, 1_000)", ["1", "17", "2000"]),
        ("x = '换行\\n'", ["'XX换行\\n'"]),
        ("x = -1", ["0"]),
        ("x = y.strip('ab') in '换行'", ["'b'", "'行'", "((y.strip('ab')) not in ('换行'))"]),
        ("x = frozenset('ab'), set('a'.split())", ["'b'", "'XXa'"]),
        ("if os.name == 'nt':\n    a = 1", []),
        ("if not a: pass", ["bool((a))"]),
        ("a and b or c", ["((a) or (b))", "((a and b) and (c))"]),
        ("def f():\n    '''Doc.'''\n    return a", ["return None"]),
        ("def f():\n    return False", ["True"]),
        ("x: int\nraise E('text')\nimport os", []),
        ("raised = SomeError('text')\nboth = zip(a, b, strict=True)", []),
        ("def f(a=1):\n    '''Doc.'''\n    ...", []),
        ("for x in y:\n    go()\n    continue", ["pass", "break"]),
    ],
)
def test_each_mutant_changes_one_thing(source, after):
    found = mutants.find_mutants("m.py", source)

    assert sorted(mutant.after for mutant in found) == sorted(after)
    for mutant in found:
        data = source.encode()
        assert data[mutant.start : mutant.end].decode() == mutant.before
        ast.parse(data[: mutant.start] + mutant.after.encode() + data[mutant.end :])


def test_a_mutant_knows_the_lines_of_its_statement_but_at_import():
    source = "LEAST = 1\n\ndef f(a):\n    if (a >\n            1):\n        return 3\n"

    found = mutants.find_mutants("m.py", source)

    assert {(mutant.after, mutant.lines) for mutant in found} == {
        ("2", ()),
        ("((a) >= (1))", (4, 5)),
        ("2", (4, 5)),
        ("4", (6, 6)),
        ("return None", (6, 6)),
    }


def test_a_mutant_is_tried_by_the_tests_that_execute_it_and_its_own_come_first(tmp_path):
    files = [f"tests/core/search/test_{name}.py" for name in ("fuzzy", "query", "dates")]
    path = "skill/daily_memory/core/search/fuzzy.py"
    source = (executed_lines.CHECKOUT / path).read_text(encoding="utf-8")
    found = mutants.find_mutants(path, source)
    mutant = next(each for each in found if each.before == "len(typed) <= _LONGEST_WORD")

    executed = executed_lines.load(tmp_path, 1, files)
    stages = [{test.split("::")[0] for test in stage} for stage in mutants.stages(mutant, executed)]
    killers = [
        mutants.find_killer(each, executed.copy, executed)
        for each in (mutant._replace(after="False"), mutant._replace(after=mutant.before))
    ]

    assert stages == [{files[0]}, {files[1]}]
    assert [killer.partition("::")[0] for killer in killers] == [f"FAILED {files[0]}", ""]
    assert (executed.copy / path).read_text(encoding="utf-8") == source
    gone = dict.fromkeys([f"{files[0]}::gone[1-a]", f"{files[0]}::gone[2]"], 0.0)
    unknown = executed._replace(seconds=executed.seconds | gone)
    killer = mutants.find_killer(mutant._replace(lines=(), after="False"), unknown.copy, unknown)
    assert killer.startswith(f"FAILED {files[0]}")
    nothing = executed._replace(seconds=gone)
    assert mutants.find_killer(mutant._replace(lines=()), nothing.copy, nothing) == ""

"""What the tools of a session did: files, commands that failed and passed, what is left."""

from __future__ import annotations

import pytest

from daily_memory.core.digests.actions import Outcome, actions
from daily_memory.core.digests.tool_output import compress
from daily_memory.core.observation import Observation


def used(tool: str, arguments: object, output: object = None, error: str = "") -> Observation:
    use = compress(tool, arguments, output, error)
    return Observation("", "error" if use.failed else "tool", use.text, use.tool, use.files)


def edit(path: str) -> Observation:
    return used("Edit", {"file_path": path, "old_string": "a\nb\nc", "new_string": "d"})


def ran(command: str, output: str = "", status: int = 0) -> Observation:
    return used("Bash", {"command": command}, {"exitCode": status, "stdout": output})


def outcomes(*observations: Observation, language: str = "en") -> list[Outcome]:
    return list(actions(observations, language).outcomes)


def test_a_command_that_failed_and_then_passed_is_told_with_its_error_and_its_result():
    runs = (ran("npm test", "TypeError: x\n1 failed", 1), ran("cd a && npm test", "132 passed"))

    assert outcomes(*runs) == [
        Outcome(
            "`npm test` failed at first (TypeError: x), then passed: 132 passed", "mended", True
        )
    ]
    assert outcomes(*runs, language="zh") == [
        Outcome("`npm test` 先失败（TypeError: x），后通过：132 passed", "mended", True)
    ]


def test_a_check_that_failed_in_the_end_is_told_as_such():
    found = outcomes(ran("pytest -q", "9 passed"), ran("pytest -q", "E   KeyError: 'a'", 1))

    assert found == [
        Outcome("`pytest -q` failed in its last run: E KeyError: 'a'", "failed last", True)
    ]


def test_a_check_that_failed_before_another_one_passed_is_no_last_word():
    found = outcomes(ran("tsc", "error TS1: x", 2), ran("npm test", "3 passed"))

    assert [outcome.verdict for outcome in found] == ["failed", "passed"]


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("pytest -q", "`pytest -q` passed: 3 passed"),
        ("git push origin main", "`git push origin main` ran: 3 passed"),
        ("ls", ""),
        ("python x.py", ""),
        ("echo `date` && make check", "`make check` passed: 3 passed"),
    ],
)
def test_of_what_went_well_checks_and_changes_are_told(command, text):
    found = outcomes(ran(command, "3 passed"))

    assert [outcome.text for outcome in found] == ([text] if text else [])


def test_an_error_is_told_of_the_command_that_failed():
    other = outcomes(ran("terraform validate", "Error: x", 1), ran("terraform plan", "3 to add"))
    narrower = outcomes(ran("pytest tests/a.py", "KeyError", 1), ran("pytest -q", "9 passed"))

    assert [outcome.text for outcome in other] == ["`terraform validate` failed: Error: x"]
    assert [outcome.text for outcome in narrower] == [
        "`pytest tests/a.py` failed at first (KeyError), then `pytest -q` passed: 9 passed"
    ]


def test_the_status_of_a_pipe_hides_no_failure():
    found = outcomes(ran("npm test | tail -5", "Tests: 1 failed, 4 passed"))

    assert [outcome.verdict for outcome in found] == ["failed last"]


def test_a_failure_without_a_word_is_told_by_its_status():
    found = outcomes(ran("make deploy", "", 2), ran("make deploy"), ran("./x.sh", "", 3))

    assert [outcome.text for outcome in found] == [
        "`make deploy` failed at first (exit 2), then passed",
        "`./x.sh` failed",
    ]


def test_runs_of_one_program_belong_together_whatever_their_arguments():
    found = outcomes(
        ran("docker compose up -d", "Error: port", 1),
        ran("docker compose up -d api"),
        ran("docker build ."),
        ran("npm run lint", "1 error", 1),
        ran("npm test", "ok 1"),
    )

    assert [outcome.verdict for outcome in found] == ["mended", "passed", "failed", "passed"]


def test_files_are_those_that_were_changed_most_and_are_still_there():
    found = actions(
        [
            edit("src/a.py"),
            edit("tests/test_a.py"),
            edit("tests/test_a.py"),
            edit("old.py"),
            used("Write", {"file_path": "b.md", "content": "x"}, {"type": "create"}),
            used("Delete", {"file_path": "old.py"}),
            used("Read", {"file_path": "/usr/include/x.h"}),
        ],
        "zh",
    )

    assert found.touched == ("tests/test_a.py", "b.md", "src/a.py")
    assert found.read == ("/usr/include/x.h",)


@pytest.mark.parametrize(
    ("observations", "language", "summary"),
    [
        ([edit(f"f{n}.py") for n in range(9)], "en", "Changed: f8.py, f7.py, f6.py, f5.py, f4.py"),
        ([edit("C:\\work\\app\\a.cpp")], "zh", "修改：app/a.cpp"),
        ([ran("npm test", "3 passed")], "en", "`npm test` passed: 3 passed"),
        ([], "en", ""),
    ],
)
def test_one_line_sums_up_what_was_changed_or_came_out(observations, language, summary):
    assert actions(observations, language).summary(language) == summary


def test_an_edit_of_one_line_is_told_with_both_lines():
    change = {"file_path": "a.py", "old_string": "ttl = 3", "new_string": "ttl = 5"}

    found = actions([used("Edit", change), edit("b.py")], "en")

    assert found.edits == ("a.py: ttl = 3 → ttl = 5",)


def test_of_several_edits_of_a_line_the_end_is_told():
    steps = [("on", "once"), ("once", "off"), ("x = 1", "x = 2"), ("x = 2", "x = 1")]
    edits = [
        used("Edit", {"file_path": "a.py", "old_string": old, "new_string": new})
        for old, new in steps
    ]

    assert actions(edits, "en").edits == ("a.py: on → off",)


def test_tasks_answers_and_what_the_last_list_leaves_undone_are_told():
    lists = [[{"content": "old"}], [{"content": "写文档"}, {"content": "x", "status": "done"}]]
    found = actions(
        [
            used("Task", {"description": "Find usages"}, "3 usages"),
            used("AskUserQuestion", {}, {"answers": {"Which DB?": "PostgreSQL"}}),
            *(used("TodoWrite", {"todos": todos}) for todos in lists),
            Observation("", "user", "hello"),
        ],
        "en",
    )

    assert found.tasks == ("Find usages",)
    assert found.answers == ("Which DB? → PostgreSQL",)
    assert found.to_do == ("写文档",)


def test_a_task_is_told_once_and_never_as_a_mark_alone():
    asked = {"description": "查缓存", "prompt": "look"}
    old = Observation("", "tool", "?\nno lock", "task")

    found = actions(
        [used("Agent", asked), used("Task", asked, "没有锁"), used("Task", {}), old], "zh"
    )

    assert found.tasks == ("查缓存",)


def test_what_passes_as_a_part_of_a_chain_has_passed():
    build, chain = "dbt build -s orders", "dbt run-operation clean && dbt build -s orders"

    found = outcomes(ran(build, "Got 3912 results", 1), ran(chain, "PASS=4"))

    assert [outcome.verdict for outcome in found] == ["mended"]


def test_of_a_question_that_is_asked_again_the_last_answer_counts():
    asked = [
        used("AskUserQuestion", {"questions": []}, {"answers": {"Which DB?": answer}})
        for answer in ("MySQL", "PostgreSQL")
    ]

    assert actions(asked, "en").answers == ("Which DB? → PostgreSQL",)

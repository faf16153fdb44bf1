"""What the tools of a session did: files, commands that failed and passed, what is left."""

from __future__ import annotations

import pytest

from daily_memory.core.digests.actions import Outcome, actions
from daily_memory.core.observation import Observation
from daily_memory.core.tools.tool_output import shorten_call


def used(tool: str, arguments: object, output: object = None, error: str = "") -> Observation:
    use = shorten_call(tool, arguments, output, error)
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
        Outcome("`npm test` failed at first (TypeError: x), then passed: 132 passed", "mended")
    ]
    assert outcomes(*runs, language="zh") == [
        Outcome("`npm test` 先失败（TypeError: x），后通过：132 passed", "mended")
    ]


def test_a_check_that_failed_in_the_end_is_told_as_such():
    found = outcomes(ran("pytest -q", "9 passed"), ran("pytest -q", "E   KeyError: 'a'", 1))

    assert found == [Outcome("`pytest -q` failed in its last run: E KeyError: 'a'", "failed last")]


def test_of_commands_that_check_nothing_only_a_failure_at_the_end_is_kept():
    deploy = ran("kubectl apply -f shop.yaml", "Error: forbidden", 1)
    last = Outcome(
        "`kubectl apply -f shop.yaml` failed in its last run: Error: forbidden", "failed last"
    )

    assert outcomes(deploy, ran("git log -3")) == [last]
    assert outcomes(deploy, ran("kubectl apply -f shop.yaml", "shop created")) == []
    assert outcomes(deploy, ran("git push", "done")) == []


@pytest.mark.parametrize("other", ["uv run main.py", "uv run"])
def test_a_check_is_kept_whatever_else_the_same_program_runs_after_it(other: str):
    check = ran("uv run pytest -q", "3 passed")

    assert outcomes(check, ran(other, "done")) == outcomes(check)
    assert outcomes(check, ran(other, "Error: x", 1))[:1] == outcomes(check) != []


def test_answers_and_what_the_last_list_leaves_undone_are_told():
    lists = [[{"content": "old"}], [{"content": "写文档"}, {"content": "x", "status": "done"}]]
    found = actions(
        [
            used("AskUserQuestion", {}, {"answers": {"Which DB?": "PostgreSQL"}}),
            *(used("TodoWrite", {"todos": todos}) for todos in lists),
            Observation("", "user", "hello"),
        ],
        "en",
    )

    assert found.answers == ("Which DB? → PostgreSQL",)
    assert found.to_do == ("写文档",)


@pytest.mark.parametrize(("language", "words"), [("en", "Approved plan: "), ("zh", "已批准方案：")])
def test_approved_plans_are_told_once_each_by_their_titles(language: str, words: str):
    uses = (
        used("ExitPlanMode", {"plan": "# Use SQLite for sessions"}, "", "The user rejected it"),
        used("ExitPlanMode", {}, {"plan": "# Use Redis for sessions\n\n1. Add it"}),
        used("ExitPlanMode", {}, {"plan": "# Use Redis for sessions\n\n1. Add it now"}),
        used("ExitPlanMode", {}, {"plan": "# 给导出加上限流"}),
    )

    plans = actions(uses, language).plans

    assert plans == (f"{words}Use Redis for sessions", f"{words}给导出加上限流")


def test_a_plan_of_which_the_file_is_told_has_the_title_that_was_written_to_it():
    path = "/home/u/.gemini/tmp/app/eb78/plans/redis.md"
    uses = (
        used("write_file", {"file_path": path, "content": "# Use Redis for sessions\n\n1. Add it"}),
        used("exit_plan_mode", {"plan_filename": "redis.md"}, f"Plan approved: {path}"),
        used("exit_plan_mode", {"plan_filename": "other.md"}, "Plan approved: /x/plans/other.md"),
    )

    found = actions(uses, "en")

    assert found.plans == ("Approved plan: Use Redis for sessions", "Approved plan: other.md")
    assert found.touched == ()


@pytest.mark.parametrize(
    ("path", "is_of_project"),
    [
        ("/home/u/.claude/plans/a-b.md", False),
        ("C:\\Users\\u\\.claude\\plans\\a-b.md", False),
        ("/home/u/.copilot/session-state/3f/plan.md", False),
        ("/home/u/notes/plan.md", True),
        (".cursor/plans/export.plan.md", True),
        ("docs/plan.md", True),
        ("/home/u/app/.github/workflows/plan.yml", True),
        ("/home/u/.config/nvim/lua/plans/keys.lua", True),
        ("/home/u/.cursor/worktrees/app/3f/docs/plans/export.md", True),
    ],
)
def test_the_file_in_which_a_host_keeps_a_plan_is_none_of_the_project(path, is_of_project):
    assert bool(actions([edit(path)], "en").touched) == is_of_project


def test_of_a_question_that_is_asked_again_the_last_answer_counts():
    asked = [
        used("AskUserQuestion", {"questions": []}, {"answers": {"Which DB?": answer}})
        for answer in ("MySQL", "PostgreSQL")
    ]

    assert actions(asked, "en").answers == ("Which DB? → PostgreSQL",)


def test_what_was_committed_is_told_by_its_first_line_and_an_amended_one_replaced():
    told = actions(
        (
            ran("git commit -m \"$(cat <<'EOF'\nfix: join Compat.h and XUtils.h\n\nBody\nEOF\n)\""),
            ran("git add -A && git commit -qam 'docs: typo'"),
            ran("git commit --amend -m 'docs: typo in the README'"),
            ran("git commit -m 'refused by a hook'", "hook failed", 1),
            ran("git commit --amend --no-edit"),
        ),
        "en",
    )

    assert told.commits == (
        "Committed: fix: join Compat.h and XUtils.h",
        "Committed: docs: typo in the README",
    )


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("psql -f rows.sql", "committed: 3, and from now on run this"),
        ("git commit --amend --no-edit && git tag -a v1 -m 'Release 1'", "ok"),
        ("echo \"git commit -m 'x'\"", "git commit -m 'x'"),
        ('git commit -m "$MESSAGE"', "1 file changed"),
        ("git commit --allow-empty-message -m ' '", "1 file changed"),
    ],
)
def test_what_only_looks_like_a_commit_is_none(command, output):
    assert actions([ran(command, output)], "en").commits == ()


def test_an_output_that_names_amend_replaces_no_commit():
    first, second = (ran(f"git commit -m '{name}'", "1: try git commit --amend") for name in "ab")

    assert actions([first, second], "en").commits == ("Committed: a", "Committed: b")

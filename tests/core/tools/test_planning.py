"""Task lists and approved plans, in the forms in which hosts really tell them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.observation import Observation
from daily_memory.core.tools.planning import open_tasks, with_plans
from daily_memory.core.tools.tool_output import MAX_CHARS, shorten_call

PLAN = (
    "# Move the session store to Redis\n\n## Context\n\nSessions are kept in memory and lost at"
    " each deploy.\n\n## Steps\n\n1. Add `redis` to requirements.txt\n2. Write `store.py`\n"
)
TOLD = (
    "approved: Move the session store to Redis\n## Context\nSessions are kept in memory and lost at"
    " each deploy.\n## Steps\n1. Add `redis` to requirements.txt\n2. Write `store.py`"
)
SAVED = "/home/u/.claude/plans/plan-a-move-of-recursive-leaf.md"


def told(tool: str, arguments: object, output: object = None) -> str:
    use = shorten_call(tool, arguments, output)
    assert use.tool in ("todos", "plan")
    assert not use.failed
    return use.text


# What the hooks of Claude Code 2.1.330, Codex 0.169.0, Gemini CLI 0.61.0 and Qwen Code 0.24.4
# received, and what Cursor and Copilot keep in their databases.
@pytest.mark.parametrize(
    ("tool", "arguments", "output", "text"),
    [
        (
            "TaskCreate",
            {"subject": "Add the route", "description": "In app.py", "activeForm": "Adding it"},
            {"task": {"id": "2", "subject": "Add the route", "description": "In app.py"}},
            "[ ]#2 Add the route\n  In app.py",
        ),
        (
            "TaskCreate",
            {"subject": "Add the route", "description": "Add the route"},
            "Task #2 created successfully: Add the route",
            "[ ]#2 Add the route",
        ),
        (
            "TaskUpdate",
            {"taskId": "1", "status": "in_progress"},
            {
                "success": True,
                "taskId": "1",
                "updatedFields": ["status"],
                "statusChange": {"from": "pending", "to": "in_progress"},
            },
            "[ ]#1 → in progress",
        ),
        (
            "TaskUpdate",
            {"taskId": "4", "status": "deleted"},
            {"success": True, "taskId": "4", "updatedFields": ["deleted"]},
            "[x]#4 → deleted",
        ),
        (
            "TaskUpdate",
            {"taskId": "2", "subject": "Add the route /report.csv"},
            {"success": True, "taskId": "2", "updatedFields": ["subject"]},
            "#2 Add the route /report.csv",
        ),
        (
            "TaskUpdate",
            {"taskId": "2", "subject": "Add the route", "status": "completed"},
            {"success": True},
            "[x]#2 Add the route",
        ),
        (
            "TaskUpdate",
            {"taskId": "3", "addBlockedBy": ["2"]},
            {"success": True, "taskId": "3", "updatedFields": ["blockedBy"]},
            "taskId=3, addBlockedBy=(1)",
        ),
        (
            "TaskGet",
            {"taskId": "2"},
            {
                "task": {
                    "id": "2",
                    "subject": "Add the route",
                    "description": "In app.py",
                    "status": "pending",
                    "blocks": ["3"],
                    "blockedBy": [],
                }
            },
            "[ ]#2 Add the route\n  In app.py",
        ),
        (
            "TaskList",
            {},
            {
                "tasks": [
                    {"id": "1", "subject": "Serialize", "status": "completed", "blockedBy": []},
                    {"id": "2", "subject": "Add the route", "status": "pending", "blockedBy": []},
                ]
            },
            "- [x]#1 Serialize\n- [ ]#2 Add the route",
        ),
        (
            "TaskList",
            {},
            "#1 [completed] Serialize\n#2 [pending] Add the route [blocked by #1]",
            "- [x]#1 Serialize\n- [ ]#2 Add the route [blocked by #1]",
        ),
        (
            "update_plan",
            {
                "explanation": "two steps",
                "plan": [
                    {"step": "Serialize", "status": "completed"},
                    {"step": "加路由", "status": "in_progress"},
                ],
            },
            "Plan updated",
            "- [x] Serialize\n- [ ] 加路由",
        ),
        (
            "write_todos",
            {
                "todos": [
                    {"description": "Serialize", "status": "in_progress"},
                    {"description": "Drop XML", "status": "cancelled"},
                ]
            },
            "Successfully updated the todo list.",
            "- [ ] Serialize\n- [x] Drop XML",
        ),
        (
            "todo_write",
            {"todos": [{"id": "1", "content": "Serialize", "status": "in_progress"}]},
            "Todos have been modified successfully.",
            "- [ ]#1 Serialize",
        ),
        (
            "tracker_create_task",
            {"title": "Serialize", "description": "rows_to_csv", "type": "task"},
            "Created task c5ee19: Serialize",
            "[ ]#c5ee19 Serialize\n  rows_to_csv",
        ),
        ("tracker_update_task", {"id": "c5ee19", "status": "closed"}, "", "[x]#c5ee19 → closed"),
        (
            "todo_write",
            {"merge": True},
            {
                "success": True,
                "finalTodos": [
                    {"content": "梳理接口", "status": "TODO_STATUS_COMPLETED", "id": "a"},
                    {"content": "写测试", "status": "in_progress", "id": "b"},
                ],
                "wasMerge": True,
            },
            "- [x]#a 梳理接口\n- [ ]#b 写测试",
        ),
        (
            "TodoWrite",
            {
                "merge": True,
                "todos": [
                    {"id": "b", "status": "completed"},
                    {"id": "c", "content": "发布", "status": "pending"},
                ],
            },
            None,
            "[x]#b → completed\n[ ]#c 发布",
        ),
        (
            "manage_todo_list",
            {
                "operation": "write",
                "todoList": [{"id": 1, "title": "Serialize", "status": "not-started"}],
            },
            "Successfully wrote todo list",
            "- [ ]#1 Serialize",
        ),
        (
            "update_todo",
            {"todos": "## Export\n- [x] Serialize\n- [ ] Add the route"},
            "ok",
            "- [x] Serialize\n- [ ] Add the route",
        ),
        ("TodoWrite", {"todos": []}, {}, "- no tasks"),
        ("ExitPlanMode", {}, {"plan": PLAN, "isAgent": False, "filePath": SAVED}, TOLD),
        ("ExitPlanMode", {"plan": PLAN}, "User has approved your plan. You can now start.", TOLD),
        ("exit_plan_mode", {"plan": PLAN}, "User approved. You can now start coding.", TOLD),
        (
            "exit_plan_mode",
            {"plan_filename": "redis.md"},
            "Plan approved: /home/u/.gemini/tmp/app/eb78/plans/redis.md",
            "approved: redis.md",
        ),
    ],
)
def test_what_hosts_tell_of_tasks_and_plans_is_one_form(tool, arguments, output, text):
    assert told(tool, arguments, output) == text


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        ({"plan": PLAN}, "Plan execution was not approved. Remaining in plan mode."),
        ({"plan_filename": "redis.md"}, "Rejected (no feedback)"),
        ({"plan": PLAN}, {"plan": PLAN, "isAgent": True, "awaitingLeaderApproval": True}),
        ({}, {"plan": None, "isAgent": False}),
    ],
)
def test_a_plan_that_nobody_approved_is_not_told_as_approved(arguments, output):
    assert not told("ExitPlanMode", arguments, output).startswith("approved")


def test_a_rejected_plan_is_an_error():
    use = shorten_call("ExitPlanMode", {"plan": PLAN}, "", "The user doesn't want to proceed.")

    assert use.failed
    assert "approved" not in use.text


def test_an_update_that_failed_changes_nothing():
    answer = {"success": False, "taskId": "9", "updatedFields": [], "error": "Task not found"}

    use = shorten_call("TaskUpdate", {"taskId": "9", "status": "completed"}, answer)

    assert (use.failed, use.text) == (True, "taskId=9, status=completed\nTask not found")


@pytest.mark.parametrize(
    ("told_of", "left"),
    [
        (["[ ]#1 One\n  what to do", "[ ]#2 Two", "[x]#1 → completed"], ["Two"]),
        (["[ ]#1 One", "[x]#1 → completed", "[ ]#1 → in progress"], ["One"]),
        (["[ ]#1 One", "#1 The first", "[ ]#2 Two", "[x]#2 → deleted"], ["The first"]),
        (["[ ]#1 One", "[x]#1 → completed", "#1 The first"], []),
        (["[ ]#1 One", "taskId=1, addBlockedBy=(1)"], ["One"]),
        (["- [ ] 甲\n- [ ] 乙", "- [x] 甲\n- [ ] 丙"], ["丙"]),
        (["- [ ]#a 甲\n- [ ]#b 乙", "[x]#b → completed\n[ ]#c 丙"], ["甲", "丙"]),
        (["[ ]#1 One", "- no tasks"], []),
        (["#2 Two"], ["Two"]),
        (["[ ]#7 → in progress"], []),  # of an earlier conversation
        (["- [ ] #12 修登录\n- [x] #13 Fix it"], ["#12 修登录"]),  # a number in its name
    ],
)
def test_the_last_state_of_a_task_counts(told_of, left):
    assert open_tasks(told_of) == left


names = st.text(st.characters(categories=["L", "N", "P", "Zs"]), min_size=1, max_size=40).filter(
    lambda text: text.strip() and not text.strip().startswith(("→", "["))
)


@given(st.lists(st.tuples(names, st.booleans()), max_size=8, unique_by=lambda task: task[0]))
def test_what_is_open_in_a_list_is_what_was_told_as_open(tasks):
    items = [{"content": name, "status": ["pending", "completed"][done]} for name, done in tasks]

    text = told("TodoWrite", {"todos": items}, {})

    shown = {" ".join(name.split()): done for name, done in tasks}
    assert open_tasks([text]) == [name for name, done in shown.items() if not done]


def test_of_a_long_list_what_is_left_is_kept():
    items = [{"content": f"step {n} " + "x" * 90, "status": "completed"} for n in range(30)]
    items += [{"content": "the last step", "status": "pending"}]

    text = told("TodoWrite", {"todos": items}, {})

    assert len(text) <= MAX_CHARS
    assert open_tasks([text]) == ["the last step"]


def test_a_long_name_is_cut():
    items = [{"content": "x" * 200, "status": "pending"}, {"content": "y" * 201}]

    assert told("TodoWrite", {"todos": items}, {}) == f"- [ ] {'x' * 200}\n- [ ] {'y' * 199}…"


@pytest.mark.parametrize(
    ("plan", "title"),
    [
        ("# Plan: Use Redis\n\n1. Add it", "Use Redis"),
        ("## Implementation Plan — Use Redis", "Use Redis"),
        ("# 实施计划：会话改存 Redis\n\n1. 加依赖", "会话改存 Redis"),
        ("# 会话存储迁移方案\n\n## 背景\n会话在内存里", "会话存储迁移方案"),
        ("# 计划\n\n## 背景\n\n会话在内存里，发布就丢。改用 Redis。", "会话在内存里，发布就丢。"),
        ("# Plan\n\n## Context\n\nSessions are lost. Use Redis.", "Sessions are lost."),
        (
            "# Context\n\n**Goal:** use Redis for sessions. Then test.",
            "Goal: use Redis for sessions.",
        ),
        ("1. Add redis\n2. Test it", "Add redis"),
        ("# Caching", "Caching"),
        ("# 缓存改造\n\n1. 加 Redis", "缓存改造"),
        ("# 缓存\n\n1. 加 Redis", "加 Redis"),
        ("---\n\nUse Redis.", "Use Redis."),
        ("```text\nUse Redis\n```", "Use Redis"),
    ],
)
def test_a_plan_is_named_by_its_title_or_its_first_sentence(plan, title):
    assert told("ExitPlanMode", {}, {"plan": plan}).split("\n")[0] == f"approved: {title}"


PROMPT = (
    f"Implement the following plan:\n\n{PLAN}\n\nIf you need specific details from before exiting"
    " plan mode (like exact code snippets, error messages, or content you generated), read the full"
    " transcript at: /home/u/.claude/projects/app/d167.jsonl"
)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("", "Move the session store to Redis"),
        (
            "\nUser feedback on this plan: TTL 改成 900 秒",
            "Move the session store to Redis\n\nTTL 改成 900 秒",
        ),
    ],
)
def test_a_prompt_that_a_host_made_of_a_plan_is_the_plan_and_its_title(more, said):
    prompt = Observation("now", "user", PROMPT + more, event="e")

    plan, title = with_plans([prompt])

    text = "approved: Move the session store to Redis"
    assert plan == Observation("now", "tool", text, tool="plan", event="e")
    assert (title.kind, title.text) == ("user", said)
    assert title.event != plan.event


def test_a_plan_in_an_answer_is_approved_by_choosing_it():
    """Codex: the plan stands in the answer, of which the last one counts."""
    answers = [
        f"Looked.\n\n<proposed_plan>\n# {name}\n</proposed_plan>" for name in ("甲 A", "乙 B")
    ]
    talk = [Observation("", "assistant", text) for text in answers]
    chosen = Observation("", "user", "Implement the plan.\n")

    found = list(with_plans([*talk, chosen]))

    assert [(one.kind, one.text) for one in found[2:]] == [
        ("tool", "approved: 乙 B"),
        ("user", "乙 B"),
    ]
    assert list(with_plans([chosen])) == [chosen]
    pasted = Observation("", "user", "<proposed_plan># 甲 A</proposed_plan>")
    assert list(with_plans([pasted, chosen])) == [pasted, chosen]
    assert list(with_plans([*talk, Observation("", "user", "keep planning")]))[2:] == [
        Observation("", "user", "keep planning")
    ]


@pytest.mark.parametrize(
    "text", ["Implement the following plan: add a cache", "按下面的计划做：\n1. 加缓存", "加缓存"]
)
def test_what_people_write_themselves_is_left_as_it_is(text):
    prompt = Observation("now", "user", text)

    assert list(with_plans([prompt])) == [prompt]


def test_odd_texts_take_no_time():
    begun = time.process_time()

    told("update_todo_list", {"todos": " " * 20_000}, {})
    told_twice = [Observation("", "assistant", "<proposed_plan>" * 6000)] * 2

    assert list(with_plans(told_twice)) == told_twice
    assert time.process_time() - begun < 0.5

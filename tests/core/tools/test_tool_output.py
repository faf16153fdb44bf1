"""What is kept of a use of a tool, for the names and shapes of every host."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.tools.tool_output import MAX_CHARS, ToolUse, shorten_call

FAILED_TEST = (
    "\x1b[31mFAIL\x1b[0m src/登录.test.ts\n"
    "  ● login › works\n"
    "    TypeError: Cannot read properties of undefined\n"
    "      at Object.<anonymous> (src/a.ts:3:1)\n"
    "Tests:       1 failed, 4 passed, 5 total\n"
)


# ---------------------------------------------------------------------------- commands


@pytest.mark.parametrize(
    ("tool", "output", "error"),
    [
        ("Shell", json.dumps({"exitCode": 1, "stdout": FAILED_TEST}), ""),
        ("Shell", json.dumps({"output": FAILED_TEST, "exitCode": 1}), ""),
        ("Shell", {"output": FAILED_TEST, "exit_code": "1"}, ""),
        ("run_terminal_cmd", {"returncode": 1, "stderr": FAILED_TEST}, ""),
        ("Bash", {"stdout": FAILED_TEST, "stderr": ""}, "Exit code 1"),
        ("Bash", None, f"Command failed with exit code 1\n{FAILED_TEST}"),
        ("RunCommand", f"Exit code 1\n{FAILED_TEST}", ""),
    ],
)
def test_a_failed_command_is_its_line_its_status_and_the_lines_that_name_the_error(
    tool, output, error
):
    use = shorten_call(tool, {"command": "npm test"}, output, error)

    assert use.tool == "shell"
    assert use.failed
    lines = use.text.split("\n")
    assert lines[:2] == ["$ npm test", "exit 1"]
    wanted = [
        "TypeError: Cannot read properties of undefined",
        "Tests: 1 failed, 4 passed, 5 total",
    ]
    assert [line for line in lines if line in wanted] == wanted
    assert "at Object" not in use.text


@pytest.mark.parametrize(
    ("command", "output", "text"),
    [
        ("pytest -q", {"stdout": "....\n12 passed in 0.31s"}, "$ pytest -q\n12 passed in 0.31s"),
        ("make", {"stdout": "cc a.c\nld a.o\n"}, "$ make\nld a.o"),
        ("ls -la", {"stdout": "a\nb"}, "$ ls -la"),
        ("mvn test", {"exitCode": 0, "stdout": "x"}, "$ mvn test\nexit 0\nx"),
        ("wget x", {"stdout": "10%\r50%\r100% done"}, "$ wget x\n100% done"),
        ("echo  a\n  b", None, "$ echo a b"),
        ("memory search redis", {"stdout": "旧记忆"}, "$ memory search redis"),
        ("memory observations", {"stdout": "旧记忆"}, "$ memory observations"),
    ],
)
def test_a_command_that_went_well_is_its_line_and_how_it_came_out(command, output, text):
    use = shorten_call("Bash", {"command": command}, output)

    assert use == ToolUse("shell", text)


def test_a_failure_without_a_status_says_so():
    use = shorten_call("Bash", {"command": "make"}, {"interrupted": True, "stdout": "half\ndone"})

    assert use == ToolUse("shell", "$ make\nfailed\nhalf\ndone", (), failed=True)


def test_status_1_of_a_search_is_an_answer():
    use = shorten_call(
        "Bash", {"command": "cd src && grep -rn foo ."}, {"exitCode": 1, "output": ""}
    )

    assert use == ToolUse("shell", "$ cd src && grep -rn foo .\nexit 1")


def test_what_says_that_there_are_no_errors_is_no_error():
    output = {"exitCode": 2, "stdout": "Found 0 errors\nerror TS2345: bad type"}

    use = shorten_call("Shell", {"command": "tsc"}, output)

    assert "TS2345" in use.text.split("\n")[2]


def test_recalled_memories_in_an_output_are_not_kept():
    block = "<daily-memory-0123456789abcdef>\n| 错误：旧的\n</daily-memory-0123456789abcdef>"

    use = shorten_call(
        "Bash", {"command": "make"}, {"exitCode": 2, "stdout": f"{block}\nerror: new"}
    )

    assert use.text == "$ make\nexit 2\nerror: new"


# ---------------------------------------------------------------------------- files


@pytest.mark.parametrize(
    ("tool", "arguments", "output", "wanted"),
    [
        ("Read", {"file_path": "/p/a.py"}, {}, ToolUse("read", "/p/a.py", ("/p/a.py",))),
        (
            "Read",
            {"file_path": "a.py", "offset": 10, "limit": 20},
            {"type": "text"},
            ToolUse("read", "a.py", ("a.py",)),
        ),
        ("read_file", {"target_file": "a.py"}, "x", ToolUse("read", "a.py", ("a.py",))),
        ("Read", {"file_path": 3}, {}, ToolUse("read", "?")),
        ("Delete", {"path": "old.py"}, "{}", ToolUse("delete", "old.py", ("old.py",))),
        (
            "Edit",
            {"file_path": "a.py", "old_string": "x = 1\ny", "new_string": "x = 2\ny"},
            {"filePath": "a.py", "structuredPatch": []},
            ToolUse("edit", "a.py\n- x = 1\n+ x = 2", ("a.py",)),
        ),
        (
            "afterFileEdit",
            {
                "file_path": "缓存.py",
                "edits": [
                    {"old_string": "a\nttl = 3\nb", "new_string": "a\nttl = 5\nb"},
                    {"old_string": "", "new_string": "import os"},
                    "odd",
                ],
            },
            None,
            ToolUse("edit", "缓存.py\n- ttl = 3\n+ ttl = 5\n+ import os", ("缓存.py",)),
        ),
        (
            "Write",
            {"path": "a.ts", "edits": [{"old_string": "let", "new_string": "const"}]},
            "{}",
            ToolUse("edit", "a.ts\n- let\n+ const", ("a.ts",)),
        ),
        (
            "NotebookEdit",
            {"notebook_path": "n.ipynb", "new_source": "print(1)"},
            {},
            ToolUse("edit", "n.ipynb\n+ print(1)", ("n.ipynb",)),
        ),
        (
            "apply_patch",
            {"input": "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x = 1\n+x = 2"},
            "ok",
            ToolUse("edit", "src/a.py\n-x = 1\n+x = 2", ("src/a.py",)),
        ),
        (
            "Write",
            {"file_path": "r.py", "content": "#!/usr/bin/python\nimport os\n\nclass Retry:\n"},
            {"type": "create", "filePath": "r.py"},
            ToolUse(
                "write",
                "r.py (new, 4 lines)\n#!/usr/bin/python\nimport os\nclass Retry:",
                ("r.py",),
            ),
        ),
        (
            "Write",
            {"path": "笔记.md", "contents": "# 决定\n- 用 Redis"},
            {},
            ToolUse("write", "笔记.md (2 lines)\n# 决定\n- 用 Redis", ("笔记.md",)),
        ),
        ("Write", {"path": "empty"}, {}, ToolUse("write", "empty", ("empty",))),
        (
            "Edit",
            {"file_path": "a.py", "old_string": "x", "new_string": "y"},
            {"success": False, "error": "String to replace not found"},
            ToolUse(
                "edit",
                "a.py\n- x\n+ y\nfailed\nString to replace not found",
                ("a.py",),
                failed=True,
            ),
        ),
    ],
)
def test_a_use_of_a_file_is_its_path_and_the_gist(tool, arguments, output, wanted):
    assert shorten_call(tool, arguments, output) == wanted


def test_of_a_large_edit_both_sides_are_shown():
    old = "\n".join(f"old {n}" for n in range(50))
    new = "\n".join(f"new {n}" for n in range(50))

    use = shorten_call("Edit", {"file_path": "a", "old_string": old, "new_string": new}, {})

    lines = use.text.split("\n")[1:]
    assert [line[0] for line in lines] == ["-"] * 4 + ["+"] * 4


# ---------------------------------------------------------------------------- the rest


@pytest.mark.parametrize(
    ("tool", "arguments", "output", "name", "text"),
    [
        (
            "Grep",
            {"pattern": "retry", "path": "src", "glob": "*.py"},
            {"mode": "files_with_matches", "numFiles": 3, "filenames": ["a", "b", "c"]},
            "search",
            "retry, src, *.py",
        ),
        ("Grep", {"pattern": "缓存"}, {"content": "a:1:缓存"}, "search", "缓存"),
        ("Glob", {"pattern": "**/*.ts"}, {"filenames": ["a.ts"]}, "search", "**/*.ts"),
        ("WebSearch", {"query": "q"}, {"results": [{}, {}]}, "search", "q"),
        ("LS", {"path": "src"}, "a.py b.py", "list", "src"),
        ("WebFetch", {"url": "https://x.org"}, {"code": 404}, "fetch", "https://x.org"),
        ("WebFetch", {"url": "https://x.org"}, "text", "fetch", "https://x.org"),
        (
            "Task",
            {"description": "Find usages", "prompt": "long"},
            {"content": [{"type": "text", "text": "3 usages in a.py"}]},
            "task",
            "Find usages\n3 usages in a.py",
        ),
        ("subagentStop", {"task": "查引用", "summary": "共 3 处"}, None, "task", "查引用\n共 3 处"),
        (
            "TodoWrite",
            {"todos": [{"content": "测试", "status": "completed"}, {"content": "docs"}, 7]},
            {},
            "todos",
            "- [x] 测试\n- [ ] docs",
        ),
        ("TodoWrite", {"todos": "odd"}, {}, "todos", "todos=odd"),
        (
            "AskUserQuestion",
            {"questions": []},
            {"answers": {"Which DB?": "PostgreSQL", "odd": 3}},
            "askuserquestion",
            "Which DB? → PostgreSQL",
        ),
        ("AskUserQuestion", {"questions": []}, {}, "askuserquestion", "questions=(0)"),
        (
            "mcp__github__create_issue",
            {"title": "登录失败", "labels": ["bug"]},
            [{"type": "text", "text": '{"number": 12}'}],
            "mcp:github.create_issue",
            'title=登录失败, labels=(1)\n{"number": 12}',
        ),
        ("mcp__github", {}, "x", "mcp:github", "x"),
        ("MCP:search", {"server": "docs", "q": "a"}, {}, "mcp:docs.search", "server=docs, q=a"),
        ("MCP:search", {"q": "a"}, "found", "mcp:search", "q=a\nfound"),
        (
            "mcp__memory__memory_search",
            {"query": "a"},
            "旧记忆",
            "mcp:memory.memory_search",
            "query=a",
        ),
        ("Custom Tool", {"a": True}, "out", "custom tool", "a=True\nout"),
        ("Weird", None, None, "weird", ""),
        ("Bash", [1], 12, "shell", "$ ?"),
        ("Bash", '{"command": "make"', "", "shell", '$ {"command": "make"'),
    ],
)
def test_other_tools_are_told_in_a_line_or_two(tool, arguments, output, name, text):
    use = shorten_call(tool, arguments, output)

    assert (use.tool, use.text, use.failed) == (name, text, False)


def test_an_error_flag_of_an_mcp_tool_is_a_failure():
    output = {"isError": True, "content": [{"type": "text", "text": "no access"}]}

    assert shorten_call("mcp__x__y", {}, output) == ToolUse("mcp:x.y", "no access", (), failed=True)


def test_files_of_a_task_are_those_it_changed():
    use = shorten_call("subagentStop", {"task": "t", "modified_files": ["a.py", 3, "a.py"]}, None)

    assert use.files == ("a.py",)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                "command file_path edits old_string new_string content pattern todos answers path"
                " offset limit url stdout output exitCode status isError results files".split()
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)
TOOLS = (
    "Bash Read Edit MultiEdit Write Delete Grep Glob LS WebFetch Task TodoWrite AskUserQuestion"
    " mcp__a__b MCP:x apply_patch odd"
).split()


@given(st.sampled_from(TOOLS), values, values, st.text(max_size=40))
def test_whatever_a_host_sends_is_told_within_the_limit(tool, arguments, output, error):
    use = shorten_call(tool, arguments, output, error)

    assert len(use.text) <= MAX_CHARS
    use.text.encode()
    assert use == shorten_call(tool, arguments, output, error)
    assert all(path and "\n" not in path for path in use.files)


@pytest.mark.parametrize(
    "output", ["x" * 10_000_000, "error: 失败\n" * 1_000_000, "\r" * 10_000_000]
)
@pytest.mark.parametrize("tool", ["Bash", "Read", "Grep", "Write", "Edit", "LS"])
def test_ten_megabytes_take_no_time(tool, output):
    arguments = {"command": output, "content": output, "old_string": output, "new_string": "y"}

    started = time.process_time()
    use = shorten_call(tool, arguments, json.dumps({"exitCode": 1, "stdout": output}))

    assert time.process_time() - started < 5
    assert len(use.text) <= MAX_CHARS


def test_a_patch_of_codex_is_an_edit_with_its_files():
    patch = "*** Begin Patch\n*** Add File: cache.py\n+TTL = 300\n*** End Patch\n"

    use = shorten_call("apply_patch", {"command": patch}, "Exit code: 0\nOutput:\nSuccess.")

    assert (use.tool, use.files, use.failed) == ("edit", ("cache.py",), False)
    assert use.text == "cache.py\n+TTL = 300"


@pytest.mark.parametrize(
    ("name", "tool"),
    [("run_shell_command", "shell"), ("create", "write"), ("replace", "edit"), ("patch", "edit")],
)
def test_the_tools_of_other_command_lines_are_known(name, tool):
    assert shorten_call(name, {}, "").tool == tool

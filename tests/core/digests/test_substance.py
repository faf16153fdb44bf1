"""What makes a conversation worth keeping, however short it was."""

from __future__ import annotations

import pytest

from daily_memory.core.digests.messages import Message
from daily_memory.core.digests.substance import is_worth_keeping, turn_count
from daily_memory.core.tools.tool_output import ToolUse

ASKED = Message("user", "帮我看一下缓存")
SHORT = Message("assistant", "查到了。")
LOOK = ToolUse("read", "src/a.py")


@pytest.mark.parametrize(
    ("messages", "uses"),
    [
        ([ASKED, SHORT], [ToolUse("edit", "src/a.py")]),
        ([ASKED, SHORT], [ToolUse("write", "src/a.py (new, 1 line)")]),
        ([ASKED, SHORT], [ToolUse("delete", "src/a.py")]),
        ([ASKED, SHORT], [ToolUse("shell", "$ pwd > where.txt; cat where.txt")]),
        ([ASKED, SHORT], [ToolUse("shell", "$ cat >cache.py <<'EOF' import redis EOF")]),
        ([ASKED, SHORT], [ToolUse("shell", "$ ls src | tee files.txt")]),
        ([ASKED, SHORT], [ToolUse("shell", "$ sed -i s/60/300/ cache.py")]),
        ([ASKED, SHORT], [ToolUse("shell", "$ cd app && git commit -qm x")]),
        ([ASKED, SHORT], [LOOK, ToolUse("shell", "$ ls"), ToolUse("search", '"ttl": 3 hits')]),
        ([ASKED, SHORT], [ToolUse("plan", "approved: 会话改存 Redis")]),
        ([ASKED, SHORT], [ToolUse("todos", "- [x] 查原因\n- [ ] 加监控")]),
        ([ASKED, Message("assistant", "有三个实例，所以决定放在 Redis。")], []),
        ([ASKED, Message("assistant", "查到了。\n\n下一步：\n- 给命中率加监控")], []),
        ([ASKED, Message("assistant", "原因是默认参数没有改。" * 30)], []),
        ([ASKED, Message("assistant", "The default was never changed. " * 20)], []),
    ],
)
def test_work_a_decision_and_a_long_answer_are_worth_keeping(messages, uses):
    assert is_worth_keeping(messages, uses)


@pytest.mark.parametrize(
    ("messages", "uses"),
    [
        ([ASKED, SHORT], [ToolUse("plan", "plan=# 会话改存 Redis")]),
        ([ASKED, SHORT], [ToolUse("todos", "- [x] 查原因")]),
        ([ASKED, SHORT], []),
        ([Message("user", "hi"), Message("assistant", "Hello! How can I help?")], []),
        ([ASKED, SHORT], [LOOK, LOOK]),
        ([ASKED, SHORT], [ToolUse("shell", "$ npm test > /dev/null 2>&1")]),
        ([ASKED, SHORT], [ToolUse("shell", "$ python -c 'print(2 > 1)'")]),
        ([ASKED, SHORT], [ToolUse("mcp:daily-memory.memory_search", "redis")] * 5),
        ([ASKED, SHORT], [ToolUse("shell", "$ memory search redis")] * 5),
        (
            [Message("user", "what did we decide?"), Message("assistant", "We decided on Redis.")],
            [],
        ),
        ([Message("user", "改" * 1000), SHORT], []),
    ],
)
def test_talk_and_recall_are_not(messages, uses):
    assert not is_worth_keeping(messages, uses)


@pytest.mark.parametrize(
    ("said", "count"),
    [
        (["修复登录", "谢谢", "", " \r\n", "👍"], 2),
        (["hi", "ok", "谢谢！", "great, thanks", "👍"], 0),
        ([], 0),
    ],
)
def test_turns_are_what_the_user_said_but_greetings_alone_are_none(said, count):
    messages = [Message("Human", text) for text in said]

    assert turn_count([*messages, Message("assistant", "x"), Message("tool", "y")]) == count

"""What is put into the files of hosts: only ours is changed, and only ours is taken out."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.hosts import config_files, json_edit
from daily_memory.core.hosts.config_files import Hooks
from daily_memory.core.jsonc import parse_jsonc

FLAT_COMMAND, NESTED_COMMAND = "/bin/memory hook cursor", "/bin/memory hook claude"


def flat(command: str, *events: str) -> Hooks:
    return Hooks({event: {"command": command, "timeout": 10} for event in events}, 1)


def nested(command: str, *events: str) -> Hooks:
    hook = {"type": "command", "command": command, "timeout": 10}
    return Hooks({event: {"hooks": [hook]} for event in events})


FLAT = flat(FLAT_COMMAND, "sessionStart", "stop")
NESTED = nested(NESTED_COMMAND, "SessionStart", "Stop")
SERVER: dict[str, object] = {"command": "/bin/memory", "args": ["mcp"]}


def value(text: str) -> object:
    return json_edit.parse(text).value


# ---------------------------------------------------------------------------- hooks


def test_hooks_in_the_form_of_cursor():
    entry = {"command": "/bin/memory hook cursor", "timeout": 10}

    assert json.loads(config_files.with_hooks("", FLAT)) == {
        "version": 1,
        "hooks": {"sessionStart": [entry], "stop": [entry]},
    }


def test_hooks_in_the_form_of_claude_code():
    hook = {"type": "command", "command": "/bin/memory hook claude", "timeout": 10}

    assert json.loads(config_files.with_hooks("\n", NESTED)) == {
        "hooks": {"SessionStart": [{"hooks": [hook]}], "Stop": [{"hooks": [hook]}]}
    }


@pytest.mark.parametrize(("hooks", "command"), [(FLAT, FLAT_COMMAND), (NESTED, NESTED_COMMAND)])
def test_hooks_are_put_in_once(hooks, command):
    text = config_files.with_hooks("", hooks)

    assert config_files.with_hooks(text, hooks) == text
    assert config_files.hook_commands(text) == (command,)


@pytest.mark.parametrize(("form", "hooks"), [(flat, FLAT), (nested, NESTED)])
def test_hooks_of_an_older_installation_are_replaced(form, hooks):
    old = form("'/老 地方/memory.exe' hook cursor", *hooks.entries, "gone")

    assert config_files.with_hooks(
        config_files.with_hooks("", old), hooks
    ) == config_files.with_hooks("", hooks)


def test_hooks_of_others_stay_where_they_are():
    text = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say 完成"}]}]}, "x": 1}'

    put = config_files.with_hooks(text, NESTED)

    assert put.startswith(text.partition("]}]")[0])
    assert config_files.hook_commands(put) == (NESTED_COMMAND,)
    assert config_files.without_hooks(put) == text


def test_our_hook_in_a_group_with_others_is_taken_out_alone():
    text = json.dumps(
        {
            "hooks": {
                "Stop": [
                    {
                        "matcher": "*",
                        "hooks": [
                            {"type": "command", "command": "other"},
                            {"type": "command", "command": NESTED_COMMAND},
                        ],
                    }
                ]
            }
        },
        indent=4,
    )

    assert value(config_files.without_hooks(text)) == {
        "hooks": {"Stop": [{"matcher": "*", "hooks": [{"type": "command", "command": "other"}]}]}
    }
    assert config_files.without_hooks(config_files.with_hooks(text, NESTED)) == (
        config_files.without_hooks(text)
    )


@pytest.mark.parametrize(
    "command",
    [
        "memory hook cursor",
        "/a/b/daily-memory hook claude",
        "'/my tools/memory' hook trae",
        r'"C:\my tools\memory.exe" hook cursor',
        r"& 'C:\工具\memory.exe' hook trae",
        "/usr/bin/python3 /x/scripts/memory.py hook codex",
        "python -m daily_memory hook claude",
    ],
)
def test_a_command_of_ours_is_known(command):
    assert config_files.is_ours(command)


@pytest.mark.parametrize(
    "command",
    [
        "",
        "memory",
        "claude-memory hook claude",
        "memory hook",
        "memory hook x; rm y",
        "echo memory",
    ],
)
def test_a_command_of_others_is_left_alone(command):
    assert not config_files.is_ours(command)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "the whole is not an object"),
        ('{"hooks": []}', '"hooks" is not an object'),
        ('{"hooks": {"Stop": {}}}', '"Stop" in "hooks" is not a list'),
        ('{\n"hooks": ', "not JSON in line 2"),
    ],
)
def test_a_file_that_the_host_would_not_read_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        config_files.with_hooks(text, NESTED)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"hooks": {"Stop": [1, {"hooks": 2}, {"command": 3}]}}']
)
def test_where_there_is_nothing_of_ours_nothing_is_taken_out(text):
    assert config_files.without_hooks(text) == text
    assert config_files.hook_commands(text) == ()


def test_an_event_with_a_comment_in_it_is_left():
    text = '{"hooks": {"Stop": [ // 以后再说\n]}}'

    assert config_files.without_hooks(config_files.with_hooks(text, NESTED)) == text


OTHERS = st.sampled_from(
    [
        {"command": "别的"},
        {"hooks": [{"type": "command", "command": "x"}]},
        {"hooks": []},
        {"matcher": "//", "hooks": [{"command": "/* y */"}, {"command": "z"}]},
    ]
)
SETTINGS = st.fixed_dictionaries(
    {
        "a": st.sampled_from([1, "// no", [], {}, [1, {"b": None}]]),
        "hooks": st.dictionaries(
            st.sampled_from(["stop", "Stop", "SessionStart", "x"]), st.lists(OTHERS, max_size=3)
        ),
    }
)
GAPS = ["", "", " ", "\n  ", "\r\n\t", "/* , } */", " // ] {\n"]


def written(data: object, random: Random) -> str:
    """Return JSON as no program writes it: with comments, line ends and commas anywhere."""

    def gap() -> str:
        return random.choice(GAPS)

    def joined(parts: list[str], opening: str, closing: str) -> str:
        habit = f",{gap()}" if parts and random.random() < 0.3 else ""
        return f"{opening}{','.join(parts)}{habit or gap()}{closing}"

    if isinstance(data, dict):
        members = [
            f"{gap()}{json.dumps(key)}{gap()}:{gap()}{written(item, random)}{gap()}"
            for key, item in data.items()
        ]
        return joined(members, "{", "}")
    if isinstance(data, list):
        return joined([f"{gap()}{written(item, random)}{gap()}" for item in data], "[", "]")
    return json.dumps(data, ensure_ascii=False)


@given(SETTINGS, st.randoms(use_true_random=False), st.sampled_from([FLAT, NESTED]))
def test_however_a_file_is_written_only_our_hooks_come_and_go(data, random, hooks):
    text = written(data, random)
    expected = {
        event: [*data["hooks"].get(event, []), entry] for event, entry in hooks.entries.items()
    }

    put = config_files.with_hooks(text, hooks)
    taken = config_files.without_hooks(put)

    assert parse_jsonc(text) == data
    found = parse_jsonc(put)
    assert isinstance(found, dict)
    assert found["hooks"] == {**data["hooks"], **expected}
    assert found["a"] == data["a"]
    assert config_files.with_hooks(put, hooks) == put
    left = value(taken)
    assert isinstance(left, dict)
    assert filled(left.get("hooks", {})) == filled(data["hooks"])
    assert taken.count("// ]") == text.count("// ]") or left.get("hooks") != data["hooks"]


def filled(events: dict[str, list[object]]) -> dict[str, list[object]]:
    return {event: entries for event, entries in events.items() if entries}


# ---------------------------------------------------------------------------- MCP entries


def test_an_mcp_entry_beside_others():
    text = '{\r\n    "mcpServers": {\r\n        "另一个": {"command": "x"}\r\n    }\r\n}'

    put = config_files.with_server(text, ["mcpServers"], SERVER)

    assert value(put) == {
        "mcpServers": {"另一个": {"command": "x"}, "daily-memory": SERVER},
    }
    assert config_files.with_server(put, ["mcpServers"], SERVER) == put
    assert config_files.without_server(put, ["mcpServers"]) == text


def test_an_mcp_entry_in_a_file_without_any():
    put = config_files.with_server('{"inputs": []}', ["servers"], SERVER)

    assert value(put) == {"inputs": [], "servers": {"daily-memory": SERVER}}
    assert config_files.without_server(put, ["servers"]) == '{"inputs": []}'


def test_an_older_mcp_entry_is_replaced():
    old = config_files.with_server("", ["servers"], {"command": "old"})

    assert value(config_files.with_server(old, ["servers"], SERVER)) == {
        "servers": {"daily-memory": SERVER}
    }


def test_without_an_mcp_entry_nothing_is_taken_out():
    for text in ("", "{}", '{"servers": {}}', '{"servers": {"x": {}}}'):
        assert config_files.without_server(text, ["servers"]) == text


def test_servers_that_are_no_object_are_refused():
    with pytest.raises(ValueError, match='"servers" is not an object'):
        config_files.with_server('{"servers": 1}', ["servers"], SERVER)


TOMLS = [
    "",
    'model = "o3"\n',
    'model = "o3"\r\n\r\n# 中文\r\n[mcp_servers.other]\r\ncommand = "x"\r\n',
    '\ufeff[features]\nhooks = true\n\n[[hooks.Stop]]\nmatcher = "a"\n',
]


@pytest.mark.parametrize("text", TOMLS)
def test_a_table_is_put_in_and_taken_out(text):
    put = config_files.with_table(text, SERVER)

    assert put.startswith(text)
    assert "[mcp_servers.daily-memory]" in put
    assert config_files.with_table(put, SERVER) == put
    assert config_files.without_table(put) == text
    assert config_files.without_table(text) == text
    assert ("\r" in text) == ("\r\nargs" in put)


def test_a_table_goes_behind_a_line_without_end():
    put = config_files.with_table("a = 1", SERVER)

    assert put.startswith("a = 1\n\n[mcp_servers")
    assert config_files.without_table(put) == "a = 1\n"


def test_an_older_table_is_taken_out_with_its_parts_and_without_the_comments_of_others():
    text = (
        "[mcp_servers.daily-memory]\n# 路径\n"
        'command = "old"\n\n[mcp_servers.daily-memory.env]\nA = "1"\n\n# next\n[tui]\nx = 1\n'
    )

    assert config_files.without_table(text) == "\n# next\n[tui]\nx = 1\n"
    assert config_files.with_table(text, SERVER).startswith(
        "\n# next\n[tui]\nx = 1\n\n[mcp_servers"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = ", "not TOML"),
        ("mcp_servers = 1", '"mcp_servers" is not a table'),
        ('mcp_servers = { daily-memory = { command = "x" } }', "not a table of its own"),
        ('mcp_servers = { other = { command = "x" } }', "not TOML"),
    ],
)
def test_toml_that_has_no_place_for_a_table_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        config_files.with_table(text, SERVER)


# ---------------------------------------------------------------------------- Markdown


@pytest.mark.parametrize("text", ["", "# 规则\n", "# Rules\r\n\r\n- a\r\n", "\ufeff# A\n\n"])
def test_a_block_is_put_in_and_taken_out(text):
    put = config_files.with_block(text, "记住。\nRemember.")

    assert put.startswith(text)
    assert config_files.with_block(put, "记住。\nRemember.") == put
    assert config_files.without_block(put).rstrip() == text.rstrip()
    assert config_files.without_block(text) == text
    assert ("\r" in text) == ("记住。\r\n" in put)


def test_a_block_keeps_what_is_around_it():
    put = config_files.with_block("# A\n", "old") + "\n# B\n"

    assert config_files.without_block(put) == "# A\n\n# B\n"
    assert config_files.with_block(put, "new").startswith("# A\n\n# B\n\n<!-- daily-memory: begin")


def test_the_skill_says_what_to_call():
    source = "`memory` is the command. If it is not\non the PATH, use the same arguments.\n\nRest"

    assert config_files.skill_text(source, "memory") == "`memory` is the command.\n\nRest"
    assert "`'/我 的/memory'`" in config_files.skill_text(source, "'/我 的/memory'")
    with pytest.raises(ValueError, match="does not say what to call"):
        config_files.skill_text("another skill", "memory")


def test_a_file_of_ours_is_known_by_its_mark():
    assert config_files.is_own_file(config_files.own_file("text"))
    assert not config_files.is_own_file("text")


@pytest.mark.parametrize(
    "text",
    [
        "[mcp_servers]\n",
        "[mcp_servers]\r\n",
        'model = "x"\n\n[mcp_servers]\n# 我的服务器\n',
        '[mcp_servers]\n\n[mcp_servers.other]\ncommand = "x"\n',
        '[mcp_servers.other]\ncommand = "x"\n',
    ],
)
def test_an_empty_table_of_servers_stays_as_it_was_to_the_byte(text):
    put = config_files.with_table(text, {"command": "memory", "args": ["mcp"]})

    assert put != text
    assert config_files.without_table(put) == text

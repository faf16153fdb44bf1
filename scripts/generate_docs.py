"""Writes the parts of the docs that come from the code: commands, settings, the demo.

    python scripts/generate_docs.py [--check]

With --check nothing is written; the exit status is 1 if a page is out of date.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import sys
from pathlib import Path

from daily_memory.core.setting_keys import FREE, KEYS, OWN, Key
from daily_memory.frontends.cli import main, parsers
from daily_memory.frontends.cli.commands import COMMANDS

CHECKOUT = Path(__file__).resolve().parent.parent
# What differs from one run of the demo to the next.
_CHANGING = re.compile(r"20[0-9]{2}-[01][0-9]-[0-3][0-9]|[0-9a-f]{16,}")
_OPTION = re.compile(r"\[-[^\[\]]*(?:\[[^\]]*\][^\[\]]*)*\] ?")
_HELP = re.compile(r"\n  -h, --help .*")
_SHARED = re.compile(r"options of every command:\n(?:  .*\n?)+\n*")


def commands_page() -> str:
    """Return docs/commands.md: the written part, and the help of every command."""
    page = CHECKOUT / "docs" / "commands.md"
    written = page.read_text(encoding="utf-8").partition("<!-- generated -->")[0]
    parts = [f"{written}<!-- generated -->\n"]
    for name in COMMANDS:
        description, details = _help(name)
        parts.append(f"## memory {name}\n\n{description}\n\n```text\n{details}\n```\n")
    return "\n".join(parts)


def _help(name: str) -> tuple[str, str]:
    """Return the description of a command, and its help without the options that all share."""
    os.environ["COLUMNS"] = "96"
    usage, description, details = parsers.parser_of(name).format_help().split("\n\n", 2)
    arguments = _OPTION.sub("", " ".join(usage.split()).removeprefix("usage: "))
    own = _SHARED.sub("", _HELP.sub("", details))
    has_options = "options:\n" in own.replace("options:\n\n", "")
    own = own.replace("options:\n\n", "").strip("\n")
    call = f"memory {name}{' [OPTIONS]' if has_options else ''}"
    return description, f"{arguments.strip().replace(f'memory {name}', call)}\n\n{own}".rstrip()


def configuration_page() -> str:
    """Return docs/configuration.md: the written part, and the table of all settings."""
    page = CHECKOUT / "docs" / "configuration.md"
    written = page.read_text(encoding="utf-8").partition("<!-- generated -->")[0]
    rows = ["| key | default | a project may | meaning |", "| --- | --- | --- | --- |"]
    for key in KEYS:
        default = json.dumps(key.default, ensure_ascii=False)
        allowed = (
            f" One of {', '.join(f'`{choice}`' for choice in key.choices)}." if key.choices else ""
        )
        bounds = f" From {key.low:,.12g} to {key.high:,.12g}." if key.high else ""
        meaning = key.meaning[0].upper() + key.meaning[1:]
        rows.append(f"| `{key.name}` | `{default}` | {_rule(key)} | {meaning}.{allowed}{bounds} |")
    return f"{written}<!-- generated -->\n\n" + "\n".join(rows) + "\n"


def _rule(key: Key) -> str:
    """Return what a project's `config.json` may do to a setting."""
    if key.rule == FREE:
        return "set it"
    if key.rule == OWN:
        return "–"
    return f"set `{json.dumps(key.strict)}`" if key.strict is not None else "add to it"


def with_demo(page: Path, output: str) -> str:
    """Return a page with the output of `memory demo`; the old text if only dates differ."""
    text = page.read_text(encoding="utf-8")
    before, _, rest = text.partition("<!-- demo -->\n")
    old, _, after = rest.partition("<!-- /demo -->")
    new = f"\n`````text\n{output.strip()}\n`````\n\n"
    shown = old if _CHANGING.sub("…", old) == _CHANGING.sub("…", new) else new
    return f"{before}<!-- demo -->\n{shown}<!-- /demo -->{after}"


def demo_output() -> str:
    """Return what `memory demo` prints."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        status = main(["demo", "--lang", "en"])
    if status:
        sys.exit("memory demo failed")
    return output.getvalue()


def pages() -> dict[Path, str]:
    """Return every generated page with the text that it should have."""
    docs = CHECKOUT / "docs"
    return {
        docs / "commands.md": commands_page(),
        docs / "configuration.md": configuration_page(),
        docs / "install.md": with_demo(docs / "install.md", demo_output()),
    }


def run() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args()
    stale = {
        page: text for page, text in pages().items() if page.read_text(encoding="utf-8") != text
    }
    for page, text in stale.items():
        if options.check:
            print(f"{page.relative_to(CHECKOUT)} is out of date; run scripts/generate_docs.py")
        else:
            page.write_text(text, encoding="utf-8")
            print(f"wrote {page.relative_to(CHECKOUT)}")
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(run())

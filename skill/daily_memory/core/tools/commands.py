"""Shell commands: finds the part that does the work.

A hook imports this at every tool call. It uses words instead of patterns: compiling patterns takes
longer than everything else that the hook does.
"""

from __future__ import annotations

from itertools import pairwise

from daily_memory.core.lazy_pattern import lazy_pattern

# Programs that only look; their status 1 means "no".
_LOOKING = frozenset(
    "ls cat head tail less grep egrep rg ag find fd wc pwd cd which type echo printf tree stat file"
    " diff cmp test [ sleep true env ps pgrep du df date dir jq awk lsof sort uniq history whoami"
    " hostname uname read open code clear export source . set for while until if done fi"
    " Get-Content Get-ChildItem Select-String".split()
)
_LOOKING_WITH = {
    "sed": ("-n",),
    "git": tuple("status diff log show branch blame ls-files rev-parse fetch".split()),
    "docker": ("ps", "logs", "images", "inspect"),
    "kubectl": ("get", "describe", "logs"),
}
_LEADS = ("do ", "then ", "else ", "sudo ", "time ", "env ")
_FILTERS = frozenset("tail head grep tee cat less sed awk wc sort".split())
_RECALLING = frozenset("search inject show list today do export observations timeline".split())
_SEPARATOR = lazy_pattern(r"&&|\|\||;|\n")


def bare_command(command: str) -> str:
    """Return the part of a command line that does the work.

    >>> bare_command("cd /work/app && CI=1 npm test 2>&1 | tail -20")
    'npm test'
    """
    parts = [_without_leads(part.strip()) for part in _SEPARATOR.split(command)]
    acting = next((part for part in parts if part and not is_looking(part)), parts[-1])
    if acting.count('"') % 2 or acting.count("'") % 2:
        # The separator was inside quotes.
        acting = command.strip()
    return _without_filters(acting) or command.strip()


def is_looking(command: str) -> bool:
    """Tell whether a bare command only reads."""
    words = command.split(None, 2)
    if len(words) > 1 and words[0] in _LOOKING_WITH:
        return words[1] in _LOOKING_WITH[words[0]]
    return bool(words) and words[0] in _LOOKING


def is_recalling(command: str) -> bool:
    """Tell whether a command prints memories, which must not be recorded again."""
    words = command.replace("/", " ").replace("memory.py", "memory").split()
    return any(name.endswith("memory") and verb in _RECALLING for name, verb in pairwise(words))


def _without_leads(command: str) -> str:
    while True:
        first, _, rest = command.partition(" ")
        name, sign, _ = first.partition("=")
        is_set = sign and name.isupper() and name.isidentifier()
        if not rest or not (is_set or command.startswith(_LEADS)):
            return command
        command = rest.lstrip()


def _without_filters(command: str) -> str:
    parts = command.replace("2>&1", "").split("|")
    while len(parts) > 1 and parts[-1].split()[:1] and parts[-1].split()[0] in _FILTERS:
        parts.pop()
    return "|".join(parts).strip()

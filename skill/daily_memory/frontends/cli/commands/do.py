"""`memory do`"""

from __future__ import annotations

import argparse
import os
from typing import NamedTuple

from daily_memory.core.operations import DELETE
from daily_memory.core.settings import get_key
from daily_memory.core.wishes import intents, phrases
from daily_memory.core.wishes import wish_forms as forms
from daily_memory.core.wishes.intents import Intent
from daily_memory.errors import InvalidInputError, NotFoundError
from daily_memory.frontends.cli import arguments, screen
from daily_memory.frontends.cli.arguments import open_memory
from daily_memory.frontends.cli.commands import load
from daily_memory.memory import Memory
from daily_memory.model import day_after

EXAMPLES = """examples:
  memory do "搜索记忆: redis 缓存"     as memory search; also "what do you remember about redis"
  memory do "查看今日记忆"             as memory today; "查看上周的记忆", "show 2026-01-29#1"
  memory do "记住这个"                 save the live session now
  memory do "don't save this"          … or have it forgotten
  memory do "记住：测试用真实数据库"   with no live session, as memory add
  memory do "删除记忆: 2026-01-29#1"   as memory delete; also by day, or by what it is about:
  memory do "删除上周的记忆", "delete memories about redis" --dry-run
  memory do "删除标签为 trial 的记忆", "delete memories older than three months"
                                       as memory delete --tag, memory cleanup --delete --days
  memory do "撤销删除"                 as memory undo, of what was deleted last
  memory do "把 2026-01-29#1 标记为重要", "mark this as outdated"
                                       as memory mark; "this", "这条" is the newest session
  memory do "清理旧记忆"               as memory cleanup, which proposes
  memory do "清理三个月前的记忆"       as memory cleanup --days 90, which asks first; also:
  memory do "archive old memories", "合并重复的记忆", "hide secrets in my memories"
  memory do "自动归档旧记忆"           from now on, once a day
  memory do "恢复归档的记忆"           as memory restore, of all or of a day
  memory do "记忆报告", "审核记忆", "总结记忆", "查看记忆摘要"
                                       as memory report, review, summarize
  memory do "导出记忆", "export my memories as html", "备份记忆", "导入记忆: backup.zip"
                                       as memory export, into a file in this folder, and import
  memory do "加密记忆", "decrypt my memory", "项目列表"
                                       as memory encrypt, decrypt, projects
  memory do "memory settings"          as memory config
  memory do "把记忆保留天数改为 30 天", "turn off auto save", "每次最多显示 10 条"
                                       as memory config set; its own names do as well

What deletes, cleans up, restores or converts tells how much it is and asks; without a terminal it
needs --yes, and --dry-run only shows it."""


class _Command(NamedTuple):
    """The words of a command. `shows` is for what takes --dry-run, `asks` for what takes --yes."""

    words: tuple[str, ...]
    shows: bool = False
    asks: bool = False


_COMMANDS = {
    forms.SEARCH: _Command(("search",)),
    forms.ADD: _Command(("add",)),
    forms.TODAY: _Command(("today",)),
    forms.SHOW: _Command(("show",)),
    forms.LIST: _Command(("list",)),
    forms.RECENT: _Command(("list", "--days", "7")),
    forms.EDIT: _Command(("edit",)),
    forms.MARK: _Command(("mark",)),
    forms.DELETE: _Command(("delete",), shows=True, asks=True),
    forms.DELETE_OLD: _Command(("cleanup", "--delete"), shows=True, asks=True),
    forms.DELETE_TAG: _Command(("delete",), shows=True, asks=True),
    forms.PURGE: _Command(("delete", "--purge"), shows=True, asks=True),
    forms.UNDO: _Command(("undo",), shows=True),
    forms.UNDO_DELETE: _Command(("undo",), shows=True),
    forms.CLEANUP: _Command(("cleanup",), shows=True, asks=True),
    forms.ARCHIVE: _Command(("cleanup", "--archive"), shows=True, asks=True),
    forms.DEDUPE: _Command(("cleanup", "--dedupe"), shows=True, asks=True),
    forms.SANITIZE: _Command(("cleanup", "--sanitize"), shows=True, asks=True),
    forms.RESTORE: _Command(("restore",), shows=True, asks=True),
    forms.REPORT: _Command(("report",)),
    forms.REVIEW: _Command(("review",)),
    forms.SUMMARIZE: _Command(("summarize",), shows=True),
    forms.SUMMARY: _Command(("summarize", "--dry-run")),
    forms.EXPORT: _Command(("export",)),
    forms.BACKUP: _Command(("export",)),
    forms.IMPORT: _Command(("import",), shows=True),
    forms.ENCRYPT: _Command(("encrypt",), shows=True, asks=True),
    forms.DECRYPT: _Command(("decrypt",), shows=True, asks=True),
    forms.REKEY: _Command(("rekey",), shows=True, asks=True),
    forms.PROJECTS: _Command(("projects",)),
    forms.DOCTOR: _Command(("doctor",)),
    forms.REINDEX: _Command(("reindex",)),
    forms.SETTINGS: _Command(("config",)),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", nargs="+", metavar="TEXT", help="what the user said")
    parser.add_argument("--dry-run", action="store_true", help="only show what would be changed")
    parser.add_argument("--yes", action="store_true", help="do not ask before it is done")


def run(options: argparse.Namespace) -> int:
    text = " ".join(options.text)
    memory = open_memory(options)
    intent = intents.find_intent(text, memory.today())
    if intent is None:
        hint = (
            'say "搜索记忆: …", "查看今日记忆", "记住这个", "删除记忆: …", "undo the delete", '
            '"memory settings" …; `memory do --help` has more'
        )
        raise InvalidInputError("this says nothing to the memory", hint=hint)
    if intent.action == forms.DELETE_ALL:
        hint = 'say which: "删除关于 redis 的记忆", "delete memories older than a year"'
        raise InvalidInputError("all of a memory is not deleted for a sentence", hint=hint)
    command = _COMMANDS.get(intent.action, _Command(()))
    if (options.dry_run or options.yes) and not command.shows:
        raise InvalidInputError(
            "--dry-run and --yes are for what deletes, cleans up or restores", hint="leave them out"
        )
    if not command.words:
        is_save = intent.action == forms.SAVE
        return _settle(options, _plainly(text, is_save=is_save), is_save=is_save)
    words = [*command.words, *_words(intent, memory)]
    words += ["--dry-run"] if options.dry_run else []
    words += ["--yes"] if options.yes and command.asks else []
    return _run_command(options, words, _named(intent, memory))


def _run_command(options: argparse.Namespace, words: list[str], named: list[str]) -> int:
    words += ["--json"] if options.json else []
    words += ["--project", options.project] if options.project else []
    chosen = arguments.parse([*words, "--", *named] if named else words)
    status: int = load(chosen.command).run(chosen)
    return status


def _words(intent: Intent, memory: Memory) -> list[str]:
    """Return the options of what was said."""
    action, text = intent.action, intent.text
    if action in (forms.CLEANUP, forms.DELETE_OLD) and text:
        return ["--before" if "-" in text else "--days", text]
    if action == forms.DELETE and text:
        return [f"--query={text}"]
    if action == forms.DELETE_TAG:
        return [f"--tag={text}"]
    if action == forms.RESTORE and not intent.words:
        return ["--all"]
    if action == forms.UNDO_DELETE:
        return _last_deletion(memory)
    if action == forms.MARK:
        negated, _, flag = text.rpartition(" ")
        return ["--not", flag] if negated else [f"--{flag or 'clear'}"]
    if action in (forms.EXPORT, forms.BACKUP):
        return _export_options(text, memory) + _time_options(intent)
    if action == forms.LIST:
        return _time_options(intent)
    if action == forms.SETTINGS and intent.words[:1] in (("set",), ("unset",)):
        # A project's file has no say in these.
        return ["--global"] if get_key(intent.words[1]).is_own else []
    return []


def _time_options(intent: Intent) -> list[str]:
    return [
        word for pair in zip(("--since", "--until"), intent.words, strict=False) for word in pair
    ]


def _export_options(said: str, memory: Memory) -> list[str]:
    """Return the file to export to: all of it on a terminal is what nobody wants to read."""
    format_ = said.rpartition(".")[2].lower()
    name = said if "." in said else f"memory-{memory.today()}.{format_}"
    # A zip has the archive in any case; whoever says "my memory" means that too.
    archived = [] if format_ == "zip" else ["--archived"]
    return ["--format", format_, *archived, "-o", os.path.expanduser(name)]


def _named(intent: Intent, memory: Memory) -> list[str]:
    """Return what comes behind the options."""
    if intent.action in (forms.SEARCH, forms.ADD):
        return [intent.text]
    if intent.action == forms.IMPORT:
        return [os.path.expanduser(intent.text)]
    if intent.action in (forms.EXPORT, forms.BACKUP, forms.LIST):
        return []
    if intent.action == forms.MARK and not intent.words:
        return [_newest(memory)]
    return list(intent.words)


def _last_deletion(memory: Memory) -> list[str]:
    """Return the operation that deleted last, nothing where it was the last of all."""
    done = [one for one in memory.operations() if not one.operation.is_undo]
    found = next((one for one in done if one.operation.action == DELETE), None)
    if found is None:
        raise NotFoundError("nothing was deleted lately", hint="`memory undo --list` shows changes")
    return [] if found is done[0] else ["--scope", found.root.scope, found.operation.id]


def _newest(memory: Memory) -> str:
    """Return the id of what was saved last, which "this one" is, and say which it is."""
    scope = memory.save_root().scope
    # A day to come, by a clock that was wrong, is not the last one.
    last = day_after(memory.today())
    listed = memory.sessions(scope=scope, last=last)
    found = max(listed, key=lambda one: one.session.id, default=None)
    if found is None:
        raise NotFoundError("no session to mark", hint="`memory save` makes the first one")
    screen.talk(f"{found.id}  {screen.first_line(found.session.topic)}")
    return found.id


def _plainly(text: str, *, is_save: bool) -> str:
    """Return what was said as it is understood in the record of a conversation."""
    if is_save:
        return text if phrases.is_save_requested(text) else "save this conversation"
    return text if phrases.is_save_refused(text) else "don't save this conversation"


def _settle(options: argparse.Namespace, text: str, *, is_save: bool) -> int:
    """Save the live session that is going on, or forget it, as the user just said."""
    memory = open_memory(options)
    fact = phrases.told_fact(text) if is_save else ""
    try:
        live = memory.live()
    except NotFoundError as error:
        if fact:
            return _run_command(options, ["add"], [fact])
        raise NotFoundError(_NOTHING, hint=_HINT) from error
    if live.ended and fact:
        return _run_command(options, ["add"], [fact])
    if live.ended and is_save:
        # It is saved as it is, or is not to be: this is said in another one.
        raise NotFoundError(_NOTHING, hint=_HINT)
    name = live.conversation
    memory.log(text, kind="user", conversation=name)
    ended = memory.end(name, so_far=True)
    if options.json:
        screen.show_json({"id": ended.id or None, "skipped": ended.skipped or None})
    elif ended.id:
        screen.show(ended.id)
    else:
        screen.talk(f"not saved: {ended.skipped}")
    return 0


_NOTHING = "nothing is recorded of this conversation"
_HINT = "`memory save` takes a session as JSON, `memory add` a note"

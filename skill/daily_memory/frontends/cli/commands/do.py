"""`memory do`"""

from __future__ import annotations

import argparse

from daily_memory.core.wishes import intents
from daily_memory.core.wishes.intents import Intent
from daily_memory.errors import InvalidInputError, NotFoundError
from daily_memory.frontends.cli import arguments, screen
from daily_memory.frontends.cli.arguments import open_memory
from daily_memory.frontends.cli.commands import load

EXAMPLES = """examples:
  memory do "搜索记忆: redis 缓存"     as memory search
  memory do "查看今日记忆"             as memory today
  memory do "记住这个"                 save the live session now
  memory do "don't save this"          … or have it forgotten
  memory do "删除记忆: 2026-01-29#1"   as memory delete; also by day, or by what it is about:
  memory do "删除今天的记忆", "delete memories about redis" --dry-run
  memory do "删除标签为 trial 的记忆", "delete memories before 2026-01-01"
                                       as memory delete --tag, memory cleanup --delete --before
  memory do "撤销删除"                 as memory undo
  memory do "把 2026-01-29#1 标记为重要"
                                       as memory mark
  memory do "清理旧记忆"               as memory cleanup, which proposes
  memory do "清理 90 天前的记忆"       as memory cleanup --days 90, which asks first; also:
  memory do "archive old memories", "合并重复的记忆", "hide secrets in my memories"
  memory do "恢复归档的记忆"           as memory restore, of all or of a day
  memory do "记忆报告", "回顾记忆", "总结记忆"
                                       as memory report, review, summarize
  memory do "memory settings"          as memory config
  memory do "把记忆保留天数改为 30 天", "turn off auto save", "每次最多显示 10 条"
                                       as memory config set; its own names do as well"""

_COMMANDS = {
    intents.SEARCH: ["search"],
    intents.TODAY: ["today"],
    intents.DAY: ["show"],
    intents.DELETE: ["delete"],
    intents.DELETE_OLD: ["cleanup", "--delete"],
    intents.DELETE_TAG: ["delete"],
    intents.UNDO: ["undo"],
    intents.ARCHIVE: ["cleanup", "--archive"],
    intents.DEDUPE: ["cleanup", "--dedupe"],
    intents.SANITIZE: ["cleanup", "--sanitize"],
    intents.RESTORE: ["restore"],
    intents.MARK: ["mark"],
    intents.CLEANUP: ["cleanup"],
    intents.RECENT: ["list", "--days", "7"],
    intents.SETTINGS: ["config"],
    intents.REPORT: ["report"],
    intents.REVIEW: ["review"],
    intents.SUMMARIZE: ["summarize"],
}
# Those that are asked about, or only shown.
_DESTROYING = (
    intents.DELETE,
    intents.DELETE_OLD,
    intents.DELETE_TAG,
    intents.UNDO,
    intents.CLEANUP,
    intents.ARCHIVE,
    intents.DEDUPE,
    intents.SANITIZE,
    intents.RESTORE,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", nargs="+", metavar="TEXT", help="what the user said")
    parser.add_argument("--dry-run", action="store_true", help="only show what would be changed")
    parser.add_argument("--yes", action="store_true", help="do not ask before it is done")


def run(options: argparse.Namespace) -> int:
    text = " ".join(options.text)
    intent = intents.find_intent(text)
    if intent is None:
        hint = (
            'say "搜索记忆: …", "查看今日记忆", "记住这个", "删除记忆: …", "undo the delete", '
            '"memory settings" …; `memory do --help` has more'
        )
        raise InvalidInputError("this says nothing to the memory", hint=hint)
    if (options.dry_run or options.yes) and intent.action not in _DESTROYING:
        raise InvalidInputError(
            "--dry-run and --yes are for what deletes, cleans up or restores", hint="leave them out"
        )
    if intent.action in (intents.SAVE, intents.SKIP):
        return _settle(options, text, is_save=intent.action == intents.SAVE)
    return _run_command(options, intent)


def _run_command(options: argparse.Namespace, intent: Intent) -> int:
    words = list(_COMMANDS[intent.action])
    words += ["--json"] if options.json else []
    words += ["--project", options.project] if options.project else []
    named = [intent.text]
    if intent.action == intents.DELETE:
        ids, about = intents.parse_deletion(intent.text)
        named = list(ids)
        words += [f"--query={about}"] if about else []
    if intent.action in (intents.CLEANUP, intents.DELETE_OLD):
        age = ["--before" if "-" in intent.text else "--days", intent.text]
        words += age if intent.text else []
        named = []
    if intent.action == intents.DELETE_TAG:
        words += [f"--tag={intent.text}"]
        named = []
    if intent.action == intents.RESTORE and not intent.text:
        words += ["--all"]
    if intent.action == intents.MARK:
        id_, flag = intents.parse_mark(intent.text)
        words += [f"--{flag}"]
        named = [id_]
    if intent.action in _DESTROYING:
        words += ["--dry-run"] if options.dry_run else []
        words += ["--yes"] if options.yes and intent.action != intents.UNDO else []
    if intent.action == intents.SETTINGS:
        named = list(intents.parse_change(intent.text))
    words += ["--", *named] if intent.text and named else []
    chosen = arguments.parse(words)
    status: int = load(chosen.command).run(chosen)
    return status


def _settle(options: argparse.Namespace, text: str, *, is_save: bool) -> int:
    """Save the live session that is going on, or forget it, as the user just said."""
    memory = open_memory(options)
    try:
        live = memory.live()
    except NotFoundError as error:
        raise NotFoundError(_NOTHING, hint=_HINT) from error
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

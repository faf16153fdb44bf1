"""`memory do`"""

from __future__ import annotations

from daily_memory.core.phrases import commands, saving
from daily_memory.core.setting_keys import get_key
from daily_memory.errors import InvalidInputError, NotFoundError
from daily_memory.frontends.cli import arguments, command
from daily_memory.frontends.cli.command import CliCommand, Options, Output
from daily_memory.frontends.cli.commands import load
from daily_memory.memory import Memory
from daily_memory.text import filled


def run(options: Options) -> Output | int:
    text = " ".join(options.text)
    memory = arguments.open_memory(options)
    words = commands.parse_command(text, memory.today())
    if not words:
        first, second = commands.nearest_commands(text)
        hint = filled("did you mean `memory {}` or `memory {}`?", first, second)
        raise InvalidInputError("not understood", hint=hint)
    if (options.dry_run or options.yes) and words[0] not in ("delete", "cleanup"):
        hint = "--dry-run and --yes are for delete and cleanup"
        raise InvalidInputError("no such option for `memory {}`", words[0], hint=hint)
    if words in (commands.SAVE, commands.SKIP):
        return _settle(memory, options, text, is_save=words == commands.SAVE)
    if words[:3] == ("config", "--", "set") and get_key(words[3]).is_own:
        # Only your own settings file may set these.
        words = ("config", "--global", *words[1:])
    return _run(options, *words)


def _run(options: Options, command: str, *words: str) -> Output | int:
    shared = [
        *(["--dry-run"] if options.dry_run else []),
        *(["--yes"] if options.yes else []),
        *(["--project", options.project] if options.project else []),
    ]
    parsed = arguments.parse([command, *shared, *words])
    parsed.json = options.json
    return load(command).run(parsed)


def _settle(memory: Memory, options: Options, text: str, *, is_save: bool) -> Output | int:
    """Save or skip the conversation that is being recorded; a fact alone becomes a note."""
    fact = saving.stated_fact(text) if is_save else ""
    try:
        live = memory.observations.live()
    except NotFoundError:
        live = None
    if (live is None or live.ended) and fact:
        return _run(options, "add", "--", fact)
    if live is None or (live.ended and is_save):
        hint = "save a session with `memory save`, or a note with `memory add`"
        raise NotFoundError("this conversation is not being recorded", hint=hint)
    # The record must say it in words that the digest understands too.
    if is_save and not saving.is_save_requested(text):
        text = "save this conversation"
    if not is_save and not saving.is_save_refused(text):
        text = "don't save this conversation"
    memory.log(text, kind="user", conversation=live.conversation)
    ended = memory.end(live.conversation, so_far=True)
    value = {"id": ended.id or None, "skipped": ended.skipped or None}
    lines, notes = ([ended.id], []) if ended.id else ([], [filled("not saved: {}", ended.skipped)])
    return Output(value, lines, notes)


DO = CliCommand(
    run,
    (
        command.argument("text", "TEXT", "what the user said", nargs="+"),
        *command.shared("dry_run", "yes"),
    ),
    """examples:
  memory do "记住这个"                 save this conversation, or add a note: "记住：用 pnpm"
  memory do "don't save this"          skip this conversation
  memory do "搜索记忆: redis 缓存"     memory search; so does a question
  memory do "查看今日记忆"             memory show; also "show last week's memories"
  memory do "删除记忆: 2026-01-29#1"   memory delete; also by day, or by words
  memory do "把最近一条标为重要"       memory mark; also "mark 2026-01-29#1 as outdated"
  memory do "撤销"                     memory undo; also "undo the last change"
  memory do "清理旧记忆"               memory cleanup; also "clean up memories older than 90 days"
  memory do "记忆设置"                 memory config; also "记忆设置 retrieval.max_results 改为 8"

Anything else: the error names the two nearest commands.""",
)

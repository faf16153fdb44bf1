"""`memory search`: of sessions, or with `--observations` of what happened in live sessions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from datetime import date
from functools import partial

from daily_memory import Query
from daily_memory.errors import InvalidInputError
from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import command, terminal
from daily_memory.frontends.cli.arguments import open_memory, open_named
from daily_memory.frontends.cli.command import CliCommand, Options, Output, Styled
from daily_memory.memory import Memory
from daily_memory.model import KINDS, days_before
from daily_memory.text import filled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory import results  # a search runs on every prompt


def run(options: Options) -> Output | int:
    _check_together(options)
    if options.team:
        return _ask_team(options)
    memory, name = open_named(options)
    terminal.warn(map(str, memory.settings_problems))
    if options.jsonl:
        return _answer_lines(memory, options, name)
    if options.observations:
        search = partial(memory.observations.search, project=name, scope=options.scope)
        return _find_records(memory, options, search, "nothing relevant was observed")
    queries = [_query(options, _words(options), options.now, name)]
    with terminal.progress("days read"):
        result = next(memory.search_many(queries, scope=options.scope, archived=options.archived))
    nothing = "no saved session is relevant" if result.unsaved else "nothing relevant is stored"
    return Output(
        json_shapes.search(result, explain=options.explain),
        _lines(result, options),
        [] if result.hits else [nothing],
        result.warnings,
    )


def _words(options: Options) -> str:
    words = " ".join(options.query)
    if words.strip():
        return words
    periods = ((name, getattr(options, name)) for name in ("days", "since", "until"))
    filters = [*periods, *(("tag", tag) for tag in options.tag)]
    given = " ".join(f"--{name} {value}" for name, value in filters if value)
    hint = (
        filled("without words: memory list {}", given)
        if given
        else 'as in: memory search "redis TTL"'
    )
    raise InvalidInputError("no query given", hint=hint)


def _check_together(options: Options) -> None:
    if not options.observations and (options.kind or options.tool):
        hint = "add --observations"
        raise InvalidInputError("--kind and --tool are for observations only", hint=hint)
    where = "team" if options.team else "observations" if options.observations else ""
    for name in ("method", "now", "jsonl", "archived") if where else ():
        if getattr(options, name):
            raise InvalidInputError("--{} and --{} do not go together", where, name)
    if options.team and options.scope:
        raise InvalidInputError("--{} and --{} do not go together", "team", "scope")


def _query(options: Options, words: str, now: date | None, project: str) -> Query:
    return Query(
        words,
        options.k,
        options.method,
        options.since,
        options.until,
        options.days,
        tuple(options.tag),
        project,
        now,
    )


def _ask_team(options: Options) -> Output:
    """Search all projects of the team that were granted; `--project` names one of them."""
    project, options.project = options.project or "", None
    memory = open_memory(options)
    search = partial(memory.team.search, project=project)
    return _find_records(memory, options, search, "the team knows nothing relevant")


def _find_records(
    memory: Memory, options: Options, search: Callable[..., results.RecordResult], nothing: str
) -> Output:
    from daily_memory.frontends.cli.commands import live  # a search of sessions needs none of it

    words = _words(options)
    result = search(
        words,
        limit=options.k or memory.settings.retrieval.max_results,
        kinds=options.kind or (KINDS if options.observations else ()),
        tools=options.tool,
        tags=options.tag,
        since=days_before(memory.today(), options.days - 1) if options.days else options.since,
        until=options.until,
    )
    value = json_shapes.records(words, result, explain=options.explain)
    lines = live.hit_lines(result.hits, explain=options.explain)
    return Output(value, lines, [] if result.hits else [nothing], result.warnings)


def _answer_lines(memory: Memory, options: Options, project: str) -> int:
    """Answer each line as soon as its query is known, so that a program can talk with us."""
    ids: list[object] = []

    def queries() -> Iterator[Query]:
        for place, item in terminal.read_jsonl():
            ids.append(item.get("qid"))
            yield _line_query(options, item, place, project)

    answers = memory.search_many(queries(), scope=options.scope, archived=options.archived)
    for place, result in enumerate(answers):
        answer = json_shapes.search(result, explain=options.explain)
        terminal.show_json({"qid": ids[place], **answer})
        sys.stdout.flush()
    return 0


def _line_query(options: Options, item: dict[str, object], number: int, project: str) -> Query:
    words, now = item.get("query"), item.get("now")
    if not isinstance(words, str):
        raise InvalidInputError('line {} has no "query"', number)
    if now is None:
        return _query(options, words, options.now, project)
    from daily_memory.core.format.session_json import parse_date  # a program that names the day

    return _query(options, words, parse_date(now, filled("line {}: now", number)), project)


def _lines(result: results.SearchResult, options: Options) -> Iterator[command.Line]:
    for hit in result.hits:
        is_named = options.scope == "all" or not hit.root.is_own
        yield _headline(hit, hit.root.project if is_named else "")
        if hit.session.topic not in ("", hit.snippet):
            yield "    ", Styled(hit.snippet, words=(*hit.matched, *hit.terms))
        yield "    ", terminal.place_link(hit.path, hit.span.first)
        if options.explain:
            yield from (
                ("    ", Styled(f"| {terminal.say(line)}", "dim")) for line in hit.explanation
            )


def _headline(hit: results.Hit, project: str) -> command.Line:
    session = hit.session
    marks = {
        "global": hit.root.scope == "global",
        "important": session.is_important,
        "outdated": session.is_outdated,
        "archived": hit.archived,
        "translated": hit.translated,
    }
    notes = terminal.in_brackets(session.project or project, session.origin, **marks)
    topic = session.topic.split("\n")[0] or hit.snippet
    return (
        *terminal.id_column(hit.id, hit.path),
        Styled(f" {hit.score:.2f}  ", "dim"),
        Styled(topic, "bold", words=(*hit.matched, *hit.terms)),
        Styled(notes, "dim"),
    )


SEARCH = CliCommand(
    run,
    (
        command.argument("query", "QUERY", "words, in any language", nargs="*"),
        command.number("-k -n --limit", "number of results", 0, dest="k"),
        command.choice("--method", ("keyword", "semantic", "hybrid"), "how to search", default=""),
        command.number("--days", "the last N days", 0),
        *command.shared("now"),
        command.flag("--jsonl", "read queries from stdin, one per line"),
        command.flag("--explain", "show why each result was found"),
        command.flag("--observations", "search observations of live sessions"),
        command.flag("--team", "search your team's database, all projects that you may see"),
        command.repeated(
            "--kind", None, "only observations of this kind; repeatable", choices=KINDS
        ),
        command.repeated("--tool", "NAME", "only observations of this tool; repeatable"),
        *command.shared("tag", "since", "until", "archived", "scope"),
    ),
    """examples:
  memory search "redis 过期时间"
  memory search "deploy" --days 30 --tag ci -k 3
  memory search "login" --project shop
  memory search "连接池" --observations --kind decision --kind error
  memory search --jsonl < queries.jsonl       {"qid", "query", "now"} per line

Observations are single steps of live sessions; `memory timeline ID` shows what happened around
one. No result means that nothing relevant is stored.""",
)

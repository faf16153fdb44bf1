"""`memory search`: of sessions, or with `--observations` of what happened in live sessions."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import date

from daily_memory import Query
from daily_memory.errors import InvalidInputError
from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.arguments import (
    add_options,
    day_option,
    open_memory,
    positive,
    take_project_name,
)
from daily_memory.memory import Memory
from daily_memory.model import days_before

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from daily_memory.results import Hit, SearchResult

EXAMPLES = """examples:
  memory search "redis 过期时间"
  memory search "deploy" --days 30 --tag ci -k 3
  memory search "login" --project shop
  memory search "连接池" --observations --kind decision --kind error
  memory search --jsonl < queries.jsonl       {"qid", "query", "now"} per line

Observations are single steps of live sessions; `memory timeline ID` shows what happened around
one. No result means that nothing relevant is stored."""

# What each option is where it is not given; flags are False.
PLAIN: dict[str, object] = {
    "query": [],
    "k": 0,
    "method": "",
    "since": None,
    "until": None,
    "days": 0,
    "tag": [],
    "now": None,
    "jsonl": False,
    "explain": False,
    "archived": False,
    "observations": False,
    "kind": [],
    "tool": [],
    "scope": "",
    "project": None,
    "json": False,
    "debug": False,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from daily_memory.core.observation import KINDS  # a plain line is read without these options

    parser.add_argument("query", nargs="*", metavar="QUERY", help="words, in any language")
    parser.add_argument(
        "-k",
        "-n",
        "--limit",
        dest="k",
        type=positive,
        default=0,
        metavar="N",
        help="number of results",
    )
    parser.add_argument("--method", choices=("keyword", "semantic", "hybrid"), default="")
    parser.add_argument("--days", type=positive, default=0, metavar="N", help="the last N days")
    parser.add_argument("--now", metavar="YYYY-MM-DD", help="as if this day were today")
    parser.add_argument(
        "--jsonl", action="store_true", help="read queries from stdin, one per line"
    )
    parser.add_argument("--explain", action="store_true", help="show why each result was found")
    parser.add_argument(
        "--observations", action="store_true", help="search observations of live sessions"
    )
    parser.add_argument(
        "--kind",
        action="append",
        default=[],
        choices=KINDS,
        help="with --observations: only this kind; repeatable",
    )
    parser.add_argument(
        "--tool",
        action="append",
        default=[],
        help="with --observations: only this tool; repeatable",
    )
    add_options(parser, "tag", "since", "until", "archived", "scope")


def run(options: argparse.Namespace) -> int:
    _check_together(options)
    name = take_project_name(options)
    memory = open_memory(options)
    terminal.warn(tuple(map(str, memory.settings_problems)))
    if options.jsonl:
        if name:
            memory.projects.check(name)
        return _answer_lines(memory, options, name)
    words = " ".join(options.query)
    if not words.strip():
        raise InvalidInputError("no query given", hint='as in: memory search "redis TTL"')
    if options.observations:
        return _find_observations(memory, options, words, name)
    query = _query(options, words, day_option(options.now, "--now"), name)
    progress = terminal.progress_bar("days read")
    found = memory.search_many(
        [query], scope=options.scope, archived=options.archived, progress=progress
    )
    result = next(found)
    if not result.hits and name:
        memory.projects.check(name)
    if options.json:
        terminal.show_json(json_shapes.search(result, explain=options.explain))
        return 0
    _show(result, options)
    return 0


def _check_together(options: argparse.Namespace) -> None:
    """See that no option is given which would have no effect.

    Raises:
        InvalidInputError: one is.
    """
    if not options.observations and (options.kind or options.tool):
        raise InvalidInputError(
            "--kind and --tool are for observations only", hint="add --observations"
        )
    for name in ("method", "now", "jsonl", "archived") if options.observations else ():
        if getattr(options, name):
            raise InvalidInputError(f"--observations and --{name} do not go together")


def _query(options: argparse.Namespace, words: str, now: date | None, project: str) -> Query:
    return Query(
        words,
        options.k,
        options.method,
        day_option(options.since, "--since"),
        day_option(options.until, "--until"),
        options.days,
        tuple(options.tag),
        project,
        now,
    )


def _find_observations(memory: Memory, options: argparse.Namespace, words: str, name: str) -> int:
    # A search of sessions needs none of it.
    from daily_memory.core.observation import KINDS
    from daily_memory.frontends.cli import records

    since = day_option(options.since, "--since")
    if options.days:
        since = days_before(memory.today(), options.days - 1)
    result = memory.observations.search(
        words,
        limit=options.k or memory.settings.retrieval.max_results,
        kinds=options.kind or KINDS,
        tools=options.tool,
        tags=options.tag,
        since=since,
        until=day_option(options.until, "--until"),
        project=name,
        scope=options.scope,
    )
    if not result.hits and name:
        memory.projects.check(name)
    return records.show_hits(words, result, as_json=options.json, explain=options.explain)


def _answer_lines(memory: Memory, options: argparse.Namespace, name: str) -> int:
    """Answer each line as soon as its query is known, so that a program can talk with us."""
    asked: list[object] = []

    def queries() -> Iterator[Query]:
        for number, line in enumerate(sys.stdin.buffer, 1):
            if line.strip():
                item = terminal.parse_json(line.decode("utf-8", "replace"), f"line {number}")
                asked.append(item.get("qid"))
                yield _line_query(options, item, number, name)

    results = memory.search_many(queries(), scope=options.scope, archived=options.archived)
    for place, result in enumerate(results):
        answer = json_shapes.search(result, explain=options.explain)
        terminal.show_json({"qid": asked[place], **answer})
        sys.stdout.flush()
    return 0


def _line_query(
    options: argparse.Namespace, item: dict[str, object], number: int, project: str
) -> Query:
    words = item.get("query")
    if not isinstance(words, str):
        raise InvalidInputError(f'line {number} has no "query"')
    now = item.get("now", options.now)
    if now is not None and not isinstance(now, str):
        raise InvalidInputError(f'line {number}: "now" is not a text')
    return _query(options, words, day_option(now, f"line {number}: now"), project)


def _show(result: SearchResult, options: argparse.Namespace) -> None:
    terminal.warn(result.warnings)
    if not result.hits:
        is_open = result.observed
        terminal.talk("no saved session is relevant" if is_open else "nothing relevant is stored")
    for hit in result.hits:
        is_named = options.scope == "all" or not hit.root.is_own
        _show_hit(hit, hit.root.project if is_named else "", explain=options.explain)


def _show_hit(hit: Hit, project: str, *, explain: bool) -> None:
    session = hit.session
    flags = [name for name in ("important", "outdated") if getattr(session, f"is_{name}")]
    where = [
        session.project or project,
        "global" if hit.root.scope == "global" else "",
        *flags,
        session.origin,
        "archived" if hit.archived else "",
    ]
    notes = "".join(f"  [{note}]" for note in where if note)
    topic = session.topic.split("\n")[0]
    terminal.show(f"{hit.id:<14} {hit.score:.2f}  {topic}{notes}")
    terminal.show(f"    {hit.snippet}")
    terminal.show(f"    {hit.path}:{hit.span.first}")
    if explain:
        for line in hit.explanation:
            terminal.show(f"    | {line}")

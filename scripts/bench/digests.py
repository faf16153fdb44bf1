"""How many of the facts that matter a digest holds, and how much noise: docs/benchmarks.md.

    python scripts/bench/digests.py [--real DIR] [--labels LABELS.jsonl …] [--lines RUN.json]

The conversations of tests/data/conversations come with their facts and their noise. `--real` names
a folder of real ones with `replay.py` and `score.py`, by hook, save and import, in this process:
seconds, not minutes. They are halved by a hash of their ids: decide by the first half, then look
at the second. `--labels` are lines judged `keep`, `noise` or `wrong` by eye.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(CHECKOUT / "skill"), str(CHECKOUT)]

from tests.core import conversations  # noqa: E402
from tests.core.conversations import Conversation  # noqa: E402

from daily_memory.core.digests.digest import digest_observations  # noqa: E402  # the path comes first
from daily_memory.core.digests.messages import Call, Message, role_of  # noqa: E402
from daily_memory.core.hosts import events  # noqa: E402
from daily_memory.core.imports import transcripts  # noqa: E402
from daily_memory.core.observation import Observation  # noqa: E402
from daily_memory.core.settings import DEFAULTS  # noqa: E402
from daily_memory.services.setup.redaction_policy import policy  # noqa: E402
from daily_memory.services.writing import digest  # noqa: E402

Row = dict[str, Any]

DAY = date(2026, 1, 29)
PROJECT = Path("/project")
HEADINGS = ("key_points", "decisions", "open_questions", "next_steps", "files")
HALVES = {"all": (0, 1), "first half": (0,), "second half": (1,)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--real", type=Path, metavar="DIR")
    parser.add_argument("--labels", type=Path, nargs="*", default=[], metavar="LABELS.jsonl")
    parser.add_argument("--lines", type=Path, metavar="RUN.json", help="written: what was kept")
    given = parser.parse_args()
    print("| conversations | form | facts held | noise let in |")
    print("| --- | --- | --- | --- |")
    _print_rows(conversations.load_all(), "worked on")
    _print_rows(conversations.load_all(conversations.HELD_BACK), "held back")
    if given.real:
        runs = _real(given.real)
        _print_precision(runs["hook", "brief"], given.labels)
        if given.lines:
            named = {" ".join(key): rows for key, rows in runs.items()}
            given.lines.write_text(json.dumps(named, ensure_ascii=False, indent=1), "utf-8")


def _print_rows(every: list[Conversation], kind: str) -> None:
    for language, name in (("zh", "Chinese"), ("en", "English"), ("mixed", "mixed"), ("", "all")):
        chosen = [one for one in every if one.name.startswith(language)]
        for detailed in (False, True):
            found = [
                (one, digest_observations(one.observations, DAY, detailed=detailed))
                for one in chosen
            ]
            recall = conversations.recall(found, detailed=detailed)
            noise = conversations.noise(found)
            form = "detailed" if detailed else "brief"
            print(f"| {kind}: {len(chosen)} {name} | {form} | {recall:.2f} | {noise:.2f} |")


# ---------------------------------------------------------------------------- real conversations


def _real(folder: Path) -> dict[tuple[str, str], list[Row]]:
    """Print the figures of real conversations, and return what was kept of each."""
    replay, score = programs_of(folder)
    told = score.read_rows(folder / "conversations.jsonl")
    facts = {row["id"]: row for row in score.read_rows(folder / "facts.jsonl")}
    length = {row["id"]: score.length_of(row) for row in told}
    routes: dict[str, Callable[[Row], tuple[list[Observation], str]]] = {
        "hook": lambda row: (by_hook(replay, row), ""),
        "save": lambda row: (_by_save(row), ""),
        "import": lambda row: _by_import(replay, row),
    }
    runs: dict[tuple[str, str], list[Row]] = {}
    print("\n| route | form | part | facts | right | stale | topic | kept | lines | characters |")
    print("|" + " --- |" * 10)
    for route, read in routes.items():
        recorded = [(row["id"], *read(row)) for row in told]
        for form in ("brief", "detailed"):
            rows = [_kept(*one, detailed=form == "detailed") for one in recorded]
            runs[route, form] = rows
            kept = {row["id"]: row for row in rows if row["topic"] is not None}
            groups = {name: [x for x in facts if half(x) in own] for name, own in HALVES.items()}
            if route == "hook":
                groups |= {
                    name: [x for x in facts if length[x] == name] for name in length.values()
                }
            for name, ids in groups.items():
                counts: Counter[str] = Counter()
                for key in ids:
                    counts.update(score.judge(kept.get(key), facts[key]))
                print(f"| {route} | {form} | {name} | {_shown(counts)} |")
    return runs


def programs_of(folder: Path) -> tuple[Any, Any]:
    """Return `replay.py` and `score.py` of a folder, or of the first folder asked for."""
    sys.path.append(str(folder))
    import replay  # type: ignore[import-not-found]  # the folder's own
    import score  # type: ignore[import-not-found]

    return replay, score


def labels_in(paths: Iterable[Path]) -> dict[tuple[str, str, str], str]:
    """Return the labels of lines, by conversation, heading and text."""
    rows = (json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines())
    return {(row["id"], row["heading"], row["text"]): row["label"] for row in rows}


def half(name: str) -> int:
    """Return 0 for a conversation that rules may be worked out on, 1 for one that is kept back."""
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % 2


def _shown(counts: Mapping[str, int]) -> str:
    right = f"{counts['right'] / counts['facts']:.2f}" if counts["facts"] else "-"
    topic = f"{counts['topic_right']}/{counts['with_topic']}"
    kept = f"{counts['kept_or_skipped_right']}/{counts['conversations']}"
    lines = (counts["stale"], topic, kept, counts["lines"], counts["characters"])
    return " | ".join(map(str, (counts["facts"], right, *lines)))


def by_hook(replay: Any, conversation: Row) -> list[Observation]:
    """Return what hooks record of a conversation."""
    messages = []
    for payload in replay.hook_payloads(conversation, PROJECT):
        event = events.parse_event(payload, {}, conversation["host"])
        if event.meaning == events.TOOL:
            call = Call(event.tool, event.arguments, event.output, event.error)
            messages.append(Message("tool", "", call=call))
        elif event.text and event.meaning == events.PROMPT:
            messages.append(Message("user", event.text))
        elif event.text and event.meaning in (events.ANSWER, events.STOP):
            messages.append(Message("assistant", event.text))
    return _recorded(messages)


def _by_save(conversation: Row) -> list[Observation]:
    said = [event for event in conversation["events"] if event["kind"] != "tool"]
    return _recorded([Message(event["kind"], event["text"]) for event in said])


def _by_import(replay: Any, conversation: Row) -> tuple[list[Observation], str]:
    """Return what an import reads of a conversation, and its title."""
    lines = [json.dumps(line).encode() for line in replay.transcript(conversation, PROJECT)]
    found = transcripts.parse_claude(lines, conversation["id"])
    return _recorded(found.messages), str(dict(found.given).get("topic", ""))


def _recorded(messages: Sequence[Message]) -> list[Observation]:
    redacted, _ = digest.redacted_messages(messages, policy(DEFAULTS))
    placed = (digest.placed(message, str(PROJECT)) for message in redacted)
    return [
        Observation("", role_of(one), one.content, tool=one.tool, files=one.files) for one in placed
    ]


def _kept(
    name: str, observations: Sequence[Observation], title: str, *, detailed: bool
) -> dict[str, Any]:
    """Return what is kept of a conversation; of one that is skipped the topic is None."""
    skipped = digest.reason_to_skip(digest.messages_of(observations), DEFAULTS)
    made = digest_observations(observations, DAY, detailed=detailed, save_code=False)
    if skipped or not made.topic:
        return {"id": name, "topic": None}
    lists = {heading: list(getattr(made, heading)) for heading in HEADINGS}
    return {"id": name, "topic": title or made.topic, **lists}


def _print_precision(rows: Sequence[Row], labels: Iterable[Path]) -> None:
    known = labels_in(labels)
    print("\n| brief lines by hook | keep | noise | wrong | not labelled | worth having |")
    print("|" + " --- |" * 6)
    for name, own in HALVES.items():
        lines = [line for row in rows if half(row["id"]) in own for line in _lines(row)]
        counts = Counter(known.get(line, "") for line in lines)
        judged = counts["keep"] + counts["noise"] + counts["wrong"]
        share = f"{counts['keep'] / judged:.2f}" if judged else "-"
        shown = (counts["keep"], counts["noise"], counts["wrong"], counts[""], share)
        print(f"| {name} | {' | '.join(map(str, shown))} |")


def _lines(row: Row) -> Iterator[tuple[str, str, str]]:
    for heading in HEADINGS:
        yield from ((row["id"], heading, text) for text in row.get(heading, []))


if __name__ == "__main__":
    main()

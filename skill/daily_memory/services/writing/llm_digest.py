"""Improve a digest by a language model, if the user switched one on."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import NamedTuple

from daily_memory.core.settings import Recording, Settings
from daily_memory.errors import BackendError, DailyMemoryError
from daily_memory.model import Session
from daily_memory.storage.fs import files
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.roots import Root
from daily_memory.text import counted, filled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.core.llm.summary import LlmSummary
    from daily_memory.core.ports import Answer, Question, Summarizer

HEURISTIC = "heuristic"
# A digest works without a model, so it waits less for the lock than a save.
WAIT_S = 2.0


class _Cap(NamedTuple):
    """The daily limit of the language model, and the root that counts its use."""

    root: Root
    day: date
    most: Spent


def summarize(
    draft: Session,
    text: str,
    settings: Settings,
    environment: Mapping[str, str],
    root: Root,
    now: datetime,
) -> tuple[Session, tuple[str, ...]]:
    """Return the heuristic digest of a conversation, improved by the chosen model, and warnings.

    `text` is the conversation, redacted; `environment` has the keys. If the model fails, the digest
    stays as it is, and a warning says why. A private session is never sent.
    """
    wanted = settings.recording
    if wanted.summarizer == HEURISTIC and environment.get("TRAE_MEM_SUMMARIZER"):
        return draft, ("TRAE_MEM_SUMMARIZER is not read: set recording.summarizer instead",)
    if wanted.summarizer == HEURISTIC or draft.is_private or not text.strip():
        return draft, ()
    try:
        most = Spent(wanted.summarizer_daily_calls, wanted.summarizer_daily_tokens)
        cap = _Cap(root, now.date(), most)
        return _summarized(draft, _hidden(text, settings), wanted, environment, cap)
    except DailyMemoryError as error:
        hint = filled(" ({})", error.hint) if error.hint else ""
        return draft, (filled("digested without {}: {}{}", wanted.summarizer, error.message, hint),)


def _hidden(text: str, settings: Settings) -> str:
    """Return the text without secrets, even if the settings keep them in the files."""
    if settings.recording.sanitize_sensitive:
        return text
    from daily_memory.core.redaction import privacy
    from daily_memory.services.setup.redaction_policy import policy, strict

    return privacy.redact(text, strict(policy(settings))).text


def _summarized(
    draft: Session, text: str, wanted: Recording, environment: Mapping[str, str], cap: _Cap
) -> tuple[Session, tuple[str, ...]]:
    # Loaded here: without a model nothing of this is needed.
    from daily_memory.core.format.markdown import heading_language
    from daily_memory.core.llm import grounding, summary

    back_end = _back_end(wanted, environment)
    parts = summary.parts_of(text)
    language = heading_language("auto", [draft])
    summaries: list[LlmSummary] = []
    warnings: list[str] = []
    for number, part in enumerate(parts, 1):
        question = summary.question_about(part, language, number, len(parts))
        answer = _asked(back_end, question, wanted.summarizer_timeout_s, cap)
        made, refused = summary.grounded(
            summary.parse_summary(answer.text), grounding.source_of(part), language
        )
        summaries.append(made)
        warnings += _refused(refused, wanted)
    made = summaries[0]
    if len(summaries) > 1:
        try:
            question = summary.joining_question(summaries, language)
            answer = _asked(back_end, question, wanted.summarizer_timeout_s, cap)
            whole = grounding.source_of("\n\n".join(parts))
            made, refused = summary.grounded(summary.parse_summary(answer.text), whole, language)
            warnings += _refused(refused, wanted)
        except DailyMemoryError as error:
            made = summary.merged(summaries)
            warnings.append(
                filled("{} did not join the parts: {}", wanted.summarizer, error.message)
            )
    return summary.improved(draft, made, detailed=wanted.digest == "detailed"), tuple(warnings)


def _refused(statements: Sequence[str], wanted: Recording) -> list[str]:
    if not statements:
        return []
    what = counted(len(statements), "statement")
    return [filled("{} of {} left out: not said in the conversation", what, wanted.summarizer)]


def _back_end(wanted: Recording, environment: Mapping[str, str]) -> Summarizer:
    from daily_memory.backends.summarizers.clients import HttpSummarizer
    from daily_memory.core.ports import ModelError

    if not wanted.summarizer_model:
        raise ModelError("no model is named", hint="set recording.summarizer_model")
    return HttpSummarizer(
        wanted.summarizer, wanted.summarizer_model, wanted.summarizer_url, environment
    )


def _asked(back_end: Summarizer, question: Question, timeout_s: float, cap: _Cap) -> Answer:
    """Return the answer to a question; a failed request is repeated once if that may help."""
    from daily_memory.core.ports import AGAIN, SIMPLER, ModelError

    deadline = time.monotonic() + timeout_s
    try:
        return _asked_once(back_end, question, timeout_s, cap)
    except ModelError as error:
        left_s = deadline - time.monotonic()
        if error.remedy not in (AGAIN, SIMPLER) or left_s <= 0:
            raise
        if error.remedy == SIMPLER:
            question = question._replace(strict=False)
    return _asked_once(back_end, question, left_s, cap)


def _asked_once(back_end: Summarizer, question: Question, timeout_s: float, cap: _Cap) -> Answer:
    from daily_memory.core.ports import ModelError

    reserved = question.tokens + question.answer_tokens
    reserve(cap.root, cap.day, reserved, cap.most)
    try:
        answer = back_end.ask(question, timeout_s)
    except ModelError as error:
        if error.is_free:
            _settle(cap, reserved, 0)
        raise
    if answer.tokens:
        _settle(cap, reserved, answer.tokens)
    return answer


def _settle(cap: _Cap, reserved: int, used: int) -> None:
    # More was reserved than used, so the cap holds even if this fails.
    with contextlib.suppress(DailyMemoryError):
        settle(cap.root, cap.day, reserved, used)


class Spent(NamedTuple):
    """Requests and tokens: used on a day, or its cap."""

    calls: int = 0
    tokens: int = 0


def load_spent(root: Root, day: date) -> Spent:
    """Return the use of a day; none if the file is unusable."""
    try:
        data = json.loads(files.find_bytes(_path(root)) or b"{}")
        if data.get("day") == day.isoformat():
            return Spent(_count(data["calls"]), _count(data["tokens"]))
    except (ValueError, RecursionError, AttributeError, KeyError):
        pass  # truncated or edited: it is written again, and the cap starts over
    return Spent()


def _count(value: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError
    return value


def reserve(root: Root, day: date, tokens: int, most: Spent) -> None:
    """Count a request before it is sent, with the most tokens it may use."""
    with locked(root, wait_s=WAIT_S):
        spent = load_spent(root, day)
        if spent.calls + 1 > most.calls:
            message = filled("the cap of {} a day is reached", counted(most.calls, "request"))
            raise BackendError(message, hint="recording.summarizer_daily_calls")
        if spent.tokens + tokens > most.tokens:
            raise BackendError(
                "{} more tokens would exceed the cap of {} a day, of which {} are used",
                tokens,
                most.tokens,
                spent.tokens,
                hint="recording.summarizer_daily_tokens",
            )
        _save(root, day, Spent(spent.calls + 1, spent.tokens + tokens))


def settle(root: Root, day: date, reserved: int, used: int) -> None:
    """Replace the reserved tokens of a request with those that it used."""
    with locked(root, wait_s=WAIT_S):
        spent = load_spent(root, day)
        if not spent.calls:
            return  # past midnight: the file counts another day by now
        _save(root, day, spent._replace(tokens=max(spent.tokens - reserved + used, 0)))


def _save(root: Root, day: date, spent: Spent) -> None:
    data = {"calls": spent.calls, "day": day.isoformat(), "tokens": spent.tokens}
    files.replace(_path(root), f"{json.dumps(data, indent=2)}\n".encode(), root.modes)


def _path(root: Root) -> str:
    return os.path.join(root.index_folder, "summarizer.json")

"""Digests of whole conversations: how many of the facts that matter they hold, and how much noise.

The figures are of the whole set or of one language; no single sentence is asked for. What they
are at present stands in docs/benchmarks.md.
"""

from __future__ import annotations

from datetime import date

import pytest

from daily_memory.core.digests.actions import actions
from daily_memory.core.digests.digest import BRIEF, DETAILED, MOST_MORE_WIDTH, digest_observations
from daily_memory.core.digests.wording import width
from daily_memory.model import Session
from tests.core import conversations
from tests.core.conversations import Conversation

DAY = date(2026, 1, 29)
CONVERSATIONS = conversations.load_all()
HELD_BACK = conversations.load_all(conversations.HELD_BACK)


def digests(*, detailed: bool, language: str = "") -> list[tuple[Conversation, Session]]:
    return [
        (one, digest_observations(one.observations, DAY, detailed=detailed))
        for one in CONVERSATIONS
        if one.name.startswith(language)
    ]


def test_the_set_is_large_and_of_all_kinds():
    names = [one.name for one in CONVERSATIONS]
    sizes = [len(one.observations) for one in CONVERSATIONS]

    assert len(names) >= 50
    assert min(sizes) <= 5
    assert max(sizes) >= 45
    assert {name.partition("-")[0] for name in names} == {"zh", "en", "mixed"}
    assert all(one.facts and one.noise for one in (*CONVERSATIONS, *HELD_BACK))


@pytest.mark.parametrize("language", ["", "zh", "en", "mixed"])
@pytest.mark.parametrize(("detailed", "least"), [(False, 0.78), (True, 0.86)])
def test_a_digest_holds_the_facts_that_matter(language, detailed, least):
    found = digests(detailed=detailed, language=language)

    assert conversations.recall(found, detailed=detailed) >= least


@pytest.mark.parametrize("language", ["", "zh", "en", "mixed"])
@pytest.mark.parametrize("detailed", [False, True])
def test_a_digest_holds_next_to_no_noise(language, detailed):
    found = digests(detailed=detailed, language=language)

    assert conversations.noise(found) <= 0.05


@pytest.mark.parametrize(("detailed", "least"), [(False, 0.8), (True, 0.86)])
def test_a_digest_of_a_conversation_that_no_rule_was_made_for_holds_most(detailed, least):
    found = [
        (one, digest_observations(one.observations, DAY, detailed=detailed)) for one in HELD_BACK
    ]

    assert conversations.recall(found, detailed=detailed) >= least


@pytest.mark.parametrize(
    ("detailed", "max_width"), [(False, BRIEF.max_width), (True, DETAILED.max_width)]
)
def test_a_digest_keeps_its_budget(detailed, max_width):
    texts = [
        (*conversations.items(session, "any"), *session.files)
        for _, session in digests(detailed=detailed)
    ]

    assert max(sum(map(width, lines)) for lines in texts) <= max_width + MOST_MORE_WIDTH


def test_a_detailed_digest_tells_more():
    brief, detailed = (
        [len(conversations.text_of(session)) for _, session in digests(detailed=form)]
        for form in (False, True)
    )

    assert sum(detailed) > 1.05 * sum(brief)


def test_each_point_is_a_sentence_of_the_conversation_or_a_fact_of_a_tool():
    invented = []
    for conversation, session in digests(detailed=True):
        said = "".join("".join(one.text.split()) for one in conversation.observations)
        facts = tool_facts(conversation)
        points = (*session.decisions, *session.open_questions, *session.next_steps)
        for point in (*session.key_points, *points):
            whole = point.removesuffix("…")
            is_fact = any(fact.startswith(whole) for fact in facts)
            if not is_fact and "".join(whole.split()) not in said:
                invented.append(point)

    assert invented == []


def tool_facts(conversation: Conversation) -> list[str]:
    """Return every line that the tools of a conversation tell, in either language."""
    found = [actions(conversation.observations, name) for name in ("zh", "en")]
    outcomes = [outcome.text for one in found for outcome in one.outcomes]
    commits = [text for one in found for text in one.commits]
    return [*outcomes, *commits, *found[0].answers]


def test_what_was_recalled_is_never_digested():
    recalled = [one for one in CONVERSATIONS if "旧记忆" in one.noise]

    found = [digest_observations(one.observations, DAY, detailed=True) for one in recalled]

    assert found
    assert all("旧记忆" not in conversations.text_of(session) for session in found)

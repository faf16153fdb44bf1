"""What a sentence is: a decision, an open question, a step to do, a point, or nothing to keep."""

from __future__ import annotations

from collections.abc import Sequence

from daily_memory.core.digests import cues, reply_cues
from daily_memory.core.digests.sentences import CHOICE, DECISION, NEXT, POINT, QUESTION, Sentence
from daily_memory.core.digests.wording import (
    has_terms,
    is_about_saving,
    is_small_talk,
    terms_of,
    without_filler,
    without_greeting,
)

_MAX_DONE = 300
_LONGEST_ANNOUNCEMENT = 80


def kind_of(sentence: Sentence, last: int) -> str:
    """Return what the sentence is: a decision, a question, a step to do, a point, or nothing."""
    if not _is_content(sentence):
        return ""
    if _is_open(sentence, last):
        return QUESTION
    is_promise = _is_promised(sentence, last)
    # What nobody answered is not done yet.
    is_left = is_promise or (sentence.message == last and sentence.role == "user")
    if _is_decided(sentence):
        return NEXT if is_left and not _chooses(sentence.text) else DECISION
    if is_promise or _is_to_do(sentence, last):
        return NEXT
    if _is_directed(sentence):
        return NEXT if is_left and not _chooses(sentence.text) else DECISION
    is_question = bool(cues.ASKS.search(sentence.text))
    return "" if is_question and sentence.role == "assistant" else POINT


def point_of(sentence: Sentence, kind: str) -> str:
    """Return the sentence without what it says before it says anything."""
    if sentence.role == "user" and kind == DECISION:
        # "OK, Postgres then": here the first word is the decision.
        return cues.ENDS_WITH_THANKS.sub("", sentence.text)
    bare = without_filler(sentence.text)
    bare = reply_cues.ASKS_CONSENT.sub("", bare).rstrip(":：") if kind == DECISION else bare
    for label in (cues.LABELLED_TO_DO.match(bare), cues.LABELLED_OPEN.match(bare)):
        bare = bare[label.end() - 1 :] if label else bare
    return cues.ENDS_WITH_THANKS.sub("", bare)


def _is_content(sentence: Sentence) -> bool:
    text = sentence.text
    # What ends in a colon introduces something that is not in the sentence.
    if text.endswith((":", "：")) or is_about_saving(text):
        return False
    if sentence.role == "user" and sentence.message and reply_cues.ASKS_WHAT_IS_LEFT.search(text):
        return False
    bare = without_filler(text)
    if sentence.role == "assistant" and _says_nothing(bare, is_listed=bool(sentence.section)):
        return False
    if is_small_talk(bare) or cues.BEGINS_WITH_OPTION.match(bare) or cues.VAGUE.match(bare):
        return False
    bare = cues.ENDS_WITH_THANKS.sub("", without_greeting(bare))
    is_decision = sentence.role == "user" and _decides(text)
    least = 1 if sentence.section or is_decision or cues.ASKS.search(text) else 3
    # "可以，就按这个改": what is agreed to stands in the message before.
    is_agreement = reply_cues.AGREES.match(text) and not cues.EXACT.search(text)
    is_empty = cues.ACKNOWLEDGEMENT.match(bare) or (is_agreement and not has_terms(bare, 9))
    return not is_empty and has_terms(bare, least)


def _says_nothing(bare: str, *, is_listed: bool) -> bool:
    if cues.COURTESY.match(bare):
        return True
    return not is_listed and bool(cues.NARRATION.match(bare) or cues.OFFER.search(bare))


def _is_decided(sentence: Sentence) -> bool:
    text = sentence.text
    if sentence.section == DECISION:
        return True
    if cues.ASKS.search(text) or sentence.section in (QUESTION, NEXT, CHOICE):
        return False
    if cues.DECIDED.search(text):
        # "改用 X" in a report of what was done is no decision.
        is_report = sentence.role == "assistant" and not cues.DECIDED_PLAINLY.search(text)
        return not is_report and not cues.UNDECIDED.search(text)
    is_reply = sentence.role == "user" and sentence.message > 0
    return is_reply and _decides(text) and not cues.ORDERS.search(text)


def _chooses(text: str) -> bool:
    return bool(cues.DECIDED.search(text) or reply_cues.CHOOSES.search(text))


def _is_directed(sentence: Sentence) -> bool:
    """Tell whether the user orders how something is to be, in an answer to what was said."""
    text = sentence.text
    if sentence.role != "user" or sentence.message == 0 or cues.ASKS.search(text):
        return False
    is_other = cues.ORDERS.search(text) or reply_cues.REPORTS.search(text)
    return not is_other and bool(cues.DIRECTS.search(text))


def _decides(text: str) -> bool:
    return bool(cues.DECIDED.search(text) or cues.USER_DECIDES.search(text))


def _is_open(sentence: Sentence, last: int) -> bool:
    if sentence.section in (QUESTION, NEXT, DECISION):
        return sentence.section == QUESTION
    text = sentence.text
    if cues.LABELLED_OPEN.match(without_filler(text)):
        return True
    if sentence.message == last and cues.ASKS.search(text):
        return True
    # What was unclear in the first half has mostly been answered since.
    share = 4 if sentence.role == "user" else 2
    is_late = share * sentence.message >= last or sentence.message >= last - 2
    return is_late and not cues.ASKS.search(text) and bool(cues.OPEN.search(text))


def _is_to_do(sentence: Sentence, last: int) -> bool:
    if sentence.section in (QUESTION, NEXT, DECISION):
        return sentence.section == NEXT
    text = sentence.text
    if cues.LABELLED_TO_DO.match(without_filler(text)):
        return True
    is_asked = bool(cues.ASKS.search(text))
    return _is_late(sentence, last) and not is_asked and bool(cues.TO_DO.search(text))


def _is_promised(sentence: Sentence, last: int) -> bool:
    """Tell whether the user promises to do something when the conversation is over."""
    is_said = sentence.role == "user" and _is_late(sentence, last)
    text = sentence.text
    return is_said and not cues.ASKS.search(text) and bool(reply_cues.COMMITS.search(text))


def _is_late(sentence: Sentence, last: int) -> bool:
    return sentence.message >= last - 2 or 3 * sentence.message >= 2 * last


def later_done(found: Sequence[Sentence]) -> list[tuple[int, frozenset[str]]]:
    """Return message and words of each sentence that tells of something done."""
    return [
        (sentence.message, terms_of(sentence.text))
        for sentence in found[-_MAX_DONE:]
        if cues.DONE.search(sentence.text)
        and not cues.ASKS.search(sentence.text)
        and sentence.section not in (NEXT, QUESTION)
        and not cues.OPEN.search(sentence.text)
    ]


def is_settled(
    sentence: Sentence,
    terms: frozenset[str],
    done: Sequence[tuple[int, frozenset[str]]],
    last: int,
) -> bool:
    """Tell whether what was open or to be done is told as done later on."""
    if sentence.message >= last - 1 or not terms:
        return False
    return any(
        message > sentence.message and 2 * len(terms & words) >= len(terms)
        for message, words in done
    )


def announces(before: Sentence, sentence: Sentence) -> bool:
    """Tell whether the sentence before only says that now comes the reason."""
    is_short = before.message == sentence.message and len(before.text) <= _LONGEST_ANNOUNCEMENT
    return is_short and bool(cues.ANNOUNCES_CAUSE.fullmatch(before.text))

"""Parts of words in a question: the whole words that contain them, if nothing else matches."""

from collections.abc import Callable

from daily_memory.core.search import fuzzy, text
from daily_memory.core.search.postings import Lexicon
from daily_memory.core.search.query import MAX_CHARS

# Shorter parts are in too many words to mean one of them.
SHORTEST = 4
# A question of many unknown words is in another language than the memory.
_MOST_PARTS = 8


def completed(question: str, lexicon: Lexicon, containing: Callable[[str], list[str]]) -> str:
    """Return the question with whole words in place of parts of words.

    Only a word that occurs nowhere, and is no typo of one that does, counts as a part. `containing`
    gives terms with the part, best first.
    """
    question = question[:MAX_CHARS]
    tokens = dict.fromkeys(one for one in text.tokens(question) if not text.is_cjk(one))
    parts = {token: text.word_terms(token) for token in tokens if len(token) >= SHORTEST}
    known = lexicon.frequencies(term for terms in parts.values() for term in terms)
    unknown = [token for token, terms in parts.items() if terms and not known.keys() & set(terms)]
    for token in unknown[:_MOST_PARTS]:
        part = parts[token][0]
        if len(part) < SHORTEST or fuzzy.words_meant(part, lexicon):
            continue
        whole = [term for term in containing(part) if text.terms(term) == [term]]
        if whole:
            question = question.replace(token, whole[0])
    return question

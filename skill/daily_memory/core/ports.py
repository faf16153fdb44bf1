"""Protocols of language models and embedding models, with their questions, answers and errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from daily_memory.errors import BackendError

# What to do about a request that failed: nothing, send it again at once or later, or send it in a
# simpler form.
NOT_AGAIN, AGAIN, LATER, SIMPLER = "", "again", "later", "simpler"


class Question(NamedTuple):
    """A question to a language model: instructions, and the material.

    `schema` is a JSON schema that the answer is to fit; with `strict` off the server could not
    be held to it, and is asked for any JSON. `tokens` estimates what is sent, `answer_tokens`
    bounds what comes back.
    """

    system: str
    text: str
    schema: dict[str, object]
    tokens: int
    answer_tokens: int
    strict: bool = True


class Answer(NamedTuple):
    """A model's answer, and the tokens used; 0 if unknown."""

    text: str
    tokens: int = 0


class ModelError(BackendError):
    """A language or embedding model failed, or gave an unusable answer.

    `remedy` is one of NOT_AGAIN, AGAIN, LATER and SIMPLER; `wait_s` is how long the server asks to
    wait, 0 if it did not say. `is_free` where no model did any work. No message holds a key, nor
    text that a server sent.
    """

    code = "model"

    def __init__(
        self,
        message: str,
        *values: object,
        hint: str = "",
        remedy: str = NOT_AGAIN,
        is_free: bool = False,
        wait_s: int = 0,
    ) -> None:
        super().__init__(message, *values, hint=hint)
        self.remedy = remedy
        self.is_free = is_free
        self.wait_s = wait_s


class Summarizer(Protocol):
    """A language model; one question is one request."""

    def ask(self, question: Question, timeout_s: float) -> Answer:
        """Return the answer, within `timeout_s` seconds."""
        ...


class Embedder(Protocol):
    """A model that turns texts into vectors; similar texts have close vectors."""

    def embed(self, texts: Sequence[str], timeout_s: float) -> list[Sequence[float]]:
        """Return a vector for each text, all of one length, within `timeout_s` seconds."""
        ...

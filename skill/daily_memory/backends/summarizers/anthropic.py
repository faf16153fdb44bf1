"""Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from daily_memory.backends.summarizers import transport
from daily_memory.core.ports import Answer, Question, SummarizerError

_URL = "https://api.anthropic.com"
_KEY = "ANTHROPIC_API_KEY"
_VERSION = "2023-06-01"


class AnthropicSummarizer:
    """Asks a model over `POST /v1/messages`; the key is ANTHROPIC_API_KEY."""

    def __init__(self, model: str, url: str, environment: Mapping[str, str]) -> None:
        transport.check_installed()
        self._model = model
        self._url = (url or _URL).rstrip("/") + "/v1/messages"
        self._key = transport.key_in(environment, _KEY)
        if not self._key:
            raise SummarizerError(f"{_KEY} is not set", is_free=True)

    def ask(self, question: Question, timeout_s: float) -> Answer:
        """Return the answer; see `Summarizer`."""
        body: dict[str, object] = {
            "model": self._model,
            "max_tokens": question.answer_tokens,
            "system": question.system,
            "messages": [{"role": "user", "content": question.text}],
        }
        if question.strict:
            body["output_config"] = {"format": {"type": "json_schema", "schema": question.schema}}
        headers = {"x-api-key": self._key, "anthropic-version": _VERSION}
        data = transport.post_json(self._url, headers, body, timeout_s)
        return Answer(self._text(data), _tokens(data))

    def _text(self, data: dict[str, object]) -> str:
        reason = data.get("stop_reason")
        if reason == "refusal":
            raise SummarizerError("the model refuses to answer")
        if reason in ("max_tokens", "model_context_window_exceeded"):
            raise SummarizerError("the answer was cut off")
        blocks = data.get("content")
        if not isinstance(blocks, list):
            raise transport.unexpected(urlsplit(self._url).netloc)
        # Thoughts are blocks of another type.
        texts = [
            transport.at(block, "text") for block in blocks if transport.at(block, "type") == "text"
        ]
        return "".join(text for text in texts if isinstance(text, str))


def _tokens(data: dict[str, object]) -> int:
    names = (
        "input_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
        "output_tokens",
    )
    return sum(transport.count_at(data, "usage", name) for name in names)

"""OpenAI's Chat Completions API, and the many servers that speak it."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from daily_memory.backends.summarizers import transport
from daily_memory.core.ports import Answer, Question, SummarizerError

_URL = "https://api.openai.com/v1"
_KEY = "OPENAI_API_KEY"


class OpenAISummarizer:
    """Asks a model over `POST …/chat/completions`; the key is OPENAI_API_KEY."""

    def __init__(self, model: str, url: str, environment: Mapping[str, str]) -> None:
        transport.check_installed()
        self._model = model
        self._url = (url or _URL).rstrip("/") + "/chat/completions"
        self._host = urlsplit(self._url).netloc
        self._is_own = self._host == urlsplit(_URL).netloc
        self._key = transport.key_in(environment, _KEY)
        if self._is_own and not self._key:
            raise SummarizerError(f"{_KEY} is not set", is_free=True)

    def ask(self, question: Question, timeout_s: float) -> Answer:
        """Return the answer; see `Summarizer`."""
        # OpenAI's newer models refuse the older name, which is the one that others know.
        limit = "max_completion_tokens" if self._is_own else "max_tokens"
        body = {
            "model": self._model,
            limit: question.answer_tokens,
            "messages": [
                {"role": "system", "content": question.system},
                {"role": "user", "content": question.text},
            ],
            "response_format": _format(question),
        }
        headers = {"authorization": f"Bearer {self._key}"} if self._key else {}
        data = transport.post_json(self._url, headers, body, timeout_s)
        return Answer(self._text(data), transport.count_at(data, "usage", "total_tokens"))

    def _text(self, data: dict[str, object]) -> str:
        reason = transport.at(data, "choices", 0, "finish_reason")
        message = transport.at(data, "choices", 0, "message")
        if reason == "content_filter" or transport.at(message, "refusal"):
            raise SummarizerError("the model refuses to answer")
        if reason == "length":
            raise SummarizerError("the answer was cut off")
        text = transport.at(message, "content")
        if not isinstance(text, str):
            raise transport.unexpected(self._host)
        return text


def _format(question: Question) -> dict[str, object]:
    if not question.strict:
        # DeepSeek and others know no schema: what they return is checked all the same.
        return {"type": "json_object"}
    return {
        "type": "json_schema",
        "json_schema": {"name": "summary", "strict": True, "schema": question.schema},
    }

"""Ollama's own API, mostly on this machine."""

from __future__ import annotations

from urllib.parse import urlsplit

from daily_memory.backends.summarizers import transport
from daily_memory.core.ports import Answer, Question, SummarizerError

_URL = "http://127.0.0.1:11434"
_CONTEXT_STEP = 2048


class OllamaSummarizer:
    """Asks a model over `POST /api/chat`; there is no key."""

    def __init__(self, model: str, url: str) -> None:
        transport.check_installed()
        self._model = model
        self._url = (url or _URL).rstrip("/") + "/api/chat"

    def ask(self, question: Question, timeout_s: float) -> Answer:
        """Return the answer; see `Summarizer`."""
        body = {
            "model": self._model,
            "stream": False,
            "messages": [
                {"role": "system", "content": question.system},
                {"role": "user", "content": question.text},
            ],
            "format": question.schema if question.strict else "json",
            "options": {
                "temperature": 0,
                "num_ctx": _context_tokens(question),
                "num_predict": question.answer_tokens,
            },
        }
        data = transport.post_json(self._url, {}, body, timeout_s)
        counts = (transport.count_at(data, name) for name in ("prompt_eval_count", "eval_count"))
        return Answer(self._text(data), sum(counts))

    def _text(self, data: dict[str, object]) -> str:
        if data.get("done_reason") == "length":
            raise SummarizerError("the answer was cut off")
        text = transport.at(data, "message", "content")
        if not isinstance(text, str):
            raise transport.unexpected(urlsplit(self._url).netloc)
        return text


def _context_tokens(question: Question) -> int:
    """Return the window to ask for: by default Ollama cuts a long question without a word."""
    steps = -(-(question.tokens + question.answer_tokens) // _CONTEXT_STEP)
    return steps * _CONTEXT_STEP

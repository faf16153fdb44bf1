"""The APIs of Anthropic, of OpenAI and compatible servers, and of Ollama."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from daily_memory.backends import transport
from daily_memory.backends.transport import at
from daily_memory.core.ports import Answer, ModelError, Question

_REFUSED = ("refusal", "content_filter")
_CUT_OFF = ("max_tokens", "model_context_window_exceeded", "length")
_CONTEXT_STEP = 2048


class _Api(NamedTuple):
    """An API: its address, how to ask, and where to find what in an answer.

    `key` is the environment variable with the key, "" for none. `body` is told whether the server
    is the default one.
    """

    url: str
    path: str
    key: str
    headers: Callable[[str], dict[str, str]]
    body: Callable[[Question, bool], dict[str, object]]
    text: Callable[[object], object]
    reason: Callable[[object], object]
    tokens: tuple[tuple[str, ...], ...]


class HttpSummarizer:
    """Asks a model over HTTP. `api` is `anthropic`, `openai` or `ollama`, `url` "" its default."""

    def __init__(self, api: str, model: str, url: str, environment: Mapping[str, str]) -> None:
        transport.check_installed()
        self._api = _APIS[api]
        self._model = model
        self._url = (url or self._api.url).rstrip("/") + self._api.path
        self._host = urlsplit(self._url).netloc
        self._is_default = self._host == urlsplit(self._api.url).netloc
        name = self._api.key
        self._key = transport.key_in(environment, name) if name else ""
        # A self-hosted server with OpenAI's API may need no key.
        if name and not self._key and (self._is_default or api == "anthropic"):
            raise ModelError("{} is not set", name, is_free=True)

    def ask(self, question: Question, timeout_s: float) -> Answer:
        body = {"model": self._model, **self._api.body(question, self._is_default)}
        data = transport.post_json(self._url, self._api.headers(self._key), body, timeout_s)
        reason = self._api.reason(data)
        if reason in _REFUSED:
            raise ModelError("the model refuses to answer")
        if reason in _CUT_OFF:
            raise ModelError("the answer was cut off")
        text = self._api.text(data)
        if not isinstance(text, str):
            raise transport.unexpected(self._host)
        return Answer(text, sum(transport.count_at(data, *path) for path in self._api.tokens))


def _messages(question: Question) -> list[dict[str, str]]:
    return [
        {"role": "system", "content": question.system},
        {"role": "user", "content": question.text},
    ]


def _anthropic_body(question: Question, _: bool) -> dict[str, object]:
    body: dict[str, object] = {
        "max_tokens": question.answer_tokens,
        "system": question.system,
        "messages": [{"role": "user", "content": question.text}],
    }
    if question.strict:
        body["output_config"] = {"format": {"type": "json_schema", "schema": question.schema}}
    return body


def _anthropic_text(data: object) -> object:
    blocks = at(data, "content")
    if not isinstance(blocks, list):
        return None
    # Thoughts are blocks of another type.
    texts = [at(block, "text") for block in blocks if at(block, "type") == "text"]
    return "".join(text for text in texts if isinstance(text, str))


def _openai_body(question: Question, is_default: bool) -> dict[str, object]:
    # DeepSeek and others don't support schemas; answers are checked anyway.
    form: dict[str, object] = {"type": "json_object"}
    if question.strict:
        schema = {"name": "summary", "strict": True, "schema": question.schema}
        form = {"type": "json_schema", "json_schema": schema}
    # OpenAI's newer models reject the older name, which others need.
    limit = "max_completion_tokens" if is_default else "max_tokens"
    return {limit: question.answer_tokens, "messages": _messages(question), "response_format": form}


def _openai_reason(data: object) -> object:
    is_refused = at(data, "choices", 0, "message", "refusal")
    return "refusal" if is_refused else at(data, "choices", 0, "finish_reason")


def _ollama_body(question: Question, _: bool) -> dict[str, object]:
    # By default Ollama silently truncates a long question.
    steps = -(-(question.tokens + question.answer_tokens) // _CONTEXT_STEP)
    return {
        "stream": False,
        "messages": _messages(question),
        "format": question.schema if question.strict else "json",
        "options": {
            "temperature": 0,
            "num_ctx": steps * _CONTEXT_STEP,
            "num_predict": question.answer_tokens,
        },
    }


_APIS = {
    "anthropic": _Api(
        "https://api.anthropic.com",
        "/v1/messages",
        "ANTHROPIC_API_KEY",
        lambda key: {"x-api-key": key, "anthropic-version": "2023-06-01"},
        _anthropic_body,
        _anthropic_text,
        lambda data: at(data, "stop_reason"),
        (
            ("usage", "input_tokens"),
            ("usage", "cache_creation_input_tokens"),
            ("usage", "cache_read_input_tokens"),
            ("usage", "output_tokens"),
        ),
    ),
    "openai": _Api(
        "https://api.openai.com/v1",
        "/chat/completions",
        "OPENAI_API_KEY",
        lambda key: {"authorization": f"Bearer {key}"} if key else {},
        _openai_body,
        lambda data: at(data, "choices", 0, "message", "content"),
        _openai_reason,
        (("usage", "total_tokens"),),
    ),
    "ollama": _Api(
        "http://127.0.0.1:11434",
        "/api/chat",
        "",
        lambda _: {},
        _ollama_body,
        lambda data: at(data, "message", "content"),
        lambda data: at(data, "done_reason"),
        (("prompt_eval_count",), ("eval_count",)),
    ),
}

"""Small embedding models for tests: a static one on disk, and a server of both protocols."""

from __future__ import annotations

import importlib.util
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from daily_memory import Memory
from tests.backends.model_server import ModelServer, model_server
from tests.components import REQUIRED

# Words of one line mean the same; the last words are in no other text of the tests.
MEANINGS = (
    "login signin authenticate passport 登录 登",
    "cache redis ttl 缓存 缓",
    "invoice billing payment 发票 账单",
    "deploy release rollout 上线 部署",
    "colour css button style 样式",
)
NEEDED = ("numpy", "tokenizers", "model2vec")


def need(*packages: str) -> None:
    """Skip a test whose packages are missing; fail it where everything is required."""
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing and os.environ.get(REQUIRED) == "1":
        pytest.fail(f"{', '.join(missing)} not installed, and {REQUIRED} is set", pytrace=False)
    if missing:
        pytest.skip(f"{', '.join(missing)} not installed")


def meaning_of(text: str) -> list[float]:
    """Return the vector of a text: how many words it has of each line of `MEANINGS`."""
    words = re.findall(r"[a-z]+|[^\x00-\x7f]", text.lower())
    counts = [float(sum(words.count(word) for word in line.split())) for line in MEANINGS]
    return [*counts, 0.1]


def static_model(folder: Path, *, is_quantised: bool = False) -> Path:
    """Write a static model with the library model2vec; return its folder.

    A quantised one has fewer vectors than tokens, and a weight for each token.
    """
    need(*NEEDED)
    import numpy
    from model2vec import StaticModel
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    vocabulary = {"[UNK]": 0, "the": 1}
    for line in MEANINGS:
        for word in line.split():
            vocabulary.setdefault(word, len(vocabulary))
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    vectors = numpy.array([meaning_of(word) for word in vocabulary], dtype="float32")
    shared: dict[str, Any] = {}
    if is_quantised:
        vectors, rows = numpy.unique(vectors, axis=0, return_inverse=True)
        shared = {
            "token_mapping": rows.astype("int64"),
            "weights": numpy.linspace(0.5, 1.5, len(vocabulary), dtype="float32"),
        }
    model = StaticModel(vectors.astype("float16"), tokenizer, normalize=True, **shared)
    model.save_pretrained(folder)
    return folder


class EmbeddingServer:
    """A server with OpenAI's `/v1/embeddings` and Ollama's `/api/embed`.

    `texts` are those that it was sent, in order, and `vectors` what it makes of them; `refusals`
    are statuses and headers with which it answers the next requests instead, None for none.
    """

    def __init__(self, server: ModelServer) -> None:
        self.server = server
        self.texts: list[str] = []
        self.refusals: list[tuple[int, dict[str, str]] | None] = []
        self.vectors = lambda texts: [meaning_of(text) for text in texts]
        server.act(self._answer)

    @property
    def url(self) -> str:
        return self.server.url

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        request = self.server.requests[-1]
        status, headers = (self.refusals.pop(0) if self.refusals else None) or (200, {})
        data: object = {"error": "a secret of the server"}
        if status == 200:
            data = self._data(request.path, request.body)
        payload = json.dumps(data).encode()
        handler.send_response(status)
        given = {"content-type": "application/json", "content-length": str(len(payload))}
        for name, value in {**given, **headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(payload)

    def _data(self, path: str, body: Any) -> dict[str, object]:
        self.texts += body["input"]
        vectors = self.vectors(body["input"])
        if path.endswith("/api/embed"):
            return {"model": body["model"], "embeddings": vectors}
        items = [{"index": place, "embedding": item} for place, item in enumerate(vectors)]
        # The order is not promised.
        return {"object": "list", "data": items[::-1]}


@contextmanager
def embedding_server() -> Iterator[EmbeddingServer]:
    with model_server() as server:
        yield EmbeddingServer(server)


def switch_on(memory: Memory, **semantic: object) -> Memory:
    """Switch search by meaning on in the user's own settings; return the memory that has it."""
    config = Path(memory.workspace.global_root.config)
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(json.dumps({"semantic": {"enabled": True, **semantic}}), encoding="utf-8")
    memory.workspace.reload_settings()
    return memory


SESSIONS = [
    {"topic": "The login page", "key_points": ["authenticate by OAuth"], "date": "2026-01-20"},
    {"topic": "Redis in front", "key_points": ["cache with ttl 300"], "date": "2026-01-21"},
    {"topic": "账单页面", "key_points": ["发票按月导出"], "date": "2026-01-22"},
    {"topic": "Rollout on Friday", "key_points": ["deploy at noon"], "date": "2026-01-23"},
    {"topic": "secret signin plan", "tags": ["private"], "date": "2026-01-24"},
]

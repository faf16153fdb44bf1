"""Ollama's `/api/embed`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from daily_memory.backends import transport
from daily_memory.backends.transport import at
from daily_memory.text import filled

BATCH = 32


class OllamaEmbedder:
    def __init__(self, model: str, url: str) -> None:
        transport.check_installed("semantic")
        self._model = model
        self._url = f"{url}/api/embed"
        self._host = urlsplit(url).netloc

    def embed(self, texts: Sequence[str], timeout_s: float) -> list[Sequence[float]]:
        found: list[Sequence[float]] = []
        for start in range(0, len(texts), BATCH):
            batch = list(texts[start : start + BATCH])
            body = {"model": self._model, "input": batch}
            hint = filled("is the model there? `ollama pull {}`", self._model)
            data = transport.post_json(self._url, {}, body, timeout_s, hint=hint)
            listed = at(data, "embeddings")
            items = listed if isinstance(listed, list) and len(listed) == len(batch) else [None]
            found += transport.vectors(items, self._host)
        return found


def open_embedder(model: str, url: str, environment: Mapping[str, str]) -> OllamaEmbedder:
    del environment  # it knows no keys
    return OllamaEmbedder(model, url)

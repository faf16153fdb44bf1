"""The `/v1/embeddings` API of OpenAI and compatible servers, such as SiliconFlow and vLLM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from daily_memory.backends import transport
from daily_memory.backends.transport import at
from daily_memory.core.ports import ModelError

# The first that is set is used; a server for embeddings may have its own key.
KEYS = ("DAILY_MEMORY_EMBEDDING_KEY", "OPENAI_API_KEY")
_OPENAI = "api.openai.com"
# DashScope accepts up to ten texts at a time, others dozens.
BATCH = 10


class OpenAiEmbedder:
    def __init__(self, model: str, url: str, environment: Mapping[str, str]) -> None:
        transport.check_installed("semantic")
        self._model = model
        self._url = f"{url}/embeddings"
        self._host = urlsplit(url).netloc
        key = next(filter(None, (transport.key_in(environment, name) for name in KEYS)), "")
        if not key and self._host == _OPENAI:
            raise ModelError("{} is not set", KEYS[1], is_free=True)
        self._headers = {"authorization": f"Bearer {key}"} if key else {}

    def embed(self, texts: Sequence[str], timeout_s: float) -> list[Sequence[float]]:
        batches = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
        return [vector for batch in batches for vector in self._asked(batch, timeout_s)]

    def _asked(self, batch: Sequence[str], timeout_s: float) -> list[Sequence[float]]:
        body = {"model": self._model, "input": list(batch), "encoding_format": "float"}
        data = transport.post_json(
            self._url, self._headers, body, timeout_s, hint="try again later"
        )
        items = at(data, "data")
        listed = items if isinstance(items, list) else []
        found = {at(item, "index"): at(item, "embedding") for item in listed}
        return transport.vectors([found.get(place) for place in range(len(batch))], self._host)


def open_embedder(model: str, url: str, environment: Mapping[str, str]) -> OpenAiEmbedder:
    return OpenAiEmbedder(model, url, environment)

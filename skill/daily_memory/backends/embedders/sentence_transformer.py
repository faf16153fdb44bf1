"""Models of sentence-transformers on this machine. The library takes seconds to load."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from daily_memory.backends.embedders import hub


class SentenceTransformerEmbedder:
    def __init__(self, model: Any) -> None:
        self._model = model

    def embed(self, texts: Sequence[str], timeout_s: float) -> list[Sequence[float]]:
        """Return a vector for each text; see `Embedder`. It ignores the timeout."""
        del timeout_s
        return [*self._model.encode(list(texts), show_progress_bar=False).tolist()]


def open_embedder(
    model: str, url: str, environment: Mapping[str, str]
) -> SentenceTransformerEmbedder:
    del url  # it runs here
    folder = hub.get_folder(model, environment)
    try:
        from sentence_transformers import SentenceTransformer  # loads torch
    except ImportError as error:
        raise hub.missing("sentence_transformers", error) from error
    return SentenceTransformerEmbedder(
        SentenceTransformer(folder, device="cpu", local_files_only=True)
    )

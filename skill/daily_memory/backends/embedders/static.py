"""Static models in the form of model2vec: a vector for each token, of which a text has the mean.

Read without the library model2vec, which takes longer to import than a search may take; the
vectors are the same. Only the rows of the tokens at hand are read from the file.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from daily_memory.backends.embedders import hub
from daily_memory.core.ports import ModelError

_TYPES = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "I8": "<i1", "I32": "<i4", "I64": "<i8"}
# How those who make such models call the vectors.
_NAMES = ("embeddings", "embedding.weight")
_MOST_HEADER_BYTES = 10_000_000
_MOST_TOKENS = 512
_UNKNOWN_ID = re.compile(rb'"unk_id":\s*(\d+)')


class StaticEmbedder:
    """A model in a folder with `model.safetensors` and `tokenizer.json`."""

    def __init__(self, folder: str) -> None:
        try:
            import numpy
            from tokenizers import Tokenizer
        except ImportError as error:
            raise hub.missing(error.name or "numpy", error) from error
        self._numpy = numpy
        tensors = _tensors(os.path.join(folder, "model.safetensors"), numpy)
        name = next((name for name in _NAMES if name in tensors), "")
        if not name:
            raise ModelError(f"{folder!r} is no model2vec model: it has no vectors of tokens")
        self._vectors = tensors[name]
        self._weights, self._rows = tensors.get("weights"), tensors.get("mapping")
        self._tokenizer: Any = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_MOST_TOKENS)
        self._unknown = _unknown(self._tokenizer, os.path.join(folder, "tokenizer.json"))

    def embed(self, texts: Sequence[str], timeout_s: float) -> list[Sequence[float]]:
        """Return a vector for each text; see `Embedder`."""
        del timeout_s  # a thousand texts take a tenth of a second
        encoded = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [self._mean([id_ for id_ in each.ids if id_ != self._unknown]) for each in encoded]

    def _mean(self, ids: list[int]) -> Any:
        if not ids:
            return self._numpy.zeros(self._vectors.shape[1], dtype="float32")
        rows = ids if self._rows is None else self._rows[ids]
        vectors = self._vectors[rows].astype("float32")
        if self._weights is not None:
            vectors *= self._weights[ids].astype("float32")[:, None]
        return vectors.mean(axis=0)


def open_embedder(model: str, url: str, environment: Mapping[str, str]) -> StaticEmbedder:
    del url  # it runs here
    return StaticEmbedder(hub.get_folder(model, environment))


def _tensors(path: str, numpy: Any) -> dict[str, Any]:
    """Return the tensors of a file by name, mapped into memory.

    The format: 8 bytes with the length of a JSON header, which has the types, shapes and places.
    """
    try:
        with open(path, "rb") as file:
            length = int.from_bytes(file.read(8), "little")
            header = json.loads(file.read(min(length, _MOST_HEADER_BYTES)))
        return {
            name: numpy.memmap(
                path,
                _TYPES[item["dtype"]],
                "r",
                8 + length + item["data_offsets"][0],
                tuple(item["shape"]),
            )
            for name, item in header.items()
            if name != "__metadata__"
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{path!r} can't be read as a static model") from error


def _unknown(tokenizer: Any, path: str) -> int | None:
    """Return the number of the token that stands for what the tokenizer does not know."""
    if hasattr(tokenizer.model, "unk_token"):
        token = tokenizer.model.unk_token
        return None if token is None else tokenizer.token_to_id(token)
    # A unigram model tells it in its file only.
    with open(path, "rb") as file:
        found = _UNKNOWN_ID.search(file.read())
    return int(found[1]) if found else None

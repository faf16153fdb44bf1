"""Static models in the form of model2vec: a vector for each token, of which a text has the mean.

Read without the library model2vec, which takes longer to import than a search may take; the
vectors are the same. Of the tokens at hand alone are the rows read from the file, and a question is
embedded without numpy.
"""

from __future__ import annotations

import json
import mmap
import os
import re
import struct
from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

from daily_memory.backends.embedders import hub
from daily_memory.core.ports import ModelError
from daily_memory.named_tuples import NamedTuple

# The types of the format by their names in `struct` and numpy.
_TYPES = {"F16": "e", "F32": "f", "F64": "d", "I8": "b", "I32": "i", "I64": "q"}
# The names of the vectors in such models.
_NAMES = ("embeddings", "embedding.weight")
_MOST_HEADER_BYTES = 10_000_000
_MOST_TOKENS = 512
# With more tokens, importing numpy pays off.
_MANY_TOKENS = 4 * _MOST_TOKENS
_UNKNOWN_ID = re.compile(rb'"unk_id":\s*(\d+)')


class _Tensor(NamedTuple):
    """Numbers in a mapped file, row by row."""

    data: mmap.mmap
    code: str
    shape: tuple[int, ...]
    offset: int

    def row(self, number: int) -> tuple[float, ...]:
        width = prod(self.shape[1:])
        start = self.offset + number * width * struct.calcsize(self.code)
        return struct.unpack_from(f"<{width}{self.code}", self.data, start)

    def array(self, numpy: Any) -> Any:
        values = numpy.frombuffer(self.data, f"<{self.code}", prod(self.shape), self.offset)
        return values.reshape(self.shape)


class StaticEmbedder:
    """A model in a folder with `model.safetensors` and `tokenizer.json`."""

    def __init__(self, folder: str) -> None:
        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            raise hub.missing(error.name or "tokenizers", error) from error
        tensors = _tensors(os.path.join(folder, "model.safetensors"))
        name = next((name for name in _NAMES if name in tensors), "")
        if not name:
            raise ModelError("{!r} is not a model2vec model: it has no vectors of tokens", folder)
        self._vectors = tensors[name]
        self._weights, self._rows = tensors.get("weights"), tensors.get("mapping")
        self._tokenizer: Any = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_MOST_TOKENS)
        self._unknown = _unknown(self._tokenizer, os.path.join(folder, "tokenizer.json"))

    def embed(self, texts: Sequence[str], timeout_s: float) -> list[Sequence[float]]:
        del timeout_s  # a thousand texts take a tenth of a second
        encoded = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        tokens = [[id_ for id_ in each.ids if id_ != self._unknown] for each in encoded]
        mean = self._numpy_mean() if sum(map(len, tokens)) > _MANY_TOKENS else self._mean
        return [mean(ids) if ids else [0.0] * self._vectors.shape[1] for ids in tokens]

    def _mean(self, ids: Sequence[int]) -> list[float]:
        total = [0.0] * self._vectors.shape[1]
        for id_ in ids:
            row = self._vectors.row(int(self._rows.row(id_)[0]) if self._rows else id_)
            weight = self._weights.row(id_)[0] if self._weights else 1.0
            total = [each + weight * value for each, value in zip(total, row, strict=True)]
        return [each / len(ids) for each in total]

    def _numpy_mean(self) -> Callable[[Sequence[int]], Any]:
        """Return the same in numpy, as arrays."""
        try:
            import numpy  # only for many texts
        except ImportError as error:
            raise hub.missing("numpy", error) from error
        vectors = self._vectors.array(numpy)
        rows = self._rows and self._rows.array(numpy)
        weights = self._weights and self._weights.array(numpy).astype("float32")

        def mean(ids: Sequence[int]) -> Any:
            chosen = vectors[ids if rows is None else rows[ids]].astype("float32")
            return (chosen if weights is None else chosen * weights[ids][:, None]).mean(axis=0)

        return mean


def open_embedder(model: str, url: str, environment: Mapping[str, str]) -> StaticEmbedder:
    del url  # it runs here
    return StaticEmbedder(hub.get_folder(model, environment))


def _tensors(path: str) -> dict[str, _Tensor]:
    """Return the tensors of a file by name, mapped into memory.

    The format: 8 bytes with the length of a JSON header, which has the types, shapes and places.
    """
    try:
        with open(path, "rb") as file:
            length = int.from_bytes(file.read(8), "little")
            header = json.loads(file.read(min(length, _MOST_HEADER_BYTES)))
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        tensors = {
            name: _Tensor(
                data,
                _TYPES[item["dtype"]],
                tuple(map(int, item["shape"])),
                8 + length + int(item["data_offsets"][0]),
            )
            for name, item in header.items()
            if name != "__metadata__"
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError("{!r} can't be read as a static model", path) from error
    for each in tensors.values():
        if each.offset + prod(each.shape) * struct.calcsize(each.code) > len(data):
            raise ModelError("{!r} is cut off", path)
    return tensors


def _unknown(tokenizer: Any, path: str) -> int | None:
    """Return the number of the unknown token."""
    if hasattr(tokenizer.model, "unk_token"):
        token = tokenizer.model.unk_token
        return None if token is None else tokenizer.token_to_id(token)
    # A unigram model tells it in its file only.
    with open(path, "rb") as file:
        found = _UNKNOWN_ID.search(file.read())
    return int(found[1]) if found else None

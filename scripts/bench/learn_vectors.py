"""Learn a small static embedding model from text, to measure search by meaning without a download.

    python scripts/bench/learn_vectors.py --text FILE… --out DIR [--tokens 24000] [--dimensions 256]
    python scripts/bench/learn_vectors.py --data DIR --out DIR

With `--data`, for each of the sets of `retrieval.py` a model is learned from the sessions of the
others, into a folder of its name.
A FILE is plain text, or JSONL of which every text is read. The model is a folder in the form of
model2vec. Its tokens are learned by byte-pair encoding, its vectors by factorising how often two
tokens stand near each other, over chance (Levy and Goldberg 2014, "Neural word embedding as
implicit matrix factorization"), with a randomised SVD (Halko, Martinsson, Tropp 2011). A frequent
token counts less (Arora, Liang, Ma 2017, "A simple but tough-to-beat baseline").
Measure with text that is not the text learned from.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

WINDOW = 8
SHIFT = 1.0
RARE = 1e-3
BLOCK = 2000


def texts(paths: Iterable[Path]) -> Iterator[str]:
    """Yield the texts of files: lines, or the texts in lines of JSON."""
    for path in paths:
        with path.open(encoding="utf-8", errors="replace") as file:
            for line in file:
                if path.suffix != ".jsonl":
                    yield line
                else:
                    yield from said(json.loads(line))


def said(value: object) -> Iterator[str]:
    """Yield the texts of a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from said(each)
    elif isinstance(value, list):
        for each in value:
            yield from said(each)


def learned_tokenizer(lines: Iterable[str], tokens: int) -> Any:
    """Return a tokenizer with that many tokens."""
    tokenizer = Tokenizer(models.BPE(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Whitespace(), pre_tokenizers.Punctuation("removed")]
    )
    tokenizer.decoder = decoders.BPEDecoder()
    trainer = trainers.BpeTrainer(
        vocab_size=tokens, min_frequency=3, special_tokens=["[UNK]"], show_progress=False
    )
    tokenizer.train_from_iterator(lines, trainer)
    return tokenizer


def near_pairs(encoded: Iterable[list[int]]) -> tuple[Any, Any]:
    """Return pairs of tokens that stand near each other, as a << 32 | b in order, and how often."""
    listed = list(encoded)
    ids = np.fromiter((id_ for each in listed for id_ in each), dtype=np.int64)
    texts_: Any = np.repeat(np.arange(len(listed)), [len(each) for each in listed])
    found: list[Any] = []
    for distance in range(1, WINDOW + 1):
        first, second = ids[:-distance], ids[distance:]
        is_same = texts_[:-distance] == texts_[distance:]
        first, second = first[is_same], second[is_same]
        found += [first << 32 | second, second << 32 | first]
    keys, counts = np.unique(np.concatenate(found), return_counts=True)
    is_kept = counts > 1  # once is chance
    return keys[is_kept], counts[is_kept].astype(np.float64)


def factorised(pairs: tuple[Any, Any], size: int, dimensions: int) -> Any:
    """Return a vector for each token."""
    keys, counts = pairs
    rows, columns = keys >> 32, keys & 0xFFFFFFFF
    sums = np.bincount(rows, counts, size)
    smooth = sums**0.75
    chance = sums[rows] * (smooth[columns] / smooth.sum())
    values = np.maximum(np.log(counts / chance) - np.log(SHIFT), 0).astype(np.float32)
    starts: Any = np.searchsorted(rows, np.arange(size + 1))

    def times(dense: Any) -> Any:
        out = np.zeros((size, dense.shape[1]), dtype=np.float32)
        for first in range(0, size, BLOCK):
            last = min(first + BLOCK, size)
            low, high = starts[first], starts[last]
            if high > low:
                weighted = dense[columns[low:high]] * values[low:high, None]
                filled: Any = (
                    np.flatnonzero(starts[first + 1 : last + 1] > starts[first:last]) + first
                )
                out[filled] = np.add.reduceat(weighted, starts[filled] - low)
        return out

    random = np.random.default_rng(0).standard_normal((size, dimensions + 20), dtype=np.float32)
    basis = random
    for _ in range(3):  # the matrix is symmetric
        basis, _ = np.linalg.qr(times(basis))
    strengths, directions = np.linalg.eigh(basis.T @ times(basis))
    best = np.argsort(-np.abs(strengths))[:dimensions]
    return (basis @ directions[:, best]) * np.abs(strengths[best]) ** 0.5


def save(folder: Path, tokenizer: Any, vectors: Any) -> None:
    """Write a model that model2vec reads."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    data = np.ascontiguousarray(vectors, dtype="<f4").tobytes()
    place = {"dtype": "F32", "shape": list(vectors.shape), "data_offsets": [0, len(data)]}
    header = json.dumps({"embeddings": place}).encode()
    header += b" " * (-len(header) % 8)
    (folder / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + data)
    config = {"model_type": "model2vec", "normalize": True, "hidden_dim": vectors.shape[1]}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")


def learn(paths: Iterable[Path], out: Path, tokens: int, dimensions: int) -> None:
    """Learn a model from files and write it to a folder."""
    lines = [line for line in texts(paths) if len(line) > 1]
    tokenizer = learned_tokenizer(lines, tokens)
    encoded = [each.ids for each in tokenizer.encode_batch(lines)]
    size = tokenizer.get_vocab_size()
    vectors = factorised(near_pairs(encoded), size, dimensions)
    counts = np.bincount([id_ for ids in encoded for id_ in ids], minlength=size)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    vectors *= (RARE / (RARE + counts / counts.sum()))[:, None]
    # What all texts have in common tells none of them apart.
    mean = (vectors * counts[:, None]).sum(axis=0) / counts.sum()
    save(out, tokenizer, (vectors - mean).astype(np.float32))
    print(f"{out}: {size:,} tokens of {sum(map(len, encoded)):,}, {dimensions} dimensions")


def main() -> None:
    parser = argparse.ArgumentParser(description="learn a static embedding model")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--text", type=Path, nargs="+", help="what to learn from")
    source.add_argument("--data", type=Path, help="a folder of sets: a model for each of them")
    parser.add_argument("--out", type=Path, required=True, help="folder of the model")
    parser.add_argument("--tokens", type=int, default=24_000)
    parser.add_argument("--dimensions", type=int, default=256)
    options = parser.parse_args()
    if options.text:
        learn(options.text, options.out, options.tokens, options.dimensions)
        return
    every = sorted(options.data.glob("*/sessions.jsonl"))
    # Sets of the same texts have the same first word in their names.
    names = {path: path.parent.name.split("_")[0] for path in every}
    for name in sorted(set(names.values())):
        others = [path for path in every if names[path] != name]
        learn(others, options.out / name, options.tokens, options.dimensions)


if __name__ == "__main__":
    main()

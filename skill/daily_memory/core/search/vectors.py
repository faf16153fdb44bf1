"""The cosines of a vector with many vectors of signed bytes, exactly.

numpy is the fastest where it is loaded, but to import it takes longer than a cold search may. So
there is a second way that a few thousand vectors take through Python's large integers.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import chain
from operator import truediv

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    class Vectors(Protocol):
        """Many vectors, by their rows."""

        def cosines(self, vector: Sequence[float]) -> Any:
            """Return the cosine of each row with a vector of length 1, as a sequence."""
            ...

        def moments(self, cosines: Any, rows: Sequence[int]) -> tuple[float, float]:
            """Return the mean and the standard deviation of the cosines of some rows."""
            ...

        def closest(self, cosines: Any, rows: Sequence[int], most: int) -> Sequence[int]:
            """Return those of some rows that have the largest cosines, the closest first."""
            ...


_SHIFT = 128
_SHIFTED = bytes((value + _SHIFT) % 256 for value in range(256))
# A lane has 32 bits. Its sum begins in the middle, so that no other lane lends to it, and what is
# added is less than half of that: 255 at the most, times weights whose sum is this.
_MIDDLE = 1 << 31
_WEIGHTS = 1 << 22
# So many vectors at once are still in the processor's cache when each dimension is picked out.
_BLOCK = 4096


# So many vectors tell what all of a script have in common.
_SAMPLE = 100


def mean(data: bytes, norms: Sequence[float], rows: Sequence[int]) -> list[float]:
    """Return about the mean of some vectors of signed bytes, each brought to length 1."""
    size, values = len(data) // len(norms), memoryview(data).cast("b")
    sample = rows[:: max(len(rows) // _SAMPLE, 1)]
    vectors = (
        [value / norms[row] for value in values[row * size : (row + 1) * size]] for row in sample
    )
    return [sum(column) / len(sample) for column in zip(*vectors, strict=True)]


def without(vector: Sequence[float], common: Sequence[float], share: float) -> list[float]:
    """Return a vector of length 1 with a share of another one taken out of it."""
    rest = [value - share * part for value, part in zip(vector, common, strict=True)]
    length = sum(value * value for value in rest) ** 0.5
    return [value / length for value in rest] if length else rest


class LaneVectors:
    """Vectors whose products are those of large integers.

    The values of one dimension, of all vectors, are one integer with a lane for each vector. Times
    the value of the other vector it has all products of that dimension, and they are added at once.
    """

    def __init__(self, data: bytes, dimensions: int, norms: Sequence[float]) -> None:
        size = _BLOCK * dimensions
        self._blocks = [
            data[start : start + size].translate(_SHIFTED) for start in range(0, len(data), size)
        ]
        self._norms = norms

    def cosines(self, vector: Sequence[float]) -> list[float]:
        """See `Vectors`."""
        scale = _WEIGHTS / (sum(map(abs, vector)) or 1.0)
        weights = [round(scale * value) for value in vector]
        offset = _MIDDLE + _SHIFT * sum(weights)
        sums = chain.from_iterable(_sums(block, weights) for block in self._blocks)
        products = [(each - offset) / scale for each in sums]
        return list(map(truediv, products, self._norms))

    def moments(self, cosines: Sequence[float], rows: Sequence[int]) -> tuple[float, float]:
        """See `Vectors`."""
        part = [cosines[row] for row in rows]
        mean = sum(part) / len(part)
        return mean, (sum((each - mean) ** 2 for each in part) / len(part)) ** 0.5

    def closest(self, cosines: Sequence[float], rows: Sequence[int], most: int) -> list[int]:
        """See `Vectors`."""
        return sorted(rows, key=cosines.__getitem__, reverse=True)[:most]


def _sums(block: bytes, weights: Sequence[int]) -> Sequence[int]:
    """Return what each lane has at the end."""
    count = len(block) // len(weights)
    lanes = bytearray(4 * count)
    total = int.from_bytes(_MIDDLE.to_bytes(4, "little") * count, "little")
    for place, weight in enumerate(weights):
        lanes[::4] = block[place :: len(weights)]
        total += weight * int.from_bytes(lanes, "little")
    return struct.unpack(f"<{count}I", total.to_bytes(len(lanes), "little"))


class NumpyVectors:
    """Vectors as a matrix of numpy.

    Raises:
        ImportError: numpy is not installed.
    """

    def __init__(self, data: bytes, dimensions: int, norms: Sequence[float]) -> None:
        import numpy  # an extra, and slow to import

        self._numpy = numpy
        self._matrix = numpy.frombuffer(data, "int8").reshape(-1, dimensions).astype("float32")
        self._matrix /= numpy.asarray(norms, "float32")[:, None]

    def cosines(self, vector: Sequence[float]) -> Any:
        """See `Vectors`."""
        return self._matrix @ self._numpy.asarray(vector, "float32")

    def moments(self, cosines: Any, rows: Sequence[int]) -> tuple[float, float]:
        """See `Vectors`."""
        part = cosines[self._numpy.asarray(rows)]
        return float(part.mean()), float(part.std())

    def closest(self, cosines: Any, rows: Sequence[int], most: int) -> Sequence[int]:
        """See `Vectors`."""
        places = self._numpy.asarray(rows)
        most = min(most, len(places))
        places = places[self._numpy.argpartition(-cosines[places], most - 1)[:most]]
        return [*places[(-cosines[places]).argsort(kind="stable")].tolist()]

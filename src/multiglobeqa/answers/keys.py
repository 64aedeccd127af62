"""A compact table of distinct texts: text -> its number, by a hash that Python and NumPy compute alike.

A text's bucket is its UTF-8 bytes, read as one little-endian number, modulo a prime. Texts of one bucket stand
side by side; a lookup compares them whole, so a collision costs time and never an answer. All state is a few flat
arrays, which may be views of a memory-mapped file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

_PRIMES: Final = (1021, 8191, 65521, 524287, 2097143, 8388593, 33554393)
_STEP: Final = 65536


class KeyTable:
    """Numbers 0 .. n - 1 of n distinct texts. ``arrays``: prime, buckets, offsets, bytes."""

    ARRAYS: ClassVar = ("prime", "buckets", "offsets", "bytes")

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self.arrays = dict(arrays)
        self._prime = int(arrays["prime"][0])
        self._buckets = arrays["buckets"].data
        self._offsets = arrays["offsets"].data
        self._bytes = arrays["bytes"].data

    @classmethod
    def build(cls, texts: pa.LargeStringArray) -> tuple[KeyTable, NDArray[np.int64]]:
        """Table of distinct texts, and the number that each of them got."""
        prime = next((p for p in _PRIMES if p >= 2 * len(texts)), _PRIMES[-1])
        offsets, data = _flat(texts)
        bucket = _residues(offsets, data, prime)
        order = np.argsort(bucket, kind="stable")
        ordered = texts.take(pa.array(order))
        offsets, data = _flat(ordered)
        starts = np.zeros(prime + 1, np.int32)
        np.cumsum(np.bincount(bucket, minlength=prime), out=starts[1:])
        numbers = np.empty(len(texts), np.int64)
        numbers[order] = np.arange(len(texts))
        small = offsets.astype(np.int32 if offsets[-1] < 2**31 else np.int64)
        arrays: dict[str, NDArray[Any]] = {
            "prime": np.array([prime], np.int64),
            "buckets": starts,
            "offsets": small,
            "bytes": data,
        }
        return cls(arrays), numbers

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def find(self, text: str) -> int:
        """The number of a text, -1 where the table lacks it."""
        key = text.encode("utf-8", "surrogatepass")
        bucket = int.from_bytes(key, "little") % self._prime
        offsets = self._offsets
        for number in range(self._buckets[bucket], self._buckets[bucket + 1]):
            if self._bytes[offsets[number] : offsets[number + 1]] == key:
                return number
        return -1

    def find_many(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """``find`` of many texts, vectorised."""
        offsets, data = _flat_texts(texts)
        found = np.full(len(texts), -1, np.int64)
        bucket = _residues(offsets, data, self._prime)
        buckets, own_offsets, own = (self.arrays[name] for name in ("buckets", "offsets", "bytes"))
        candidate, last = buckets[bucket].astype(np.int64), buckets[bucket + 1]
        lengths = np.diff(offsets)
        open_ = np.flatnonzero(candidate < last)
        while open_.size:
            start = own_offsets[candidate[open_]].astype(np.int64)
            same = own_offsets[candidate[open_] + 1] - start == lengths[open_]
            rows, starts = open_[same], start[same]
            equal = _equal(own, starts, data, offsets[rows], lengths[rows])
            found[rows[equal]] = candidate[rows[equal]]
            candidate[open_] += 1
            open_ = open_[(found[open_] < 0) & (candidate[open_] < last[open_])]
        return found

    def text(self, number: int) -> str:
        """The text of a number."""
        return bytes(self._bytes[self._offsets[number] : self._offsets[number + 1]]).decode("utf-8")

    def texts(self, numbers: NDArray[np.int64]) -> list[str]:
        """The texts of many numbers."""
        offsets = np.asarray(self.arrays["offsets"], dtype=np.int64)
        strings = pa.LargeStringArray.from_buffers(
            len(self), pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(self.arrays["bytes"]))
        )
        listed: list[str] = strings.take(pa.array(numbers)).to_pylist()
        return listed

    def largest_bucket(self) -> int:
        """Number of texts in the fullest bucket."""
        return int(np.diff(self.arrays["buckets"]).max(initial=0))


def _flat(texts: pa.LargeStringArray) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Offsets from 0 and UTF-8 bytes of a text array."""
    if not len(texts):
        return np.zeros(1, np.int64), np.zeros(0, np.uint8)
    _, offsets_buffer, data_buffer = texts.buffers()
    offsets = np.frombuffer(offsets_buffer, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    data = np.frombuffer(data_buffer, np.uint8) if data_buffer is not None else np.zeros(0, np.uint8)
    return offsets - offsets[0], data[offsets[0] : offsets[-1]]


def _flat_texts(texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)), out=offsets[1:])
    return offsets, np.frombuffer(b"".join(encoded), np.uint8)


def _residues(offsets: NDArray[np.int64], data: NDArray[np.uint8], prime: int) -> NDArray[np.int64]:
    """Each text's bytes as a little-endian number, modulo a prime below 2**25."""
    lengths = np.diff(offsets)
    longest = int(lengths.max(initial=0))
    powers = np.ones(longest + 1, np.int64)
    for place in range(1, longest + 1):
        powers[place] = int(powers[place - 1]) * 256 % prime
    residues = np.empty(len(lengths), np.int64)
    for first in range(0, len(lengths), _STEP):
        part = slice(first, first + _STEP)
        start, end = int(offsets[first]), int(offsets[min(first + _STEP, len(lengths))])
        places = np.arange(start, end) - np.repeat(offsets[:-1][part], lengths[part])
        sums = np.zeros(end - start + 1, np.int64)
        np.cumsum(data[start:end] * powers[places], out=sums[1:])
        bounds = offsets[first : first + len(lengths[part]) + 1] - start
        residues[part] = np.diff(sums[bounds]) % prime
    return residues


def _equal(
    a: NDArray[np.uint8],
    a_starts: NDArray[np.int64],
    b: NDArray[np.uint8],
    b_starts: NDArray[np.int64],
    lengths: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Whether stretches of equal length hold equal bytes."""
    owner = np.repeat(np.arange(len(lengths)), lengths)
    place = np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    differ = a[a_starts[owner] + place] != b[b_starts[owner] + place]
    equal = np.ones(len(lengths), bool)
    equal[owner[differ]] = False
    return equal

"""What is learnt of a table, and rows that are drawn from it: any number of them, the same for
everyone."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from tacit.frozen import frozen
from tacit.synth.domain import Array, Forbidden
from tacit.synth.pseudo_random import permutation, uniforms

__all__ = ["Model", "inside_groups", "make_model"]

_TRIES, _OWN_TRIES = 200, 20
_TINY, _CHUNK = 1e-12, 4096


@frozen(eq=False)
class Model:
    """A mixture of products: components with weights, each with a distribution over the groups of
        every column.

    `groups` give each value its group, and `inside` its share of it.  `facts` say how the model
    came about.
    """

    total: float
    weights: Array
    parts: tuple[Array, ...]
    groups: tuple[Array, ...]
    inside: tuple[Array, ...]
    facts: dict[str, Any]

    def rows(self, count: int | None = None, forbidden: Sequence[Forbidden] = ()) -> Array:
        """So many rows of values, as many as there are by the release if nothing is said.

        Claim:      the rows and their order are a function of the model: they follow no source.
        Because:    nothing else is passed in, and pseudo-random numbers are the same for everyone.
        Checked by: tests/unit/synth/test_table_model.py::test_rows_are_a_function_of_the_model
        """
        n = max(1, round(self.total)) if count is None else count
        columns = len(self.parts)
        shift = uniforms(columns, 11)
        roots = np.sqrt(np.array(list(islice(_primes(), columns)), float))
        even = (np.arange(n)[:, None] * roots + shift) % 1  # spread more evenly than chance would
        mass = np.cumsum(self.weights)
        component = np.searchsorted(mass / mass[-1], (np.arange(n) + 0.5) / n)
        found = self._draw(component, even)
        for attempt in range(_TRIES):
            bad = _is_forbidden(found, forbidden)
            if not bad.any():
                break
            count_bad = int(bad.sum())
            again = uniforms(count_bad * (columns + 1), 12, attempt).reshape(count_bad, columns + 1)
            if attempt > _OWN_TRIES:  # what a component cannot make, another one shall
                component[bad] = np.searchsorted(mass / mass[-1], again[:, -1])
            found[bad] = self._draw(component[bad], again[:, :-1])
        order = permutation(n, 13)
        kept = order[~_is_forbidden(found, forbidden)[order]]
        return found[kept]

    def rows_given(
        self,
        columns: Sequence[int],
        given: Array,
        *stream: int,
        forbidden: Sequence[Forbidden] = (),
    ) -> tuple[Array, Array]:
        """A row for each of some rows of which these columns are known, and which of them keep the rules.

        A component is the likelier, the likelier it makes what is known; the other values are its own.  What breaks a
        rule is drawn again, and may break one still where no component can keep it.
        """
        found = self._rows_beside(columns, given, 31, *stream)
        bad = _is_forbidden(found, forbidden)
        for attempt in range(_TRIES):
            if not bad.any():
                break
            found[bad] = self._rows_beside(columns, given[bad], 32, *stream, attempt)
            bad = _is_forbidden(found, forbidden)
        return found, ~bad

    def _rows_beside(self, columns: Sequence[int], given: Array, *stream: int) -> Array:
        """Rows of which some columns are known, whatever rules say."""
        count, own = len(given), uniforms(len(given) * (len(self.parts) + 1), *stream)
        places = own.reshape(count, -1)
        component = np.empty(count, np.int64)
        logs = [np.log(self.values(column) + _TINY) for column in columns]
        for start in range(0, count, _CHUNK):
            part = given[start : start + _CHUNK]
            likely = np.log(self.weights + _TINY)[None, :] + sum(
                each[:, part[:, at]].T for at, each in enumerate(logs)
            )
            mass = np.cumsum(np.exp(likely - likely.max(axis=1, keepdims=True)), axis=1)
            chosen = places[start : start + _CHUNK, -1:] * mass[:, -1:]
            component[start : start + _CHUNK] = (mass < chosen).sum(axis=1)
        found = self._draw(component, places[:, :-1])
        found[:, list(columns)] = given
        return found

    def marginal(self, columns: Sequence[int]) -> Array:
        """The expected counts of all combinations of some columns' values."""
        tables = [self.values(column) for column in columns]
        letters = "abcdefghij"[: len(columns)]
        inputs = ",".join(f"k{letter}" for letter in letters)
        weights = self.total * self.weights / self.weights.sum()
        return np.asarray(np.einsum(f"k,{inputs}->{letters}", weights, *tables, optimize=True))

    def values(self, column: int) -> Array:
        """Each component's distribution over the values of a column."""
        spread: Array = self.parts[column][:, self.groups[column]] * self.inside[column]
        return np.asarray(spread / spread.sum(axis=1, keepdims=True))

    def write(self) -> bytes:
        """The model as bytes: half-precision numbers, which is more than noise leaves them."""
        header: dict[str, Any] = {
            "total": self.total,
            "components": len(self.weights),
            "groups": [part.shape[1] for part in self.parts],
            "sizes": [len(group) for group in self.groups],
            "facts": self.facts,
        }
        arrays = [self.weights.astype("<f4"), *(part.astype("<f2") for part in self.parts)]
        arrays += [group.astype("<u2") for group in self.groups]
        arrays += [inside.astype("<f4") for inside in self.inside]
        data = b"".join(array.tobytes() for array in arrays)
        return zlib.compress(json.dumps(header).encode() + b"\n" + data, 6)

    @classmethod
    def read(cls, payload: bytes) -> Model:
        """The model that was written."""
        header, _, data = zlib.decompress(payload).partition(b"\n")
        said, place = json.loads(header), 0

        def take(count: int, kind: str) -> Array:
            nonlocal place
            found = np.frombuffer(data, kind, count, place)
            place += found.nbytes
            return found

        components = said["components"]
        weights = take(components, "<f4").astype(float)
        parts = [
            take(components * size, "<f2").astype(float).reshape(components, size)
            for size in said["groups"]
        ]
        groups = tuple(take(size, "<u2").astype(np.int64) for size in said["sizes"])
        inside = tuple(take(size, "<f4").astype(float) for size in said["sizes"])
        return cls(said["total"], weights, tuple(parts), groups, inside, said["facts"])

    def _draw(self, component: Array, places: Array) -> Array:
        """The value of every column at these places of the components' distributions."""
        found = np.empty(places.shape, np.int64)
        for column in range(len(self.parts)):
            found[:, column] = _pick(self.values(column), component, places[:, column])
        return found


def make_model(
    total: float,
    weights: Array,
    parts: Sequence[Array],
    groups: Sequence[Array],
    shares: Sequence[Array],
    facts: dict[str, Any],
) -> Model:
    """A model whose values inside a group follow the one-way shares, as it is once it was written
    and read."""
    inside = tuple(inside_groups(group, share) for group, share in zip(groups, shares, strict=True))
    model = Model(total, weights, tuple(parts), tuple(groups), inside, facts)
    return Model.read(model.write())


def inside_groups(groups: Array, shares: Array) -> Array:
    """What each value is of its group.

    >>> inside_groups(np.array([0, 0, 1]), np.array([1.0, 3.0, 6.0])).tolist()
    [0.25, 0.75, 1.0]
    """
    whole, count = np.bincount(groups, shares)[groups], np.bincount(groups)[groups]
    return np.where(whole > 0, shares / np.maximum(whole, 1e-300), 1 / count)


def _pick(distributions: Array, component: Array, places: Array) -> Array:
    """The value at each place of the distribution of its component."""
    ends = np.cumsum(distributions, axis=1)
    ends /= ends[:, -1:]
    values = distributions.shape[1]
    flat = (ends + np.arange(len(ends))[:, None]).ravel()
    found = np.searchsorted(flat, places + component, side="right") - component * values
    return np.asarray(np.clip(found, 0, values - 1))


def _is_forbidden(rows: Array, forbidden: Sequence[Forbidden]) -> Array:
    """Which rows break a public rule."""
    bad = np.zeros(len(rows), bool)
    for rule in forbidden:
        bad |= rule.cells[rows[:, rule.first], rows[:, rule.second]]
    return bad


def _primes() -> Iterator[int]:
    """The odd primes."""
    found = [2]
    candidate = 3
    while True:
        if all(candidate % prime for prime in found):
            found.append(candidate)
            yield candidate
        candidate += 2

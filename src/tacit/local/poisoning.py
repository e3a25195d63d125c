"""Poisoning: what somebody who controls some of the devices can make of an estimate."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidInput
from tacit.exact import Number, at_most
from tacit.frozen import frozen
from tacit.local.client_coins import SECURE
from tacit.local.count_mean_sketch import CountMeanSketch
from tacit.local.hadamard import HadamardResponse
from tacit.local.local_hashing import LocalHashing
from tacit.local.protocol import FrequencyProtocol
from tacit.local.randomized_response import KaryResponse
from tacit.local.rappor import Rappor
from tacit.local.subset_selection import SubsetSelection
from tacit.local.unary_encoding import Unary

__all__ = ["Poisoning", "forge_reports", "measure_poisoning", "poisoning_bound"]


@frozen
class Poisoning:
    """What forged reports added to the share of a value, and the most that they could add."""

    gain: float
    bound: float
    deviation: float


def poisoning_bound(protocol: FrequencyProtocol, forged: Number) -> Fraction:
    """The most that this share of forged reports adds to the estimated share of a value, on average.

    Claim:      forged (1 - stray) / (truth - stray), whatever the forged reports say.
    Because:    a report supports a value or does not, and an honest one supports it with `stray` at
                least; counts divide supports by truth - stray.
    Checked by: tests/unit/local/test_poisoning.py::test_no_forged_report_adds_more_than_the_bound

    >>> from tacit.local import KaryResponse
    >>> poisoning_bound(KaryResponse.two_coin(), Fraction(1, 100))
    Fraction(3, 200)
    """
    share = at_most(forged, "forged")
    if not 0 <= share <= 1:
        raise InvalidInput("forged", forged, "give a share from 0 to 1")
    return share * (1 - protocol.stray) / (protocol.truth - protocol.stray)


def forge_reports(protocol: FrequencyProtocol, value: Hashable, count: int) -> NDArray[Any]:
    """So many reports that all support one value, and otherwise look as honest ones may."""
    index = protocol.index_of(value)
    match protocol:
        case KaryResponse():
            return np.full(count, index, dtype=np.int64)
        case HadamardResponse():
            rows = SECURE.numbers(protocol.rows, count)
            labels = protocol.label_all(rows, np.full(count, index))
            return np.asarray(rows << protocol.bits | labels)
        case LocalHashing():
            chosen = SECURE.numbers(protocol.family.seeds, count)
            places = protocol.family.hash_all(chosen, np.full(count, index))
            return chosen * protocol.family.prime + places
        case Unary() | Rappor() | SubsetSelection():
            return _with_bit(protocol.randomise_all(np.full(count, index), SECURE), index, protocol)
        case CountMeanSketch():
            reports = protocol.randomise_all(np.full(count, index), SECURE)
            places = protocol.family.hash_all(reports["seed"], np.full(count, index))
            reports["bits"][np.arange(count), places // 8] |= (128 >> places % 8).astype(np.uint8)
            return reports
        case _:
            raise InvalidInput("a protocol", type(protocol).__name__, "give one of tacit.local's")


def _with_bit(rows: NDArray[Any], index: int, protocol: FrequencyProtocol) -> NDArray[Any]:
    """The rows with one bit set; of a set, another one is cleared for it."""
    bits = np.unpackbits(rows, axis=1)[:, : len(protocol.values)]
    if isinstance(protocol, SubsetSelection):
        without = np.flatnonzero(bits[:, index] == 0)
        bits[without, bits[without].argmax(axis=1)] = 0
    bits[:, index] = 1
    return np.packbits(bits, axis=1)


def measure_poisoning(
    protocol: FrequencyProtocol, held: Any, value: Hashable, forged: Number
) -> Poisoning:
    """What this share of forged reports adds to the estimated share of a value, measured once."""
    indices = protocol.indices_of(held)
    share = at_most(forged, "forged")
    count = round(len(indices) * share)
    honest = protocol.randomise_all(indices[: len(indices) - count], SECURE)
    both = np.concatenate([honest, forge_reports(protocol, value, count)])
    found = protocol.collect(both)
    index = protocol.index_of(value)
    truth = float((indices[: len(indices) - count] == index).sum())
    gain = (float(found.counts[index]) - truth) / len(indices)
    bound = float(poisoning_bound(protocol, Fraction(count, len(indices))))
    return Poisoning(gain, bound, float(found.deviations[index]) / len(indices))

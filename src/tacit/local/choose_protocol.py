"""Which protocol to take for so many values, at this price, from so many people; and why."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from math import sqrt

from tacit.exact import Number, count_of
from tacit.frozen import frozen
from tacit.local.hadamard import HadamardResponse
from tacit.local.local_hashing import LocalHashing
from tacit.local.protocol import FrequencyProtocol, read_values
from tacit.local.randomized_response import KaryResponse
from tacit.local.subset_selection import SubsetSelection
from tacit.local.unary_encoding import Unary

__all__ = ["Candidate", "Choice", "best"]

LONGEST = 4096  # bits of a report that a client is asked to send
NEARLY = Fraction(21, 20)  # a variance so close to the least one is as good


@frozen
class Candidate:
    """A protocol that was considered: the deviation of an estimated share, and the length of a report."""

    name: str
    protocol: FrequencyProtocol
    deviation: float
    report_bits: int

    def __str__(self) -> str:
        bits = f"{self.report_bits:,} bits a report"
        return f"{self.name}: a share ± {self.deviation:.2%}, {bits}"


@frozen
class Choice:
    """The protocol to take, and all that were considered, the most exact first."""

    protocol: FrequencyProtocol
    people: int
    candidates: tuple[Candidate, ...]
    why: str

    def __str__(self) -> str:
        return "\n".join([self.why, *(f"  {each}" for each in self.candidates)])


def best(values: int | Sequence[Hashable], epsilon: Number, n: int) -> Choice:
    """The protocol with the least variance of an estimated count; of nearly equal ones the shortest reports.

    Variances are exact and averaged over the values.  Protocols whose variance is within 5 % of the
    least count as equal; one whose reports would be longer than 4,096 bits is left out.

    >>> print(best(["no", "yes"], epsilon=1, n=10_000).why)
    k-ary response: the least variance of 5 protocols; a share ± 0.96% from 10,000 people
    >>> best(1000, epsilon=1, n=10_000).protocol.bits
    2
    """
    people, read = count_of(n, "n", least=1), read_values(values)
    candidates = sorted(_list_candidates(read, epsilon, people), key=lambda each: each.deviation)
    least = _variance(candidates[0].protocol)
    near = [each for each in candidates if _variance(each.protocol) <= least * NEARLY]
    chosen = min(near, key=lambda each: (each.report_bits, each.deviation))
    reason = f"the least variance of {len(candidates)} protocols"
    if chosen is not candidates[0]:
        reason = f"within 5 % of the least variance ({candidates[0].name}'s), with shorter reports"
    why = f"{chosen.name}: {reason}; a share ± {chosen.deviation:.2%} from {people:,} people"
    return Choice(chosen.protocol, people, tuple(candidates), why)


def _list_candidates(values: Sequence[Hashable], epsilon: Number, people: int) -> list[Candidate]:
    named: list[tuple[str, FrequencyProtocol]] = [
        ("k-ary response", KaryResponse(values, epsilon)),
        ("local hashing", LocalHashing(values, epsilon)),
        ("Hadamard response", HadamardResponse(values, epsilon)),
    ]
    if len(values) <= LONGEST:
        named.append(("unary encoding", Unary(values, epsilon)))
        named.append(("subset selection", SubsetSelection(values, epsilon)))
    return [
        Candidate(name, protocol, sqrt(_variance(protocol) / people), protocol.report_bits)
        for name, protocol in named
    ]


def _variance(protocol: FrequencyProtocol) -> Fraction:
    """That of the count of a value which its share of the people hold."""
    return protocol.variance(Fraction(1, len(protocol.values)))

"""What is measured, as plain data that every interpreter can read: noises, compositions, a table and its questions."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

DELTA = 1e-6
SAMPLES = 10**6
VARIANTS = 100


@dataclass(frozen=True, slots=True)
class Noise:
    """Noise of one law: the scale of a Laplace, the sigma of a Gaussian."""

    law: str
    scale: Fraction

    def __str__(self) -> str:
        return f"{self.law} {self.scale}"

    def varied(self, turn: int) -> "Noise":
        """Noise of nearly the same scale."""
        return Noise(self.law, self.scale * (1 + Fraction(turn, 1024)))

    def variants(self) -> "Iterator[Noise]":
        """Noises of nearly the same scale, for which nothing is remembered yet."""
        return (self.varied(turn) for turn in range(1, VARIANTS + 1))


NOISES = [
    *(
        Noise("Laplace", scale)
        for scale in (Fraction(1), Fraction(10, 3), Fraction(1000), Fraction(10**6))
    ),
    *(
        Noise("Gaussian", sigma)
        for sigma in (Fraction(1), Fraction(10), Fraction(1000), Fraction(10**6))
    ),
]


@dataclass(frozen=True, slots=True)
class Step:
    """Noise on an answer of sensitivity 1, drawn `times` times, each time for a sample of the units."""

    noise: Noise
    times: int = 1
    sampled: Fraction = Fraction(1)

    def varied(self, turn: int) -> "Step":
        """A step with a little more noise."""
        return Step(self.noise.varied(turn), self.times, self.sampled)


@dataclass(frozen=True, slots=True)
class Composition:
    """Steps whose losses are added up."""

    name: str
    steps: tuple[Step, ...]

    def variants(self) -> "Iterator[Composition]":
        """Compositions that are nearly this one: the same work, and nothing to remember between them."""
        return (
            Composition(self.name, tuple(step.varied(turn) for step in self.steps))
            for turn in range(1, VARIANTS + 1)
        )


COMPOSITIONS = [
    Composition("1,000 Laplaces, epsilon 0.01", (Step(Noise("Laplace", Fraction(100)), 1000),)),
    Composition("10^5 Laplaces, epsilon 0.01", (Step(Noise("Laplace", Fraction(100)), 10**5),)),
    Composition("1,000 Gaussians, sigma 50", (Step(Noise("Gaussian", Fraction(50)), 1000),)),
    Composition("10^5 Gaussians, sigma 50", (Step(Noise("Gaussian", Fraction(50)), 10**5),)),
    Composition(
        "100 mixed: 50 Gaussians, 50 Laplaces",
        (
            *(Step(Noise("Gaussian", Fraction(sigma))) for sigma in range(20, 70)),
            *(Step(Noise("Laplace", Fraction(scale))) for scale in range(50, 100)),
        ),
    ),
    Composition(
        "subsampled Gaussian, sigma 1, 1 %, 10^4 steps",
        (Step(Noise("Gaussian", Fraction(1)), 10**4, Fraction(1, 100)),),
    ),
]


WARDS = [f"ward {i:02d}" for i in range(50)]
MOST = 5_000  # what is spent on a visit, at most
MEDIANS = ("age", "cost")
BOUND = 10  # rows of a person that count in full
KEPT = Path(__file__).resolve().parent.parent / ".bench" / "rows"


def visits(rows: int) -> Path:
    """The Parquet file with so many rows that `rows.kept` has made."""
    return KEPT / f"visits-{rows}.parquet"


CODES = 1_000  # of a diagnosis, which nobody declares


def coded(rows: int) -> Path:
    """The Parquet file with so many rows and codes that `rows.kept_codes` has made."""
    return KEPT / f"codes-{rows}.parquet"


MANY, SOME, FEW = 10_000_000, 100_000, 60_000


@dataclass(frozen=True, slots=True)
class Asked:
    """How many visits, or their mean cost, by ward, of those below an age."""

    mean: bool
    below: int

    def __str__(self) -> str:
        return f"{'mean' if self.mean else 'count'} below {self.below}"


ASKED = [Asked(mean, below) for below in range(5, 101, 5) for mean in (False, True)]
LIMIT = 3  # epsilon, with DELTA, for all of them together
RUNS = 2


@dataclass(frozen=True, slots=True)
class Bounds:
    """How a person is held: in so many wards, with so many rows in each, and costs up to so much."""

    wards: int
    rows: int
    high: int

    def __str__(self) -> str:
        return f"{self.wards}-{self.rows}-{self.high}"

    @classmethod
    def read(cls, text: str) -> "Bounds":
        """The bounds that a text says."""
        return cls(*map(int, text.split("-")))

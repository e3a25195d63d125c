"""OpenDP: what its reports claim of questions about tables, and what the same questions do."""

import warnings
from typing import Any

import opendp.prelude as dp  # type: ignore[import-not-found]
import polars as pl
from failures.telling import Seen, tell

warnings.simplefilter("ignore")
dp.enable_features("contrib")
PERSON = dp.unit_of(contributions=1, identifier="person")
WARDS = pl.LazyFrame({"ward": ["A", "B", "C"]})
Margin = dp.polars.Margin


def context(rows: Any, unit: Any, loss: Any, *margins: Any) -> Any:
    return dp.Context.compositor(
        data=rows.lazy(),
        privacy_unit=unit,
        privacy_loss=loss,
        split_evenly_over=1,
        margins=list(margins),
    )


def scale_of(question: Any) -> float:
    return float(question.summarize()["scale"][0])


def buckets() -> Seen:
    """The sum of a bucket's number, which depends on the order of rows, for neighbours."""

    def asked(costs: list[float]) -> tuple[float, int]:
        held = context(
            pl.DataFrame({"cost": costs}),
            dp.unit_of(contributions=1),
            dp.loss_of(epsilon=1.0),
            Margin(max_length=300),
        )
        question = held.query().select(pl.col("cost").cut([50.0]).to_physical().dp.sum((0, 1)))
        return scale_of(question), int(question.release().collect().item())

    cheap = [30.0] * 200
    (scale, one), (_, other) = asked(cheap), asked([70.0, *cheap])
    return abs(
        one - other
    ) > 50, f"epsilon 1, noise {scale:g}: {one} and, with one row more, {other}"


def threshold() -> Seen:
    """How often the key of a single person is shown, against the delta that is claimed."""
    domain = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int))
    distance = dp.l01inf_distance(dp.absolute_distance(T=int))
    noisy = dp.m.make_laplace_threshold(domain, distance, scale=1.0, threshold=5)
    claimed, times = noisy.map((1, 1, 1))[1], 5_000
    rate = sum(bool(noisy({"a rare disease": 1})) for _ in range(times)) / times
    return (
        rate > 1.5 * claimed,
        f"claimed delta {claimed:.4f}; shown in {rate:.4f} of {times:,} releases",
    )


def grouped() -> Seen:
    """The noise of a sum over at most three rows, all of which are replaced, against how far it moves."""
    rows = pl.DataFrame({"ward": ["A"] * 3, "change": [10] * 3})
    margin = Margin(by=["ward"], max_length=3, max_groups=1, invariant="keys")
    held = context(rows, dp.unit_of(contributions=6), dp.loss_of(epsilon=1.0), margin)
    scale = scale_of(held.query().group_by("ward").agg(pl.col("change").dp.sum((-10, 10))))
    moved = 3 * 10 - 3 * -10
    return (
        moved / scale > 1,
        f"claimed epsilon 1 with noise {scale:g}; the sum moves by {moved}: epsilon {moved / scale:g}",
    )


def redefined() -> Seen:
    """A person held at one row in each of many wards, and the wards then made one."""
    rows = pl.DataFrame({"person": [1] * 100 + [2] * 100, "ward": [*range(100)] * 2})

    def asked(rows: Any) -> Any:
        held = context(rows, PERSON, dp.loss_of(rho=0.5)).query().truncate_per_group(1, by=["ward"])
        one = held.truncate_num_groups(101, by=["ward"], keep="first").with_columns(
            ward=pl.lit(0, dtype=pl.Int64)
        )
        return one.group_by("ward").agg(dp.len()).with_keys(pl.LazyFrame({"ward": [0]}))

    counts = [
        asked(each).release().collect()["len"][0]
        for each in (rows, rows.filter(pl.col("person") == 1))
    ]
    scale, moved = scale_of(asked(rows)), abs(counts[0] - counts[1])
    return (
        moved > 20 * scale,
        f"rho 0.5 with noise {scale:g}: {counts[0]} and, without one person, {counts[1]}",
    )


def default() -> Seen:
    """The default way of keeping some groups of a person, executed; and what is left to spend after it."""
    held = context(visits(), PERSON, dp.loss_of(epsilon=1.0, delta=1e-6))
    question = held.query().truncate_num_groups(2, by=["ward"]).truncate_per_group(1, by=["ward"])
    released = question.group_by("ward").agg(dp.len()).with_keys(WARDS).release()
    try:
        released.collect()
    except dp.OpenDPException as error:
        again = "and nothing is left to ask with" if _spent(held) else "and nothing is charged"
        return (
            True,
            f"fails ({'duplicate column' if 'multiple fields' in str(error) else 'another reason'}), {again}",
        )
    return False, "is answered"


def _spent(held: Any) -> bool:
    try:
        held.query().truncate_per_group(1).select(dp.len()).release()
    except Exception:  # noqa: BLE001 -- any refusal
        return True
    return False


def visits() -> Any:
    """Sixty people, each once in each of three wards."""
    return pl.DataFrame({"person": [n for n in range(60) for _ in "ABC"], "ward": [*"ABC"] * 60})


def kept(groups: int, keep: str) -> dict[str, int]:
    """How many people are counted in each ward, with next to no noise."""
    held = context(visits(), PERSON, dp.loss_of(epsilon=1e6, delta=1e-6)).query()
    few = held.truncate_num_groups(groups, by=["ward"], keep=keep).truncate_per_group(
        1, by=["ward"]
    )
    return dict(
        few.group_by("ward").agg(dp.len()).with_keys(WARDS).release().collect().sort("ward").rows()
    )


def one_less() -> Seen:
    """How many groups of a person are kept."""
    found = {groups: sum(kept(groups, "first").values()) // 60 for groups in (1, 2, 3)}
    seen = ", ".join(f"{left} of {groups}" for groups, left in found.items())
    return any(left < groups for groups, left in found.items()), f"groups kept a person: {seen}"


def biased() -> Seen:
    """Which groups are kept."""
    first, last = kept(3, "first"), kept(3, "last")
    return 0 in first.values(), f"'first' keeps {first}, 'last' keeps {last}, of 60 in each"


if __name__ == "__main__":
    tell(
        {
            "V1": buckets,
            "V2": threshold,
            "V3": grouped,
            "V4": redefined,
            "V5": default,
            "V6": one_less,
            "V7": biased,
        }
    )

"""Model cards: what was learnt, or would be, at what price, with which error, and what it must not be used for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import NoneType
from typing import Any

from tacit.curator import Price
from tacit.frozen import frozen
from tacit.learn.model_json import read_field, read_texts, write_settings
from tacit.printing import printable

__all__ = ["ModelCard", "Step", "join_some", "shorten_number", "write_settings_call"]


@frozen
class Step:
    """What is released in one step of a fit: what it is, for which share, and how many numbers."""

    what: str
    share: float
    numbers: int


@frozen(eq=False)
class ModelCard:
    """What was learnt, or would be: from what, at what price, with which error, and what it must not be used for."""

    model: str
    table: str
    target: str | None
    features: tuple[str, ...]
    classes: tuple[Any, ...]
    unit: str
    contributions: int | None
    price: Price
    steps: tuple[Step, ...]
    notes: tuple[str, ...]
    settings: Mapping[str, Any]
    is_fitted: bool
    learnt: tuple[str, ...] = ()
    error: str = ""

    def __str__(self) -> str:
        """The card as lines of text."""
        goal = "" if self.target is None else f", target {printable(self.target)}"
        said = [f"{self.model} of {printable(self.table)}{goal}"]
        said.append(f"  features   {len(self.features)}: {join_some(self.features)}")
        if self.classes:
            said.append(f"  classes    {join_some(self.classes)} (declared)")
        said.append(f"  protects   every {printable(self.unit)}{self._contributions()}")
        said.append(f"  {'cost' if self.is_fitted else 'would cost':<10} {self.price}")
        said += [
            f"  released   {step.what}: {step.numbers:,} numbers for {step.share:.0%} of the price"
            for step in self.steps
        ]
        said.append(
            f"  settings   {write_settings_call(self.settings)} (fixed beforehand, not tuned on the data)"
        )
        said += [f"  learnt     {line}" for line in self.learnt]
        said += [f"  note       {note}" for note in self.notes]
        if self.is_fitted:
            said.append(f"  error      {self.error}")
        said.append(
            "  do not     use it to decide about a single person without a human, about people unlike those of the "
            "table, or as a fact about anyone in it"
        )
        return "\n".join(said)

    __repr__ = __str__

    def _contributions(self) -> str:
        if self.contributions is None or self.unit == "row":
            return ""
        rows = "1 row" if self.contributions == 1 else f"{self.contributions} rows"
        return f", {rows} of each in full"

    def to_dict(self) -> dict[str, Any]:
        """The card as values that JSON holds."""
        return {
            "model": self.model,
            "table": self.table,
            "target": self.target,
            "features": list(self.features),
            "classes": [str(each) for each in self.classes],
            "unit": self.unit,
            "contributions": self.contributions,
            "price": {
                "epsilon": self.price.epsilon,
                "share": self.price.share,
                "free": self.price.free,
            },
            "released": [
                {"what": step.what, "share": step.share, "numbers": step.numbers}
                for step in self.steps
            ],
            "notes": list(self.notes),
            "settings": write_settings(self.settings),
            "is_fitted": self.is_fitted,
            "learnt": list(self.learnt),
            "error": self.error,
        }

    @classmethod
    def from_dict(
        cls, fields: Mapping[str, Any], classes: tuple[Any, ...], settings: Mapping[str, Any]
    ) -> ModelCard:
        """The card that `to_dict` wrote; classes and settings are those of the model."""
        price = read_field(fields, "price", Mapping)
        return cls(
            read_field(fields, "model", str),
            read_field(fields, "table", str),
            read_field(fields, "target", str, NoneType),
            read_texts(fields, "features"),
            classes,
            read_field(fields, "unit", str),
            read_field(fields, "contributions", int, NoneType),
            Price(
                read_field(price, "epsilon", int, float),
                read_field(price, "share", int, float),
                read_field(price, "free", bool),
            ),
            tuple(
                Step(
                    read_field(step, "what", str),
                    read_field(step, "share", int, float),
                    read_field(step, "numbers", int),
                )
                for step in read_field(fields, "released", list)
            ),
            read_texts(fields, "notes"),
            settings,
            read_field(fields, "is_fitted", bool),
            read_texts(fields, "learnt"),
            read_field(fields, "error", str),
        )


def shorten_number(value: float) -> str:
    """A number with three digits that count.

    >>> shorten_number(0.012345), shorten_number(12345.0)
    ('0.0123', '12,345')
    """
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e9 else f"{value:.3g}"


def join_some(values: Sequence[Any]) -> str:
    """The first eight of some values, side by side."""
    shown = [printable(str(value)) for value in values[:8]]
    return ", ".join(shown) + (", …" if len(values) > 8 else "")


def write_settings_call(params: Mapping[str, Any]) -> str:
    """Settings as one would write them in a call."""
    return ", ".join(f"{name}={_setting(value)}" for name, value in params.items())


def _setting(value: Any) -> str:
    """A setting as one would write it; a fraction as its decimals where they are few."""
    if isinstance(value, Fraction) and value == Fraction(f"{float(value):.6g}"):
        return f"{float(value):.6g}"
    return repr(value)

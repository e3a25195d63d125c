"""What has been spent so far, for display.

Checked by: tests/unit/accounting/test_privacy_filters.py
"""

from __future__ import annotations

from dataclasses import field

from tacit.accounting.certified_float import Figure, format_parameter
from tacit.accounting.totals import Total
from tacit.exact import Number
from tacit.frozen import frozen
from tacit.privacy import Composed, Loss

__all__ = ["Odometer"]


@frozen
class Odometer:
    """What the releases so far would cost had they been fixed in advance: a display, not a guard.

    An analyst who watches it and then decides what to ask is not covered by what it shows; a `Filter` covers that.

    >>> from tacit.privacy import PureLoss
    >>> seen = Odometer().with_loss(PureLoss(1)).with_loss(PureLoss(2))
    >>> seen.epsilon(delta=0)
    3.0
    >>> print(seen.show(delta=0))
    spent so far: epsilon 3.0 at delta 0, by basic, as if fixed in advance; for display only; filters enforce limits
    """

    losses: Composed = field(default_factory=Composed.of)

    def with_loss(self, loss: Loss) -> Odometer:
        """The odometer once this loss has been added."""
        return Odometer(self.losses + loss if self.losses.parts else Composed.of((loss, 1)))

    def epsilon(self, delta: Number) -> Figure:
        """The epsilon at this delta of all losses so far, as if they had been fixed in advance."""
        return Total(self.losses).epsilon(delta)

    def show(self, delta: Number) -> str:
        """The epsilon in a sentence that says what it is and what it is not."""
        figure = self.epsilon(delta)
        return (
            f"spent so far: epsilon {figure!r} at delta {format_parameter(delta)}, "
            f"by {figure.by}, as if fixed in advance; "
            "for display only; filters enforce limits"
        )

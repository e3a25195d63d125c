"""Every loss refuses an epsilon or an order at which it states nothing."""

from fractions import Fraction
from math import inf, nan

import pytest

from tacit.errors import InvalidInput
from tacit.privacy import Composed
from tests.laws.test_losses import CASES, shown
from tests.together import together

# What several releases cost together is for accounting to say.
ALONE = [case for case in CASES if not isinstance(case.loss, Composed)]
every_loss = pytest.mark.parametrize("loss", [case.loss for case in ALONE], ids=map(shown, ALONE))


@together
@every_loss
@pytest.mark.parametrize("epsilon", [Fraction(-1, 10), -1, 0.5, nan, "1", None, True])
def test_a_delta_is_stated_at_exact_epsilons_of_at_least_zero(loss, epsilon):
    with pytest.raises(InvalidInput, match="epsilon"):
        loss.delta(epsilon)


@together
@every_loss
@pytest.mark.parametrize("order", [Fraction(1), Fraction(1, 2), 0, -inf, nan, "2", None])
def test_a_divergence_is_stated_at_orders_above_one(loss, order):
    with pytest.raises(InvalidInput, match="order"):
        loss.renyi(order)

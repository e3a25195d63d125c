"""Numbers and coins: rationals, directed rounding, certified functions, secure words, exact samplers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.exact.certified import (
    PRECISION,
    Ball,
    ball,
    erfc,
    exp,
    floor_of,
    hull,
    infinite,
    log,
    lower,
    normal_quantile,
    pi,
    precision,
    sqrt,
    upper,
    working,
)
from tacit.exact.coins import (
    Chance,
    bernoulli,
    bernoulli_exp,
    exp_chance,
    falls_below,
    logistic_chance,
    rational_chance,
)
from tacit.exact.entropy import rekey, words
from tacit.exact.gaussian import GaussianTable, discrete_gaussian, gaussian_table
from tacit.exact.laplace import GeometricCoins, discrete_laplace, geometric, geometric_coins
from tacit.exact.rational import (
    ROUNDING,
    Number,
    at_least,
    at_most,
    count_of,
    float_at_least,
    float_at_most,
    short_at_least,
)
from tacit.exact.sealing import KEY_BYTES, new_key, seal, unseal
from tacit.exact.tails import gaussian_mass, gaussian_moment, gaussian_tail
from tacit.exact.uniform import below, random_bits
from tacit.exact.weighted import (
    SLACK,
    drawn_index,
    exp_weights,
    weighted_index,
    weighted_law,
    weighted_rows,
)
from tacit.later import later

if TYPE_CHECKING:
    from tacit.exact.quadrature import unit_rule
    from tacit.exact.selection import (
        Slots,
        below_best,
        exponential_choice,
        exponential_slots,
        flipped_choice,
        uniform_choice,
        weigh,
    )


__all__ = [
    "KEY_BYTES",
    "PRECISION",
    "ROUNDING",
    "SLACK",
    "Ball",
    "Chance",
    "GaussianTable",
    "GeometricCoins",
    "Number",
    "Slots",
    "at_least",
    "at_most",
    "ball",
    "below",
    "below_best",
    "bernoulli",
    "bernoulli_exp",
    "hull",
    "count_of",
    "discrete_gaussian",
    "discrete_laplace",
    "drawn_index",
    "erfc",
    "exp",
    "exp_chance",
    "exp_weights",
    "exponential_choice",
    "exponential_slots",
    "falls_below",
    "flipped_choice",
    "float_at_least",
    "float_at_most",
    "floor_of",
    "gaussian_mass",
    "gaussian_moment",
    "gaussian_table",
    "gaussian_tail",
    "geometric",
    "geometric_coins",
    "infinite",
    "log",
    "logistic_chance",
    "lower",
    "new_key",
    "normal_quantile",
    "pi",
    "precision",
    "random_bits",
    "rational_chance",
    "rekey",
    "seal",
    "sqrt",
    "uniform_choice",
    "unit_rule",
    "unseal",
    "upper",
    "weigh",
    "weighted_index",
    "weighted_law",
    "weighted_rows",
    "words",
    "working",
    "short_at_least",
]

_LATER = {
    "Slots": "selection",
    "below_best": "selection",
    "exponential_choice": "selection",
    "exponential_slots": "selection",
    "flipped_choice": "selection",
    "uniform_choice": "selection",
    "unit_rule": "quadrature",
    "weigh": "selection",
}

__getattr__ = later(__name__, _LATER)

"""What people hand over by mistake, or to see what happens."""

from decimal import Decimal
from fractions import Fraction

import numpy as np

NAN, INFINITY = float("nan"), float("inf")

# No sampler's parameter, whatever its range is.
NO_NUMBERS = {
    "nan": NAN,
    "infinity": INFINITY,
    "minus infinity": -INFINITY,
    "decimal nan": Decimal("NaN"),
    "signalling nan": Decimal("sNaN"),
    "decimal infinity": Decimal("-Infinity"),
    "true": True,
    "false": False,
    "numpy true": np.True_,
    "text": "1",
    "fraction as text": "1/3",
    "bytes": b"1",
    "none": None,
    "list": [1],
    "tuple": (1,),
    "complex": 1j,
    "object": object(),
    "type": int,
    "array": np.array([1.0]),
    "array without axes": np.array(1),
    "single precision": np.float32(0.5),
    "huge": 10**5000,
    "hugely negative": -(10**5000),
    "huge denominator": Fraction(1, 10**3000),
    "huge decimal": Decimal("1e999999999"),
    "tiny decimal": Decimal("1e-999999999"),
}
NO_SIZES = {
    "negative": -1,
    "very negative": -(10**5000),
    "true": True,
    "false": False,
    "numpy true": np.True_,
    "float": 3.0,
    "half": 0.5,
    "nan": NAN,
    "text": "3",
    "fraction": Fraction(3),
    "list": [3],
    "tuple": (3, 3),
    "more than memory": 1 << 41,
    "huge": 1 << 63,
    "vast": 10**5000,
}

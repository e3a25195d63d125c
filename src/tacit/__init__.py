"""Tacit answers questions about everyone and stays silent about anyone.

>>> import tacit
>>> visits = [{"patient": 1, "ward": "A", "cost": 120}, {"patient": 2, "ward": "B", "cost": 80}]
>>> columns = {"ward": ["A", "B"], "cost": (0, 5000)}                  # a list of public keys, a range
>>> clinic = tacit.protect(visits, unit="patient", contributions=5, columns=columns, epsilon=3, delta=1e-6)
>>> answer = clinic.sql("SELECT ward, COUNT(*) AS n, AVG(cost) AS mean FROM data GROUP BY ward", epsilon=0.3)
>>> answer.columns
('ward', 'n', 'n_low', 'n_high', 'mean', 'mean_low', 'mean_high')
>>> clinic.table("data").where(tacit.col("cost") > 100).agg(n=tacit.count()).ask(epsilon=0.3).measured
('n',)
>>> round(clinic.budget.left, 3)                                       # two questions at 0.3 of a limit of 3
0.973
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tacit.curator import example, open_vault, protect
    from tacit.plan import (
        coalesce,
        col,
        concat,
        correlation,
        count,
        count_distinct,
        covariance,
        date_diff,
        greatest,
        least,
        mean,
        median,
        over,
        quantile,
        std,
        units,
        var,
        when,
    )
    from tacit.plan import max as max  # noqa: A004 -- called as tacit.max
    from tacit.plan import min as min  # noqa: A004 -- called as tacit.min
    from tacit.plan import sum as sum  # noqa: A004 -- called as tacit.sum
    from tacit.remote import connect

    open = open_vault  # noqa: A001 -- called as tacit.open

__version__ = "0.2.0"
"""The version of this package."""

__all__ = [
    "__version__",
    "coalesce",
    "col",
    "concat",
    "connect",
    "correlation",
    "count",
    "count_distinct",
    "covariance",
    "date_diff",
    "example",
    "greatest",
    "least",
    "mean",
    "median",
    "over",
    "protect",
    "quantile",
    "std",
    "units",
    "var",
    "when",
]

_WAITING = "OPENBLAS_THREAD_TIMEOUT"
_BUILTIN_TOO = ("max", "min", "open", "sum")
"""Names that Python has, too: `from tacit import *` leaves those alone, `tacit.sum` is always there."""
_ROOMS = dict.fromkeys([*__all__, *_BUILTIN_TOO], "tacit.plan") | dict.fromkeys(
    ("example", "open", "protect"), "tacit.curator"
)
_ROOMS["connect"] = "tacit.remote"


_PARTS = ("accounting", "audit", "learn", "local", "mechanisms", "privacy", "synth")
"""The rooms that can be used by themselves, as in tacit.audit.verify; the others are behind the names above."""


def __dir__() -> list[str]:
    """The public names, and the rooms that can be used by themselves."""
    return sorted({*_ROOMS, *_PARTS, *(name for name in globals() if name.startswith("__"))})


def __getattr__(name: str) -> object:
    """A public name, from its room; a room is opened when something in it is first needed."""
    if name in _PARTS:
        return import_module(f"tacit.{name}")
    if name not in _ROOMS:
        meant = "" if name.startswith("_") else _say_name_here(name)
        raise AttributeError(f"module 'tacit' has no attribute {name!r}{meant}")
    with _at_once():
        return getattr(import_module(_ROOMS[name]), "open_vault" if name == "open" else name)


def _say_name_here(name: str) -> str:
    """What an aggregate of another library is called here."""
    from tacit.plan import AGGREGATES

    return f": here it is {AGGREGATES[name]}" if name in AGGREGATES else ""


@contextmanager
def _at_once() -> Iterator[None]:
    """A while in which imports do nothing else: together these three are a quarter of a cold start.

    No garbage is collected, since what is imported stays, nor looked for in it right afterwards: it is moved to where
    the collector keeps what has stayed for long.  And where NumPy is imported for the first time, the threads of its
    linear algebra go to sleep when they have nothing to do, instead of waiting busily for the first task.
    """
    collecting, known, before = gc.isenabled(), os.environ.get(_WAITING), len(sys.modules)
    gc.disable()
    os.environ.setdefault(_WAITING, "4")  # as short as OpenBLAS allows
    try:
        yield
    finally:
        if known is None:
            os.environ.pop(_WAITING, None)
        if collecting:
            if len(sys.modules) > before and not gc.get_freeze_count():
                gc.freeze()
                gc.unfreeze()
            gc.enable()

"""What is paid for beside questions: facts that a curator lets find, synthetic tables, models.

Checked by: tests/unit/server/http/test_releases.py, tests/attacks/test_free_reads.py
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tacit.curator import Listing, Release, Vault
from tacit.errors import InvalidInput, TacitError
from tacit.exact import Number
from tacit.frozen import frozen
from tacit.printing import json_text
from tacit.server.ask_in_slot import Asking, tell_price
from tacit.server.identities import Identity
from tacit.server.jobs import Job
from tacit.server.rights import check_right

__all__ = ["MODELS", "Fit", "Releases"]

MODELS = (
    *("GaussianNB", "HistogramNB", "KMeans", "LinearRegression", "LogisticRegression"),
    *("NearestClassifier", "PCA"),
)
"""The models that a server fits: those whose work a slot holds."""

_LARGEST = {
    "waves": 2_000,
    "bins": 256,
    "n_clusters": 64,
}  # by which work grows: a slot holds that much
_LARGEST_OTHER = 10_000
_CONFIDENCE = 0.95  # of no interval: there is none
_TIMES = 16.0  # as long as the longest question that was measured


@frozen
class Fit:
    """A model that is wanted: of which rows, at which price, with which settings.

    `table` names the rows, or `rows` is a question in SQL that counts them.
    """

    model: str
    epsilon: Number
    table: str | None = None
    rows: str | None = None
    target: str | None = None
    columns: Sequence[str] | None = None
    settings: Mapping[str, Any] | None = None

    def estimator(self) -> Any:
        """The estimator, which is not fitted yet."""
        from tacit import learn

        settings = {name: _setting(name, value) for name, value in (self.settings or {}).items()}
        if self.model not in MODELS:
            raise InvalidInput("model", self.model, f"name one of: {', '.join(MODELS)}")
        try:
            return getattr(learn, self.model)(epsilon=self.epsilon, **settings)
        except TypeError:
            raise InvalidInput(
                "settings", sorted(settings), f"give those of tacit.learn.{self.model}"
            ) from None

    def frame(self, vault: Vault) -> Any:
        """The rows that are learnt from."""
        if self.table is not None and self.rows is None:
            return vault.table(self.table)
        if self.rows is None or self.table is not None:
            raise InvalidInput(
                "rows", self.rows, "name a table, or count rows in SQL, but not both"
            )
        return vault.rows_of(self.rows)

    def check(self, vault: Vault) -> None:
        """Refuse what cannot be fitted, by declarations alone."""
        try:
            self.estimator().explain(self.frame(vault), self.target, columns=self.columns)
        except TacitError:
            raise
        except (TypeError, ValueError, KeyError, IndexError, OverflowError):
            raise InvalidInput(
                "settings", sorted(self.settings or {}), f"give those of tacit.learn.{self.model}"
            ) from None


class Releases:
    """Long work at a price, each in a slot of the longest kind."""

    def __init__(self, asking: Asking) -> None:
        self._asking = asking

    async def synthesize(
        self,
        who: Identity,
        table: str,
        epsilon: Number,
        *,
        columns: Sequence[str] | None = None,
        always: Sequence[str] = (),
        rows: int = 100,
    ) -> Job:
        """Rows of a synthetic table, made in a slot of the longest kind; more rows of the same table are free."""
        check_right(who, "ask")

        def make(vault: Vault) -> Release:
            made = vault.synthesize(table, epsilon=epsilon, columns=columns, always=always)
            named = made.columns_of(rows)
            drawn = tuple(zip(*named.values(), strict=True))
            return Release(tuple(named), drawn, (), _CONFIDENCE, made.price, made.receipt)

        return await self._asking.start_long(who, make, epsilon, tell=tell_price)

    async def learn(self, who: Identity, fit: Fit) -> Job:
        """A model: as JSON (`Estimator.from_dict`), and its numbers as bytes in Base64; the same fit again is free."""
        check_right(who, "ask")
        await self._asking.prepare(lambda: fit.check(self._asking.seen_by(who)))

        def learn(vault: Vault) -> Release:
            model = fit.estimator().fit(fit.frame(vault), fit.target, columns=fit.columns)
            told = json_text(model.to_dict()), b64encode(model.to_bytes()).decode()
            names = ("model", "bytes")
            return Release(names, (told,), (), _CONFIDENCE, model.price, model.receipt)

        return await self._asking.start_long(
            who, learn, fit.epsilon, tell=_tell_model, times=_TIMES
        )

    async def find_bounds(self, who: Identity, column: str, epsilon: Number, share: Number) -> Job:
        """Bounds of a column are found, privately and at a price, in a slot."""
        check_right(who, "decide")
        return await self._start_finding(
            who, lambda vault: vault.find_bounds(column, epsilon=epsilon, share=share), epsilon
        )

    async def find_contributions(
        self, who: Identity, table: str, epsilon: Number, share: Number
    ) -> Job:
        """How many rows of a unit count in full is found, privately and at a price, in a slot."""
        check_right(who, "decide")
        return await self._start_finding(
            who,
            lambda vault: vault.find_contributions(table, epsilon=epsilon, share=share),
            epsilon,
        )

    async def _start_finding(
        self, who: Identity, find: Callable[[Vault], Any], epsilon: Number
    ) -> Job:
        found: list[Any] = []

        def work(vault: Vault) -> Release:
            found.append(find(vault))
            return Listing.of(("found",), [])

        def tell(_: Release, free: bool) -> Release:
            fact = replace(found[-1], price=replace(found[-1].price, free=free))
            return Listing.of(("found",), [(str(fact),)])

        return await self._asking.start_long(who, work, epsilon, tell=tell)


def _tell_model(release: Release, free: bool) -> Release:
    """A model that was free, or was not, as its card says, too."""
    ((text, numbers),) = release.rows
    model = json.loads(text)
    model["card"]["price"]["free"] = free
    return tell_price(replace(release, rows=((json_text(model), numbers),)), free)


def _setting(name: str, value: Any) -> Any:
    """A setting as an estimator takes it; a list is a tuple."""
    each = value if isinstance(value, list) else [value]
    largest = _LARGEST.get(name, _LARGEST_OTHER)
    if any(isinstance(one, int | float) and abs(one) > largest for one in each):
        raise InvalidInput(name, value, f"a server takes at most {largest:,}")
    return tuple(value) if isinstance(value, list) else value

"""From a price to a synthetic table."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.curator.tables.column_codes import code_columns, list_uncoded
from tacit.curator.tables.release_tables import Desk, Exchange, TablesAsked
from tacit.curator.tables.row_rules import read_rules
from tacit.curator.tables.synthetic_table import SyntheticTable
from tacit.curator.tables.tables_noise import TableNoise
from tacit.exact import Number
from tacit.synth import Model, learn_table

__all__ = ["synthesize"]


def synthesize(
    desk: Desk, table: str, *, epsilon: Number, columns: Sequence[str] | None, always: Sequence[str]
) -> SyntheticTable:
    """A synthetic table; see `Vault.synthesize`."""
    shared = desk.shared(table)
    coded = code_columns(shared.table, columns)
    rules = read_rules(always, shared.asked_table, coded)
    asked = TablesAsked(
        "synthetic table", shared, coded, f"a synthetic table of {table}", tuple(always)
    )
    attributes = [each.attribute for each in coded]
    forbidden = [rule.forbid(coded) for rule in rules]

    def begin(noise: TableNoise) -> Exchange[bytes]:
        model = yield from learn_table(attributes, noise.law, forbidden)
        return model.write()

    answered = desk.answer(asked, desk.price_of(epsilon), begin)
    model = Model.read(answered.stored.model)
    missing = list_uncoded(shared.table) if columns is None else ()
    return SyntheticTable(table, coded, model, rules, missing, answered.price, answered.receipt)

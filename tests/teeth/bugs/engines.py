"""Bugs of the engines."""

from tests.teeth.bug import Bug

ENGINES = "src/tacit/engines"
LAWS = "tests/laws/test_engines.py"
UNIT = "tests/unit/engines"

BUGS = [
    Bug(
        name="engines-settings-of-one-session",
        file=f"{ENGINES}/duckdb.py",
        before='f"SET GLOBAL {name} = {_setting(value)}"',
        after='f"SET {name} = {_setting(value)}"',
        killed_by=f"{UNIT}/test_engine.py::test_engines_answer_alike",
        note="a setting of the session does not reach the cursors: a zero in the rows raised, after the charge",
    ),
    Bug(
        name="engines-root-of-doubles",
        file=f"{ENGINES}/statement.py",
        before='right = "CASE WHEN w * w > q THEN w - 1 WHEN (w + 1) * (w + 1) <= q THEN w + 1 ELSE w END"',
        after='right = "w"',
        killed_by=f"{UNIT}/test_statement.py::test_roots_are_exact_just_below_a_square",
        note="a root in doubles is one too large where the quotient is just below a square: a unit outweighs its bound",
    ),
    Bug(
        name="engines-heavy-unit-passed-over",
        file=f"{ENGINES}/statement.py",
        before='most = "(n - k + 1)::HUGEINT * (n - k + 1) + k - 1"',
        after='most = "(n - k)::HUGEINT * (n - k) + k"',
        killed_by=f"{UNIT}/test_statement.py::test_units_at_the_edge_of_the_bound_are_weighed",
        note="k groups have one row each and one has all the others: n - k + 1, not n - k",
    ),
    Bug(
        name="engines-mask-of-one-group",
        file=f"{ENGINES}/statement.py",
        before='mask = f"bit_count(bit_or(1::UBIGINT << (g % {_MASK})::UBIGINT))"',
        after='mask = "count(*)"',
        killed_by=f"{LAWS}::test_no_unit_weighs_more_than_the_bound",
        note="rows are not groups: a unit with many rows in one group looks as light as one with a row in each",
    ),
    Bug(
        name="engines-nobody-is-somebody",
        file=f"{ENGINES}/statement.py",
        before='        conditions.append(f"{unit} IS NOT NULL")\n',
        after="",
        killed_by=f"{UNIT}/test_engine.py::test_engines_answer_alike",
        note="rows without a unit are nobody's: counted together they would be one unit, or none at all",
    ),
    Bug(
        name="engines-nan-is-the-largest-number",
        file=f"{ENGINES}/reading.py",
        before='above = f"CASE WHEN isnan({number}) THEN CAST(NULL AS DOUBLE) ELSE {double(high)} END"',
        after="above = double(high)",
        killed_by=f"{UNIT}/test_poison.py::test_every_source_survives_every_poison",
        note="DuckDB sorts NaN above every number, so that a clamp turns it into the bound",
    ),
    Bug(
        name="engines-clamp-makes-something-of-nothing",
        file=f"{ENGINES}/rendering.py",
        before="""    return f"CASE {' '.join(cases)} ELSE {value} END" if cases else value""",
        after="""    return f"greatest({value}, {_bound(low, kind)})" if low is not None else value""",
        killed_by=f"{UNIT}/test_poison.py::test_every_source_survives_every_poison",
        note="GREATEST ignores NULL: a missing value became the lower bound",
    ),
    Bug(
        name="engines-reason-in-the-context",
        file=f"{ENGINES}/duckdb.py",
        before="            pass\n        if rows is None:",
        after="            raise EngineFailed from None\n        if rows is None:",
        killed_by=f"{UNIT}/test_duckdb.py::test_a_failure_says_nothing",
        note="`from None` hides the context from tracebacks and leaves it on the exception, cell and all",
    ),
    Bug(
        name="engines-dry-run-looks",
        file=f"{ENGINES}/duckdb.py",
        before="self._evaluated(question, weights, self._empty)",
        after="self._evaluated(question, weights, self._full)",
        killed_by=f"{UNIT}/test_duckdb.py::test_a_dry_run_looks_at_no_row",
        note="a dry run comes before the charge",
    ),
    Bug(
        name="engines-files-stay-open",
        file=f"{ENGINES}/duckdb.py",
        before='    connection.execute("SET GLOBAL enable_external_access = false")\n',
        after="",
        killed_by=f"{UNIT}/test_duckdb.py::test_nothing_but_its_tables_can_be_reached",
        note="a statement could read any file of the machine, or write one",
    ),
    Bug(
        name="engines-twice-the-same-key",
        file=f"{ENGINES}/keys.py",
        before="places.setdefault(constant(declared, kind), place)",
        after="places[constant(declared, kind)] = place",
        killed_by=f"{UNIT}/test_statement.py::test_keys_that_are_the_same_double_are_one",
        note="two declared keys may be the same double: engines must agree on which of them a row belongs to",
    ),
    Bug(
        name="engines-centre-the-other-way",
        file=f"{ENGINES}/terms.py",
        before="(self._count(value).place, taken - centre)",
        after="(self._count(value).place, centre - taken)",
        killed_by=f"{UNIT}/test_statement.py::test_sums_with_other_centres_share_their_work",
        note="a sum about another centre is the shared one and the difference times the count",
    ),
    Bug(
        name="engines-units-made-one",
        file=f"{ENGINES}/sources.py",
        before="kind, units = Kind.TEXT, [None if unit is None else str(unit) for unit in units]",
        after="pass",
        killed_by=f"{UNIT}/test_sources.py::test_units_are_told_apart_exactly",
        note="integers beyond 64 bits are moved onto the last one: as units they would all be the same",
    ),
    Bug(
        name="engines-weight-rounded-up",
        file=f"{ENGINES}/weights.py",
        before="most = isqrt((weights.bound**2 << 2 * weights.bits) // sum(n * n for n in vector))",
        after="most = round(((weights.bound**2 << 2 * weights.bits) / sum(n * n for n in vector)) ** 0.5)",
        killed_by=f"{LAWS}::test_a_weight_is_the_largest_that_keeps_the_bound",
        note="weights are rounded toward zero, or a unit outweighs its bound",
    ),
]

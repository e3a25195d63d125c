"""Expressions in SQL: what is computed from one row, or from one released row, and the aggregates between them.

Checked by: tests/unit/plan/sql/test_statement.py
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlglot import exp

from tacit.errors import InvalidPlan
from tacit.frozen import frozen
from tacit.plan.model import expressions as e
from tacit.plan.model.function_names import Function
from tacit.plan.model.nodes import Folding
from tacit.plan.model.schema import Kind
from tacit.plan.questions.build_expressions import NULL, Forms, is_truth, meeting, only
from tacit.plan.questions.draft import KEPT, NOTHING, Draft
from tacit.plan.questions.group_windows import looks
from tacit.plan.questions.subquery_draft import Inside
from tacit.plan.questions.tuple_as_text import tuple_of
from tacit.plan.semantics.infer_expression_types import condition_type
from tacit.plan.sql.allowed_syntax_nodes import AGGREGATES, ARITHMETIC, COMPARISONS, KINDS
from tacit.plan.sql.arg_max_and_first import CHOICES, read_choice
from tacit.plan.sql.functions import CALLED, Calls, is_span
from tacit.plan.sql.group_windows import LOOKS, read_group_window
from tacit.plan.sql.like_in_between_is import Predicates
from tacit.plan.sql.quantiles import RANKS, read_rank
from tacit.plan.sql.reading_context import ROWS, Level, Reader, is_column
from tacit.plan.sql.recognise_variance_functions import (
    MOMENTS,
    REGRESSIONS,
    SHAPES,
    standard_deviation,
)
from tacit.plan.sql.row_windows import FOLDS, read_row_window

__all__ = ["read_condition", "read_expression"]


def read_expression(reader: Reader, node: exp.Expr, draft: Draft, level: Level) -> e.Expression:
    """An expression over rows, or over what is released.

    cost > 10         Compared(">", Field(cost), Literal(10))       in WHERE
    AVG(cost) > 10    Compared(">", MeanOf(0, 1), Literal(10))      in HAVING; the draft measures a sum and a count
    """
    return _Place(reader, draft, level).read(node)


def read_condition(reader: Reader, node: exp.Expr, draft: Draft, level: Level) -> e.Expression:
    """An expression that is true or not, of a row or of what is released."""
    with reader.account.about(node):
        found = read_expression(reader, node, draft, level)
        condition_type(found, draft.question if level else None)
    return found


@frozen
class _Place:
    """Where an expression stands: who reads it, of which question it is a part, and what names mean there."""

    reader: Reader
    draft: Draft
    level: Level

    @property
    def forms(self) -> Forms:
        """How operators and functions are written here."""
        return self.draft.released_forms if self.level else Forms()

    @property
    def predicates(self) -> Predicates:
        """How LIKE, IN, BETWEEN and IS are read here."""
        return Predicates(self.reader, self.forms, self.read)

    @property
    def rows(self) -> _Place:
        """The rows below: what stands inside an aggregate."""
        return replace(self, level=ROWS)

    # ------------------------------------------------------------ every expression

    def read(self, node: exp.Expr) -> e.Expression:
        """What a node means; a refusal underlines it."""
        with self.reader.account.nested(node):
            found = (self._read_key(node) if self.level else None) or self.read_form(node)
        self.reader.account.reads(found, node)
        return found

    def _read_key(self, node: exp.Expr) -> e.Expression | None:
        """The key that an expression of the view is as a whole: what GROUP BY calculates is not calculated again.

        FLOOR(age / 10) in SELECT FLOOR(age / 10) ... GROUP BY FLOOR(age / 10)    KeyOf(0)
        """
        if type(node) not in self.reader.key_kinds:
            return None
        try:
            return self.draft.key_of(self.rows.read_form(node))
        except InvalidPlan:
            return None

    def read_form(self, node: exp.Expr) -> e.Expression:
        """What a node means, by its kind; one that is not listed is refused."""
        account = self.reader.account
        if type(node) in ARITHMETIC or type(node) in COMPARISONS:
            return self._read_operator(node)
        match node:
            case exp.Paren():
                return self.read(account.take(node)["this"])
            case exp.Column():
                return self._read_name(node)
            case exp.Literal() | exp.Null() | exp.Boolean():
                return self.reader.constant(node)
            case exp.Neg():
                return e.negate(self.read(account.take(node)["this"]))
            case exp.And() | exp.Or():
                join = e.Both if isinstance(node, exp.And) else e.Either
                return e.chain_conditions(join, [self.read(part) for part in self._chain(node)])
            case exp.Not():
                return e.Not(self.read(account.take(node)["this"]))
            case exp.Is():
                return self._read_is(node)
            case exp.In():
                return self._read_in(node)
            case exp.Between():
                return self.predicates.read_between(node)
            case exp.Like() | exp.ILike():
                return self.predicates.read_like(node)
            case exp.SimilarTo() | exp.Glob():
                return self.predicates.read_pattern(node)
            case exp.Case():
                return self._read_case(node)
            case exp.Cast():
                return self._read_cast(node)
            case exp.Subquery() if self.level and id(node) in self.reader.scalars:
                return self.reader.scalars[id(node)]
            case exp.Subquery() if not self.level and isinstance(node.this, exp.Query):
                return self.reader.read_subquery(self.reader, node, None, self.draft)
            case exp.Grouping() | exp.GroupingId() if self.level:
                return self._read_grouping(node)
            case exp.Exists() if not self.level:
                return self.reader.read_membership(self.reader, node, self.draft)
            case exp.Filter():
                return self._read_filter(node)
            case exp.IgnoreNulls(this=exp.AnyValue() as inside):
                account.take(node)
                account.places.add(node.meta.get("start", -1))
                return self.read(inside)
            case exp.CountIf():
                return self._read_count_if(node)
            case exp.Window():
                return self._read_window(node)
        if type(node) in AGGREGATES:
            return self._read_aggregate(node)
        if isinstance(node, exp.Anonymous) and node.name.upper() in _GEOMETRIC_MEANS:
            return self._read_geometric_mean(node)
        if type(node) in CALLED:
            return Calls(account, self.forms, self.read).call(node)
        return account.unknown(node)

    # ------------------------------------------------------------ operators

    def _read_operator(self, node: exp.Expr) -> e.Expression:
        """a + b, a < b, MOD(a, b), a day + INTERVAL 1 DAY, and a - b < INTERVAL 30 DAY."""
        account, parts = self.reader.account, self.reader.account.take(node)
        sides = parts["this"], parts["expression"]
        account.claim(node, "COMMA", 1 if "start" in node.meta else 0)  # MOD(a, b)
        if isinstance(node, exp.Add | exp.Sub) and any(map(is_span, sides)):
            return self._shift_moment(node, sides)
        spans = [isinstance(side.unnest(), exp.Sub) for side in sides]
        if type(node) in COMPARISONS and any(spans):
            for is_second, other in enumerate(sides[::-1]):
                if spans[is_second] and isinstance(other, exp.Interval):
                    calls = Calls(account, self.forms, self.read)
                    return calls.compare_span(
                        COMPARISONS[type(node)],
                        sides[is_second].unnest(),
                        other,
                        exchanged=bool(is_second),
                    )
        if type(node) in COMPARISONS and any(type(side) in COMPARISONS for side in sides):
            reason = "chained comparisons are not supported"
            account.refuse(node, reason, "write a < x AND x < b, or parentheses")
        left, right = (self.read(side) for side in sides)
        if type(node) in ARITHMETIC:
            return self.forms.arithmetic(ARITHMETIC[type(node)], left, right)
        return self.forms.compare(COMPARISONS[type(node)], left, right)

    def _shift_moment(self, node: exp.Expr, sides: tuple[exp.Expr, exp.Expr]) -> e.Expression:
        """A moment and an interval."""
        taken = isinstance(node, exp.Sub)
        moment, interval = sides if taken or is_span(sides[1]) else sides[::-1]
        if not is_span(interval) or is_span(moment):
            reason = "an interval can only be added to or subtracted from a date or a timestamp"
            remedy = "write x + INTERVAL 1 DAY, or x - INTERVAL 1 DAY"
            self.reader.account.refuse(interval, reason, remedy)
        calls = Calls(self.reader.account, self.forms, self.read)
        return calls.shift_moment(moment, interval, -1 if taken else 1)

    def _chain(self, node: exp.Expr) -> Iterator[exp.Expr]:
        """The parts of a AND b AND c, which the parser nests to the left."""
        rest = [node]
        while rest:
            part = rest.pop()
            if type(part) is not type(node):
                yield part
                continue
            sides = self.reader.account.take(part)
            rest += [sides["expression"], sides["this"]]

    def _read_name(self, node: exp.Expr) -> e.Expression:
        """What a name means: a column of the row, or what the release calls so."""
        name = self.reader.column_name(node)
        return (
            self.draft.released_name(name, self.level) if self.level else self.draft.row_name(name)
        )

    def _read_grouping(self, node: exp.Expr) -> e.Expression:
        """GROUPING(ward): 1 in the rows where it is not a key, 0 where it is; of several, a number of so many bits.

        GROUPING(ward, sex) is 2 * GROUPING(ward) + GROUPING(sex)
        """
        account, total = self.reader.account, 0
        parts = account.take_list(node)
        account.places.add(node.meta.get("start", -1))
        for part in parts:
            key = self.draft.key_of(self.rows.read(part))
            if key is None:
                account.refuse(part, "this is not a key", "name a key of GROUP BY")
            total = 2 * total + (key == NOTHING)
        return e.Literal(total, Kind.INTEGER)

    def _read_is(self, node: exp.Is) -> e.Expression:
        """x IS NULL, x IS TRUE, and v.patient IS NULL after an outer join: whether that side is left out."""
        is_null = isinstance(node.expression, exp.Null)
        flag = self.reader.find_flag(node.this) if is_null else None
        if flag is None:
            return self.predicates.read_is(node)
        self.reader.constant(self.reader.account.take(node)["expression"])
        return e.IsNull(self.draft.row_name(flag))

    def _read_in(self, node: exp.In) -> e.Expression:
        """ward IN ('A', 'B'), and patient IN (SELECT patient FROM …)."""
        query = node.args.get("query")
        if not query:
            return self.predicates.read_in(node)
        self.reader.account.take(node)
        if self.level:
            return self.reader.account.unknown(query)
        return self.reader.read_membership(self.reader, node, self.draft)

    # ------------------------------------------------------------ CASE and CAST

    def _read_case(self, node: exp.Case) -> e.Expression:
        """Both forms of CASE; the one with an operand compares it in every branch."""
        account, parts = self.reader.account, self.reader.account.take(node)
        operand = self.read(parts["this"]) if parts.get("this") else None
        branches = []
        for branch in parts.get("ifs") or []:
            sides = account.take(branch)
            when, then = self.read(sides["this"]), self.read(sides["true"])
            test = when if operand is None else self.forms.compare("=", operand, when)
            branches.append((test, then))
        account.claim(node, "ELSE", 1 if parts.get("default") else 0)
        otherwise = self.read(parts["default"]) if parts.get("default") else NULL
        return self.forms.case(branches, otherwise)

    def _read_cast(self, node: exp.Cast) -> e.Expression:
        """CAST(x AS DOUBLE), x::BIGINT, TRY_CAST(x AS DECIMAL(10, 2))."""
        parts = self.reader.account.take(node)
        operand = self.read(parts["this"])
        if getattr(parts["to"].this, "name", "") == "DECIMAL":
            return self.forms.decimal(operand, *self._digits(parts["to"]))
        return self.forms.cast(operand, self._kind(parts["to"]))

    def _digits(self, node: exp.Expr) -> list[int]:
        """How many digits a DECIMAL has, and how many of them after the point; places are known from the words."""
        listed = self.reader.account.take(node, "Decimal")["expressions"]
        return [*(int(part.this.name) for part in listed), 0][:2]

    def _kind(self, node: exp.Expr) -> Kind:
        """The kind that a type's name means."""
        name = getattr(node.this, "name", "")
        if name not in KINDS:
            kinds = "the types are BIGINT, DOUBLE, VARCHAR, BOOLEAN, DATE and TIMESTAMP"
            clock = (
                "write EXTRACT(HOUR FROM x), or EXTRACT(HOUR FROM x) * 60 + EXTRACT(MINUTE FROM x)"
            )
            remedy = clock if name == "TIME" else kinds
            raise InvalidPlan(f"the type {name or 'here'} is not supported", remedy)
        self.reader.account.take(node)
        return KINDS[name]

    # ------------------------------------------------------------ windows

    def _read_window(self, node: exp.Window) -> e.Expression:
        """RANK() OVER (ORDER BY COUNT(*)) over groups, or over the rows of a unit."""
        if self.level and self.draft.grouped and not isinstance(self.draft, Inside):
            return read_group_window(self.reader, node, self.draft, replace(self, level=KEPT).read)
        return read_row_window(self.reader, node, self.draft, self.rows.read)

    # ------------------------------------------------------------ aggregates

    def _read_filter(self, node: exp.Filter) -> e.Expression:
        """An aggregate of some rows: COUNT(*) FILTER (WHERE condition)."""
        self._refuse_over_rows(node)
        parts = self.reader.account.take(node)
        clause = self.reader.account.take(parts["expression"])
        if type(parts["this"]) not in AGGREGATES:
            remedy = "write it after an aggregate: SUM(x) FILTER (WHERE condition)"
            self.reader.account.refuse(node, "FILTER is allowed after an aggregate only", remedy)
        place = self.rows if self.draft.outer_keys is None else self
        condition = place.read(clause["this"])
        with self.reader.account.about(clause["this"]):
            condition_type(condition, self.draft.question if place is self else None)
        return self._read_aggregate(parts["this"], condition)

    def _read_count_if(self, node: exp.CountIf) -> e.Expression:
        """COUNT_IF(condition): how many rows there are for which it is true."""
        self._refuse_over_rows(node)
        self.reader.account.places.add(node.meta.get("start", -1))
        if self.draft.outer_keys is not None:
            truth = self.read(self.reader.account.take(node)["this"])
            return self._look(e.Look.COUNT, meeting(truth))
        condition = self.rows.read(self.reader.account.take(node)["this"])
        with self.reader.account.about(node):
            condition_type(condition)
        return self.draft.count(meeting(condition))

    def _refuse_over_rows(self, node: exp.Expr) -> None:
        """Refuse an aggregate where there are only rows."""
        if not self.level:
            remedy = "write conditions on aggregates in HAVING; aggregates cannot be nested"
            self.reader.account.refuse(node, "an aggregate is not allowed here", remedy)

    def _read_aggregate(
        self, node: exp.Expr, condition: e.Expression | None = None
    ) -> e.Expression:
        """What is made of many rows, or with a condition of some: the only way from rows to the release.

        SUM(cost)       MeasureOf(0), with a Summed measure
        AVG(cost)       MeanOf(0, 1), with a centred Summed and a Counted measure
        MEDIAN(cost)    MeasureOf(0), with a Ranked measure
        """
        self._refuse_over_rows(node)
        if self.draft.outer_keys is not None:
            return self._fold_groups(node, condition)
        if isinstance(node, CHOICES):
            return read_choice(self.reader, node, self.draft, self.rows.read, condition)
        if type(node) in RANKS:
            value, rank = read_rank(self.reader, node)
            read = self.rows.read(value)
            if isinstance(node, exp.Min | exp.Max) and condition is None:
                known = self.draft.value_by_keys(read)  # all rows of a group have it
                if known is not None:
                    return known
            return self.draft.rank_value(only(read, condition), rank)
        operand_node = self.reader.account.take(node).get("this")
        self.reader.account.places.add(node.meta.get("start", -1))
        if type(node) in MOMENTS:
            return self._read_moment(node, condition)
        if type(node) in REGRESSIONS:
            return self._read_regression(node, condition)
        if type(node) in SHAPES and operand_node is not None:
            return self._read_shape(node, only(self.rows.read(operand_node), condition))
        if isinstance(node, exp.Count) and isinstance(operand_node, exp.Star):
            self.reader.account.take(operand_node)
            return self.draft.count(meeting(condition))
        if isinstance(node, exp.Count) and isinstance(operand_node, exp.Distinct):
            return self._read_distinct(operand_node, condition)
        if operand_node is None:
            self.reader.account.refuse(node, "nothing is counted", "write COUNT(*)")
        if isinstance(node, exp.ApproxDistinct):
            return self._count_distinct(operand_node, condition)
        flag = self.reader.find_flag(operand_node) if isinstance(node, exp.Count) else None
        if flag is not None:
            return self.draft.count(only(self.draft.row_name(flag), condition))
        if isinstance(node, exp.Count) and self._is_unit_of_every_row(operand_node):
            return self.draft.count(meeting(condition))
        operand = self.rows.read(operand_node)
        if isinstance(node, exp.Sum | exp.Avg) and is_truth(operand):
            operand = _as_number(operand)
        operand = only(operand, condition)
        if isinstance(node, exp.Count):
            return self.draft.count(operand)
        if isinstance(node, exp.LogicalOr | exp.LogicalAnd):
            return self._fold_truths(node, operand)
        if isinstance(self.draft, Inside):
            return self.draft.fold(FOLDS[type(node)], operand)
        if isinstance(node, exp.AnyValue):
            known = None if condition is not None else self.draft.value_by_keys(operand)
            if known is not None:
                return known
            reason = "any value of a group would be the value of a single row"
            account = self.reader.account
            account.refuse(node, reason, "ask for MEDIAN(x), or add it to GROUP BY")
        return self.draft.sum(operand) if isinstance(node, exp.Sum) else self.draft.mean(operand)

    def _fold_groups(self, node: exp.Expr, condition: e.Expression | None) -> e.Expression:
        """An aggregate of released groups, which costs nothing: what a window over them says.

        AVG(n)    Across(AVG, MeasureOf(0), by=the keys outside)
        """
        account, value = self.reader.account, self.reader.account.take(node).get("this")
        account.places.add(node.meta.get("start", -1))
        if isinstance(node, exp.ArgMax | exp.ArgMin):
            return self._choose_group(node, condition)
        look = LOOKS.get(type(node))
        if (
            value is None
            or isinstance(value, exp.Distinct)
            or (look is None and type(node) not in MOMENTS)
        ):
            reason = "this is not computed over released groups"
            remedy = "use COUNT, SUM, AVG, MEDIAN, MIN, MAX, VARIANCE or STDDEV"
            account.refuse(node, reason, remedy)
        if isinstance(value, exp.Star):
            account.take(value)
            return self._look(e.Look.COUNT, meeting(condition))
        operand = self.read(value)
        if condition is not None:
            operand = self.forms.case([(condition, operand)], NULL)
        if look is not None:
            return self._look(look, operand)
        return self._spread_of_groups(node, operand)

    def _choose_group(self, node: exp.Expr, condition: e.Expression | None) -> e.Expression:
        """ARG_MAX(ward, n) of released groups: what the first of them says, from the greatest n on."""
        self.reader.account.claim(node, "COMMA")
        value, by = (self.read(node.args[name]) for name in ("this", "expression"))
        if condition is not None:
            by = self.forms.case([(condition, by)], NULL)
        order = ((by, isinstance(node, exp.ArgMax)),)
        return looks(e.Look.FIRST, value, self.draft.outer_keys or (), order, 1, self.draft)

    def _look(self, look: e.Look, operand: e.Expression | None) -> e.Expression:
        return looks(look, operand, self.draft.outer_keys or (), (), 1, self.draft)

    def _spread_of_groups(self, node: exp.Expr, operand: e.Expression) -> e.Expression:
        """The variance of released groups, or its root, from their number, their sum and the sum of squares."""
        moment, is_root = MOMENTS[type(node)]
        if moment not in {e.Moment.VARIANCE, e.Moment.POPULATION_VARIANCE}:
            reason = "this is not computed over released groups"
            self.reader.account.refuse(node, reason, "use COUNT, SUM, AVG, MIN, MAX or VARIANCE")
        count, total = self._look(e.Look.COUNT, operand), self._look(e.Look.SUM, operand)
        squares = self._look(e.Look.SUM, e.Arithmetic("*", operand, operand))
        spread = e.Arithmetic(
            "-", squares, e.Arithmetic("/", e.Arithmetic("*", total, total), count)
        )
        one = e.Literal(1, Kind.INTEGER)
        by = count if moment is e.Moment.POPULATION_VARIANCE else e.Arithmetic("-", count, one)
        found = e.Arithmetic("/", spread, by)
        return standard_deviation(found) if is_root else found

    def _fold_truths(self, node: exp.Expr, operand: e.Expression) -> e.Expression:
        """BOOL_OR(x) and BOOL_AND(x) of the rows of one unit: whether the greatest, or the least, of 1 and 0 is 1."""
        if not isinstance(self.draft, Inside):
            reason = "one row alone would decide whether it is true in any row, or in all"
            self.reader.account.refuse(node, reason, "count them: COUNT_IF(condition)")
        condition_type(operand)
        fold = Folding.GREATEST if isinstance(node, exp.LogicalOr) else Folding.LEAST
        found = self.draft.fold(fold, _as_number(operand))
        return e.Compared("=", found, e.Literal(1, Kind.INTEGER))

    def _read_moment(self, node: exp.Expr, condition: e.Expression | None) -> e.Expression:
        """VARIANCE(x), STDDEV(x), COVAR_SAMP(x, y), CORR(x, y)."""
        parts = [node.args[name] for name in ("this", "expression") if node.args.get(name)]
        self.reader.account.claim(node, "COMMA", len(parts) - 1)
        values = [only(self.rows.read(part), condition) for part in parts]
        moment, is_root = MOMENTS[type(node)]
        with self.reader.account.about(node):
            found = self.draft.moment(moment, *values)
        return standard_deviation(found) if is_root else found

    def _read_regression(self, node: exp.Expr, condition: e.Expression | None) -> e.Expression:
        """REGR_SLOPE(y, x), REGR_INTERCEPT(y, x), REGR_R2(y, x), REGR_COUNT, REGR_AVGX and REGR_AVGY."""
        self.reader.account.claim(node, "COMMA", 1)
        y, x = (only(self.rows.read(node.args[name]), condition) for name in ("this", "expression"))
        with self.reader.account.about(node):
            return self.draft.regression(REGRESSIONS[type(node)], y, x)

    def _read_shape(self, node: exp.Expr, value: e.Expression) -> e.Expression:
        """SKEWNESS(x) and KURTOSIS(x)."""
        if isinstance(self.draft, Inside):
            reason = "this is not computed for the rows of one unit"
            self.reader.account.refuse(node, reason, "use COUNT, SUM, AVG, MIN or MAX there")
        with self.reader.account.about(node):
            return SHAPES[type(node)](self.draft, value)

    def _read_geometric_mean(self, node: exp.Anonymous) -> e.Expression:
        """GEOMEAN(x): EXP(AVG(LN(x)))."""
        self._refuse_over_rows(node)
        parts = self.reader.account.take(node)["expressions"]
        self.reader.account.places.add(node.meta.get("start", -1))
        if len(parts) != 1:
            self.reader.account.refuse(node, "GEOMEAN takes one value", "write GEOMEAN(x)")
        mean = exp.Avg(this=exp.Ln(this=parts[0].copy()))
        return self.forms.call(Function.EXP, [self._read_aggregate(mean)])

    def _is_unit_of_every_row(self, node: exp.Expr) -> bool:
        """Whether a name is that of the unit, which no row lacks: COUNT(patient) is COUNT(*).

        The other side of an outer join, which may lack it, has no unit of its own by that name.
        """
        unit = self.draft.table.unit
        if not unit or isinstance(self.draft, Inside) or not is_column(node):
            return False
        with self.reader.account.about(node):
            return self.reader.column_name(node).means(unit)

    def _is_unit_of_either(self, node: exp.Expr) -> bool:
        """Whether this is the unit of whichever side of a FULL JOIN is there: COALESCE(v.patient, l.patient)."""
        if not isinstance(node, exp.Coalesce):
            return False
        parts = [node.this, *node.expressions]
        if len(parts) != 2 or not all(map(is_column, parts)):
            return False
        if any(self.reader.find_flag(part) is None for part in parts):
            return False
        account = self.reader.account
        account.take(node)
        account.places.add(node.meta.get("start", -1))
        account.claim(node, "COMMA")
        return True

    def _read_distinct(
        self, node: exp.Distinct, condition: e.Expression | None = None
    ) -> e.Expression:
        """COUNT(DISTINCT x); of the unit, how many units there are."""
        account, values = self.reader.account, self.reader.account.take_list(node)
        if len(values) != 1:
            remedy = "count tuples: COUNT(DISTINCT (a, b))"
            account.refuse(node, "COUNT(DISTINCT a, b) is not supported", remedy)
        return self._count_distinct(values[0], condition)

    def _count_distinct(self, value: exp.Expr, condition: e.Expression | None) -> e.Expression:
        """How many different values there are; of the unit, how many units."""
        account = self.reader.account
        unit = self.draft.table.unit
        if unit and not isinstance(self.draft, Inside) and self._is_unit_of_either(value):
            return self.draft.units(condition)
        if (flag := self.reader.find_flag(value)) is not None:
            there = e.Not(e.IsNull(self.draft.row_name(flag)))
            return self.draft.units(there if condition is None else e.Both(there, condition))
        if unit and not isinstance(self.draft, Inside) and isinstance(value, exp.Column):
            with account.about(value):
                if self.reader.column_name(value).means(unit):
                    return self.draft.units(condition)
        if unit and not isinstance(self.draft, Inside) and self._is_unit_in_case(value, unit):
            met = self._read_case_of_unit(value)
            return self.draft.units(met if condition is None else e.Both(met, condition))
        if isinstance(value, exp.Tuple):
            parts = account.take(value, "Row")["expressions"]
            account.claim(value, "COMMA", len(parts) - 1)
            with account.about(value):
                whole = tuple_of([self.rows.read(part) for part in parts])
                return self.draft.distinct(only(whole, condition))
        operand = only(self.rows.read(value), condition)
        with account.about(value):
            return self.draft.distinct(operand)

    def _is_unit_in_case(self, value: exp.Expr, unit: str) -> bool:
        """Whether this is the unit where a condition is true, and NULL elsewhere."""
        if not isinstance(value, exp.Case) or value.args.get("this"):
            return False
        branches, otherwise = value.args.get("ifs") or [], value.args.get("default")
        if len(branches) != 1 or not (otherwise is None or isinstance(otherwise, exp.Null)):
            return False
        then = branches[0].args.get("true")
        if not is_column(then):
            return False
        with self.reader.account.about(then):
            return self.reader.column_name(then).means(unit)

    def _read_case_of_unit(self, node: exp.Expr) -> e.Expression:
        """The condition of COUNT(DISTINCT CASE WHEN condition THEN unit END), as FILTER (WHERE condition) has it."""
        account, parts = self.reader.account, self.reader.account.take(node)
        (branch,), otherwise = parts["ifs"], parts.get("default")
        account.claim(node, "ELSE", 1 if otherwise else 0)
        if otherwise:
            account.take(otherwise)
        return self.rows.read(account.take(branch)["this"])


_GEOMETRIC_MEANS = {"GEOMEAN", "GEOMETRIC_MEAN"}


def _as_number(truth: e.Expression) -> e.Expression:
    """1 where a condition is true, 0 where it is false, NULL where it is neither."""
    zero, one = e.Literal(0, Kind.INTEGER), e.Literal(1, Kind.INTEGER)
    return Forms().case([(truth, one), (e.Not(truth), zero)], NULL)

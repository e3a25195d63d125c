"""The SQL door: a SELECT is read into a plan, and what is not understood is refused, never dropped.

Text is read as DuckDB's SQL by sqlglot.  Every node of its tree, every argument of every node and every word of the
text must be read by something here; `grammar.NODES` says what a node may hold and which words it accounts for.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import ErrorLevel, ParseError, SqlglotError, TokenError

from tacit.errors import InvalidPlan, Unbounded
from tacit.plan.model.expressions import (
    Both,
    Either,
    Expression,
    Field,
    IsNull,
    Literal,
    Not,
    chain_conditions,
    negate,
)
from tacit.plan.model.nodes import Ordering, Plan
from tacit.plan.model.ownership import Owner
from tacit.plan.model.schema import Kind, Table
from tacit.plan.questions.draft import DEEPEST, KEPT, SELECTED, SORTED, Draft, Name, Named, find
from tacit.plan.questions.expression_forms import NULL, Forms, literal, meeting, number, only
from tacit.plan.questions.group_windows import without_windows
from tacit.plan.questions.inner_draft import Inside
from tacit.plan.questions.scope import Origin, Scope
from tacit.plan.rewrite.prune import drop_unused_measures
from tacit.plan.semantics.infer import condition_type, type_of
from tacit.plan.sql.coverage import Account
from tacit.plan.sql.distinct import aggregates, all_keys, check_told_once, is_all, is_distinct
from tacit.plan.sql.from_clause import common, query, read_from
from tacit.plan.sql.functions import CALLED, Calls
from tacit.plan.sql.grammar import AGGREGATES, ARITHMETIC, COMPARISONS, KINDS
from tacit.plan.sql.group_windows import is_grouped, read_group_window
from tacit.plan.sql.moments import MOMENTS, moment
from tacit.plan.sql.options import Header, header_of
from tacit.plan.sql.outer_select import Told, find_inner_select, read_outer_select
from tacit.plan.sql.precheck import (
    MOST_BYTES,
    Token,
    check_tokens,
    decimal_parts,
    interval_parts,
    items,
    outermost,
)
from tacit.plan.sql.quantiles import RANKS, quantile, several
from tacit.plan.sql.row_windows import FOLDS, named_windows, window
from tacit.plan.sql.semi_joins import filter_rows, is_among

__all__ = ["read_priced", "read_sql"]

_DIALECT = DuckDB()
_TYPES = frozenset(kind.name for kind in DuckDB.parser_class.TYPE_TOKENS)


def read_sql(text: str, tables: Mapping[str, Table], *, finding: bool = False) -> Plan:
    """The plan that a SELECT asks for; an `InvalidPlan` says what is not understood, and how to ask instead.

    `finding` says whether keys whose values are not public may be found in the data.  A plan knows no price: what the
    header of a SELECT says of it is given by `read_priced`, and refused here.

    >>> from tacit.plan import Column
    >>> visits = Table("visits", (Column("age", Kind.INTEGER, low=0, high=120),))
    >>> read_sql("SELECT COUNT(*) AS n FROM visits WHERE age >= 65", {"visits": visits}).question.measures
    (Counted(value=None),)
    """
    plan, header = read_priced(text, tables, finding=finding)
    for name in header.options:
        header.refuse(name, "a plan has no price", "ask a vault: vault.sql(text)")
    return plan


def read_priced(
    text: str, tables: Mapping[str, Table], *, finding: bool = False
) -> tuple[Plan, Header]:
    """The plan that a SELECT asks for, and what its header says: SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(…) …

    >>> visits = {"visits": Table("visits", ())}
    >>> text = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.5) COUNT(*) AS n FROM visits"
    >>> read_priced(text, visits)[1].number("epsilon")
    Fraction(1, 2)
    """
    if len(text.encode("utf-8", "surrogatepass")) > MOST_BYTES:
        raise InvalidPlan(f"the text is longer than {MOST_BYTES:,} bytes", "ask a shorter question")
    raw, tokens = _tokenise(text)
    header, places = header_of(text, tokens)
    raw, tokens = (
        [token for i, token in enumerate(each) if i not in places] for each in (raw, tokens)
    )
    check_tokens(text, tokens, _TYPES)
    account = Account(text, tokens, places=interval_parts(tokens) | decimal_parts(tokens))
    try:
        plan = _Reader(account, tables, finding=finding).plan(_parse(text, raw, tokens))
    except Unbounded as refusal:
        if any(
            column.name == refusal.column for table in tables.values() for column in table.columns
        ):
            raise
        reason = f"the range of {refusal.column!r} is not known, and one row could change the answer by any amount"
        remedy = "hold it between numbers: CASE WHEN x > 100 THEN 100 WHEN x < 0 THEN 0 ELSE x END"
        raise InvalidPlan(
            reason, remedy, text=refusal.text, start=refusal.start, end=refusal.end
        ) from None
    account.close(_TYPES)
    return plan, header


def _tokenise(text: str) -> tuple[Sequence[Any], list[Token]]:
    try:
        raw = _DIALECT.tokenize(text)
    except TokenError as failure:
        start = failure.start or 0
        reason = "a quotation mark or a comment is not closed"
        raise InvalidPlan(reason, "close it", text=text, start=start, end=len(text)) from None
    hint = next(
        (comment for token in raw for comment in token.comments if comment.startswith("+")), None
    )
    if hint is not None:
        start = max(0, text.find(hint))
        raise InvalidPlan(
            "hints are not read", "leave it out", text=text, start=start, end=start + len(hint)
        )
    return raw, [
        Token(token.token_type.name, token.text, token.start, token.end + 1) for token in raw
    ]


def _parse(text: str, raw: Sequence[Any], tokens: Sequence[Token]) -> exp.Select:
    """The tree of a text, whose errors say where they are and nothing of the parser."""
    try:
        trees = _DIALECT.parser(error_level=ErrorLevel.IMMEDIATE).parse(list(raw), text)
        # one that holds a comment
        (tree,) = (tree for tree in trees if tree and type(tree) is not exp.Semicolon)
    except ParseError as failure:
        told: dict[str, Any] = failure.errors[0] if failure.errors else {}
        at = next(
            (
                i
                for i, token in enumerate(raw)
                if (token.line, token.col) == (told.get("line"), told.get("col"))
            ),
            -1,
        )
        expected, _, missing = str(told.get("description")).partition("Expecting ")
        reason = (
            "this is not SQL that can be read"
            if expected
            else f"{missing!r} is missing before this"
        )
        start, end = tokens[at].start, tokens[at].end
        raise InvalidPlan(
            reason, "mend or leave out what is underlined", text=text, start=start, end=end
        ) from None
    except RecursionError:
        raise InvalidPlan(
            "the text is nested too deeply", "ask a simpler question", text=text, end=len(text)
        ) from None
    except (SqlglotError, ValueError, TypeError, AttributeError, LookupError):
        # The parser is not ours: what it trips over is a text that is not understood.
        raise InvalidPlan(
            "this is not SQL that can be read", "ask a simpler question", text=text, end=len(text)
        ) from None
    if isinstance(tree, exp.SetOperation):
        reason = "two questions are not answered as one: each has noise and a price of its own"
        remedy = "ask them one by one, or stack their rows inside: FROM (SELECT ... UNION ALL SELECT ...)"
        raise InvalidPlan(reason, remedy, text=text, end=len(text))
    if not isinstance(tree, exp.Select):
        raise InvalidPlan(
            "only a SELECT is answered", "begin with SELECT", text=text, end=len(text)
        )
    return tree


_Level = Sequence[Named]
"""What names mean where an expression stands: nothing but columns of the row, or what will be released."""
_ROWS: _Level = ()


@dataclass(slots=True)
class _Reader:
    """Reads one tree, and keeps account of what of the text it has read."""

    account: Account
    tables: Mapping[str, Table]
    depth: int = 0
    origins: Mapping[str, Origin] = field(default_factory=dict)
    scope: Scope | None = None
    key_kinds: set[str] = field(default_factory=set)
    calculated: dict[int, Expression | None] = field(default_factory=dict)
    finding: bool = False
    withs: Mapping[str, exp.Expr] = field(default_factory=dict)

    # ------------------------------------------------------------ the statement

    def plan(self, select: exp.Select) -> Plan:
        """The plan of a whole statement."""
        told, clause = self.read_select(select, whole=True), select.args.get("having")
        with self.account.about(clause.this if clause else select):
            return drop_unused_measures(
                told.draft.plan(told.having, told.order, told.limit, told.offset, told.qualify)
            )

    def read_select(self, select: exp.Select, *, whole: bool) -> Told:
        """A statement, not closed yet; one that is not the whole one stands inside another, and is released first."""
        parts = self.account.take(select)
        inner = find_inner_select(select, self.withs)
        if inner is not None:
            return read_outer_select(self, select, parts, inner, self.texts(select, whole=whole))
        self.origins = common(self, parts.get("with_"))
        draft = self.source(select, parts)
        columns = self.account.take_list(select)
        filter_rows(self, parts.get("where"), draft)
        draft.named, draft.grouped = named_windows(self, select, parts), is_grouped(parts, columns)
        once, group = is_distinct(self, parts), parts.get("group")
        if (group and is_all(self, group)) or (
            once and not group and not any(map(aggregates, columns))
        ):
            for column in all_keys(columns):
                with self.account.about(column):
                    self.listed_key(column, draft)
        elif group:
            for key in self.account.take_list(group):
                with self.account.about(key):
                    self.key(key, columns, draft)
        for column, text in zip(columns, self.texts(select, whole=whole), strict=True):
            self.column(column, text, draft)
        if once:
            with self.account.about(select):
                check_told_once(draft)
        clause = parts.get("having")
        having = self.read(self.account.take(clause)["this"], draft, KEPT) if clause else None
        order = self.order(parts.get("order"), draft)
        limit, offset = self.whole(parts.get("limit")), self.whole(parts.get("offset"))
        qualify = self.qualify(parts.get("qualify"), draft)
        with self.account.about(clause.this if clause else select):
            without_windows(having)
        return Told(draft, having, qualify, order, limit, offset or 0)

    def texts(self, select: exp.Expr, *, whole: bool) -> list[str]:
        """What the columns of a SELECT are called that have no name: as they are written."""
        columns = self.account.take_list(select)
        spans = (
            items(outermost(self.account.tokens))
            if whole
            else [self.account.span(column) for column in columns]
        )
        if len(spans) != len(columns):
            self.account.refuse(
                select, "the columns are not understood", "put parentheses around them"
            )
        return [" ".join(self.account.text[start:end].split()) for start, end in spans]

    def qualify(self, clause: exp.Expr | None, draft: Draft) -> Expression | None:
        """The condition on what windows over groups say."""
        if clause is None:
            return None
        condition = self.account.take(clause)["this"]
        if not draft.grouped:
            reason = "QUALIFY looks at single rows, and no row ever leaves"
            self.account.refuse(
                clause, reason, "write it in a question inside: FROM (SELECT ... QUALIFY ...)"
            )
        with self.account.about(condition):
            found = self.read(condition, draft, KEPT)
            condition_type(found, draft.question)
        return found

    def source(self, select: exp.Expr, parts: Mapping[str, Any]) -> Draft:
        """The rows that are asked about."""
        self.scope = read_from(self, select, parts)
        origin = self.scope.origin
        if origin.owner is Owner.NOBODY:
            reason, remedy = (
                "only public tables are asked about",
                "read them yourself: nothing in them is protected",
            )
            self.account.refuse(parts["from_"], reason, remedy)
        return Draft(origin.table, rows=origin.rows, finding=self.finding)

    def read_sources(self, select: exp.Expr, parts: Mapping[str, Any]) -> Scope:
        """What a SELECT is about."""
        return read_from(self, select, parts)

    def query(self, node: exp.Expr, name: str) -> Origin:
        """The rows that a question inside gives."""
        return query(self.nested_reader(), node, name)

    def nested_reader(self, origins: Mapping[str, Origin] | None = None) -> "_Reader":
        """A reader of a question inside."""
        return _Reader(
            self.account, self.tables, origins=self.origins if origins is None else origins
        )

    def key(
        self, node: exp.Expr, columns: Sequence[exp.Expr], draft: Draft, name: str | None = None
    ) -> None:
        """A key of GROUP BY: an expression, its place in the SELECT or its alias there."""
        if isinstance(node, exp.Literal) and not node.is_string and name is None:
            place = self.whole_number(node)
            if not 1 <= place <= len(columns):
                self.account.refuse(
                    node,
                    f"there is no column {place}",
                    f"count from 1 to {len(columns)}, or name the column",
                )
            return self.listed_key(columns[place - 1], draft)
        if isinstance(node, exp.Column) and not isinstance(node.this, exp.Star):
            meant = self.column_name(node)
            if find(meant, [column.name for column in draft.table.columns], "column") is not None:
                return draft.key(Field(draft.column(meant)))
            for column in columns:
                if isinstance(column, exp.Alias) and meant.means(column.alias):
                    return self.key(column.this, [], draft, column.alias)
        value = self.read(node, draft, _ROWS)
        self.key_kinds.add(type(node.unnest()).__name__)
        with self.account.about(node):
            return draft.key(value, name or None)

    def listed_key(self, column: exp.Expr, draft: Draft) -> None:
        """A column of the SELECT that is a key, by its alias if it has one."""
        self.key(column.unalias(), [], draft, column.alias if isinstance(column, exp.Alias) else "")

    def column(self, node: exp.Expr, text: str, draft: Draft) -> None:
        """One column of the answer."""
        value, name, listed = node, None, False
        if type(node) is exp.Alias:
            parts = self.account.take(node)
            value, name = parts["this"], self.alias_name(parts["alias"]).text
        with self.account.about(value):
            for end, read in several(self, value, draft) or ():
                draft.show((name or text) + end, read)
                listed = True
            if listed:
                return
            read = self.read(value, draft, SELECTED)
            if name is None:
                name = self.shown_as(value, draft) if isinstance(value, exp.Column) else text
            draft.show(name, read)

    def shown_as(self, node: exp.Expr, draft: Draft) -> str:
        """What a column is called that is shown: as the table calls it, without the table that it was joined from."""
        found = draft.column(self.column_name(node)).name
        names = self.scope.names if self.scope is not None else ()
        return next((seen.name for seen in names if seen.called == found), found)

    def order(self, clause: exp.Expr | None, draft: Draft) -> list[Ordering]:
        """What the answer is sorted by."""
        if clause is None:
            return []
        found = []
        for ordered in self.account.take_list(clause):
            parts = self.account.take(ordered)
            descending = bool(parts.get("desc"))
            self.account.claim(ordered, "DESC" if descending else "ASC?")
            node = parts["this"]
            if isinstance(node, exp.Var) and node.name.upper() == "ALL":
                self.account.claim(node, "ALL")
                found += [Ordering(column.value, descending) for column in draft.columns]
                continue
            if isinstance(node, exp.Literal):
                place = self.whole_number(node)
                if not 1 <= place <= len(draft.columns):
                    self.account.refuse(
                        node, f"there is no column {place}", f"count from 1 to {len(draft.columns)}"
                    )
                value = draft.columns[place - 1].value
            else:
                value = self.read(node, draft, SORTED)
            with self.account.about(node):
                type_of(value, draft.question)
            found.append(Ordering(value, descending))
        return found

    def whole(self, clause: exp.Expr | None) -> int | None:
        """The number of rows in LIMIT or OFFSET."""
        return (
            None if clause is None else self.whole_number(self.account.take(clause)["expression"])
        )

    def whole_number(self, node: exp.Expr) -> int:
        """A constant that counts something."""
        with self.account.about(node):
            found = self.constant(node) if type(node) is exp.Literal else NULL
            if found.kind is not Kind.INTEGER or not isinstance(found.value, int):
                raise InvalidPlan("a whole number is needed here", "write it with digits")
            return found.value

    # ------------------------------------------------------------ expressions

    def read(self, node: exp.Expr, draft: Draft, level: _Level) -> Expression:
        """An expression over rows or over the release."""
        self.depth += 1
        if self.depth > DEEPEST:
            self.account.refuse(
                node,
                f"more than {DEEPEST} calculations build on each other",
                "ask a simpler question",
            )
        with self.account.about(node):
            found = (self.key_of(node, draft) if level else None) or self.form(node, draft, level)
        self.depth -= 1
        self.account.reads(found, node)
        return found

    def key_of(self, node: exp.Expr, draft: Draft) -> Expression | None:
        """The key that an expression of the view is as a whole: what GROUP BY calculates is not calculated again."""
        if type(node).__name__ not in self.key_kinds:
            return None
        depth = self.depth
        if id(node) not in self.calculated:
            try:
                self.calculated[id(node)] = self.form(node, draft, _ROWS)
            except InvalidPlan:
                self.calculated[id(node)] = None
        self.depth = depth
        value = self.calculated[id(node)]
        return None if value is None else draft.key_of(value)

    def form(self, node: exp.Expr, draft: Draft, level: _Level) -> Expression:
        """What a node means, by its kind; one that is not listed is refused."""
        kind = type(node).__name__
        forms = draft.released_forms if level else Forms()
        if kind in ARITHMETIC or kind in COMPARISONS:
            parts = self.account.take(node)
            sides = parts["this"], parts["expression"]
            self.account.claim(node, "COMMA", 1 if "start" in node.meta else 0)  # MOD(a, b)
            if kind in {"Add", "Sub"} and any(type(side) is exp.Interval for side in sides):
                return self.shift_moment(kind, sides, draft, level, forms)
            if kind in COMPARISONS and any(type(side).__name__ in COMPARISONS for side in sides):
                self.account.refuse(
                    node,
                    "comparisons do not follow each other",
                    "write a < x AND x < b, or parentheses",
                )
            left, right = (self.read(side, draft, level) for side in sides)
            if kind in ARITHMETIC:
                return forms.arithmetic(ARITHMETIC[kind], left, right)
            return forms.compare(COMPARISONS[kind], left, right)
        match kind:
            case "Paren":
                return self.read(self.account.take(node)["this"], draft, level)
            case "Column":
                return self.read_name(node, draft, level)
            case "Literal" | "Null" | "Boolean":
                return self.constant(node)
            case "Neg":
                return negate(self.read(self.account.take(node)["this"], draft, level))
            case "And" | "Or":
                conditions = [self.read(part, draft, level) for part in self.chain(node)]
                return chain_conditions(Both if kind == "And" else Either, conditions)
            case "Not":
                return Not(self.read(self.account.take(node)["this"], draft, level))
            case "Is":
                return self.read_is(node, draft, level, forms)
            case "In" | "Between" | "Like" | "ILike":
                return self.test(node, draft, level, forms)
            case "Case":
                return self.case(node, draft, level, forms)
            case "Cast" | "TryCast":
                parts = self.account.take(node)
                operand = self.read(parts["this"], draft, level)
                if getattr(parts["to"].this, "name", "") == "DECIMAL":
                    return forms.decimal(operand, *self.digits(parts["to"]))
                return forms.cast(operand, self.kind(parts["to"]))
            case "Count" | "Sum" | "Avg" | "Min" | "Max":
                return self.aggregate(node, draft, level)
            case "Median" | "Quantile" | "PercentileCont" | "PercentileDisc" | "WithinGroup":
                return self.aggregate(node, draft, level)
            case (
                "Variance"
                | "VariancePop"
                | "Stddev"
                | "StddevSamp"
                | "StddevPop"
                | "CovarSamp"
                | "CovarPop"
                | "Corr"
            ):
                return self.aggregate(node, draft, level)
            case "Exists" if not level:
                return is_among(self, node, draft)
            case "Filter":
                return self.some(node, draft, level)
            case "CountIf":
                return self.counted_if(node, draft, level)
            case "Window":
                released = level and draft.grouped and not isinstance(draft, Inside)
                return (
                    read_group_window(self, node, draft) if released else window(self, node, draft)
                )
        if kind in CALLED:
            return self.calls(draft, level, forms).call(node)
        return self.account.unknown(node)

    def calls(self, draft: Draft, level: _Level, forms: Forms) -> Calls:
        """How calls are read at this place."""
        return Calls(self.account, forms, lambda part: self.read(part, draft, level))

    def shift_moment(
        self, kind: str, sides: tuple[exp.Expr, exp.Expr], draft: Draft, level: _Level, forms: Forms
    ) -> Expression:
        """A moment and an interval."""
        moment, interval = sides if kind == "Sub" or type(sides[1]) is exp.Interval else sides[::-1]
        if type(interval) is not exp.Interval or type(moment) is exp.Interval:
            reason = "intervals are added to a day or a moment, or taken from one"
            self.account.refuse(interval, reason, "write x + INTERVAL 1 DAY, or x - INTERVAL 1 DAY")
        return self.calls(draft, level, forms).shift_moment(
            moment, interval, -1 if kind == "Sub" else 1
        )

    def read_name(self, node: exp.Expr, draft: Draft, level: _Level) -> Expression:
        """What a name means: a column of the row, or what the release calls so."""
        name = self.column_name(node)
        return draft.released_name(name, level) if level else draft.row_name(name)

    def column_name(self, node: exp.Expr) -> Name:
        """A column's name, whose qualifier must be a table that is asked about."""
        table, name = self.split_name(node)
        assert self.scope is not None, "there are rows before there are columns"
        known = self.scope.aliases
        if table is not None and not any(table.means(alias) for alias in known):
            called = (
                f"the table is called {known[0]!r} here"
                if len(known) == 1
                else f"there is no {table.text[:64]!r} here"
            )
            remedy = " or ".join(
                f"{alias}.{node.name[:64]}" if alias else node.name[:64] for alias in known
            )
            self.account.refuse(node.args["table"], called, f"write {remedy}")
        return self.scope.resolve_name(table, name)

    def split_name(self, node: exp.Expr) -> tuple[Name | None, Name]:
        """The table and the column that a name says."""
        parts = self.account.take(node)
        if isinstance(parts["this"], exp.Star):
            self.account.unknown(parts["this"])
        self.account.claim(node, "DOT", 1 if parts.get("table") else 0)
        return self.name(parts["table"]) if parts.get("table") else None, self.name(parts["this"])

    def alias_name(self, node: exp.Expr) -> Name:
        """A name that is given here, maybe after AS."""
        self.account.aliases.add(node.meta.get("start", -1))
        return self.name(node)

    def name(self, node: exp.Expr) -> Name:
        """A name as it is written."""
        parts = self.account.take(node)
        self.account.places.add(node.meta.get("start", -1))
        return Name(parts["this"], exact=bool(parts.get("quoted")))

    def constant(self, node: exp.Expr) -> Literal:
        """A constant."""
        parts = self.account.take(node)
        if type(node) is exp.Null:
            return NULL
        if type(node) is exp.Boolean:
            self.account.claim(node, str(parts["this"]).upper())
            return literal(parts["this"])
        self.account.claim(node, "STRING" if parts["is_string"] else "NUMBER")
        # the parser writes .5 as 0.5
        self.account.claim(node, "DOT", 0 if "start" in node.meta else 1)
        return literal(parts["this"]) if parts["is_string"] else number(parts["this"])

    def chain(self, node: exp.Expr) -> Iterator[exp.Expr]:
        """The parts of a AND b AND c, which the parser nests to the left."""
        kind, rest = type(node), [node]
        while rest:
            part = rest.pop()
            if type(part) is not kind:
                yield part
                continue
            sides = self.account.take(part)
            rest += [sides["expression"], sides["this"]]

    def read_is(self, node: exp.Expr, draft: Draft, level: _Level, forms: Forms) -> Expression:
        """x IS NULL, x IS TRUE, x IS FALSE."""
        parts = self.account.take(node)
        constant = (
            self.constant(parts["expression"])
            if type(parts["expression"]) in {exp.Null, exp.Boolean}
            else None
        )
        if constant is None:
            remedy = "write x = y, or x IS NOT DISTINCT FROM y if both may be NULL"
            self.account.refuse(
                node, "IS is read only before NULL, TRUE, FALSE and DISTINCT FROM", remedy
            )
        operand = self.read(parts["this"], draft, level)
        return (
            IsNull(operand) if constant == NULL else forms.is_truth(operand, constant.value is True)
        )

    def test(self, node: exp.Expr, draft: Draft, level: _Level, forms: Forms) -> Expression:
        """x IN (...), x BETWEEN a AND b, x LIKE pattern."""
        parts = self.account.take(node)
        if parts.get("query"):
            return self.account.unknown(parts["query"]) if level else is_among(self, node, draft)
        operand = self.read(parts["this"], draft, level)
        if type(node) is exp.In:
            options = [self.read(option, draft, level) for option in self.account.take_list(node)]
            return forms.one_of(operand, options)
        if type(node) is exp.Between:
            return forms.is_between(
                operand, *(self.read(parts[end], draft, level) for end in ("low", "high"))
            )
        like = forms.like if type(node) is exp.Like else forms.like_either_case
        found = like(operand, self.read(parts["expression"], draft, level))
        self.account.claim(node, "NOT", 1 if parts.get("negate") else 0)
        return Not(found) if parts.get("negate") else found

    def case(self, node: exp.Expr, draft: Draft, level: _Level, forms: Forms) -> Expression:
        """Both forms of CASE; the one with an operand compares it in every branch."""
        parts = self.account.take(node)
        operand = self.read(parts["this"], draft, level) if parts.get("this") else None
        branches = []
        for branch in parts.get("ifs") or []:
            sides = self.account.take(branch)
            when, then = (self.read(sides[side], draft, level) for side in ("this", "true"))
            branches.append((when if operand is None else forms.compare("=", operand, when), then))
        self.account.claim(node, "ELSE", 1 if parts.get("default") else 0)
        otherwise = self.read(parts["default"], draft, level) if parts.get("default") else NULL
        return forms.case(branches, otherwise)

    def digits(self, node: exp.Expr) -> list[int]:
        """How many digits a DECIMAL has, and how many of them after the point; places are known from the words."""
        found = [int(part.this.name) for part in self.account.take(node, "Decimal")["expressions"]]
        return [*found, 0][:2]

    def kind(self, node: exp.Expr) -> Kind:
        """The kind that a type's name means."""
        name = getattr(node.this, "name", "")
        if name == "FLOAT":
            raise InvalidPlan(
                "FLOAT and REAL keep seven digits only, and numbers are doubles here",
                "write DOUBLE",
            )
        if name not in KINDS:
            kinds = "BIGINT, DOUBLE, VARCHAR, BOOLEAN, DATE and TIMESTAMP"
            raise InvalidPlan(f"the type {name or 'here'} is not read", f"the types are {kinds}")
        self.account.take(node)
        return KINDS[name]

    def some(self, node: exp.Expr, draft: Draft, level: _Level) -> Expression:
        """An aggregate of some rows: COUNT(*) FILTER (WHERE condition)."""
        self.of_groups(node, level)
        parts = self.account.take(node)
        clause = self.account.take(parts["expression"])
        if type(parts["this"]).__name__ not in AGGREGATES:
            remedy = "write it after an aggregate: SUM(x) FILTER (WHERE condition)"
            self.account.refuse(node, "FILTER chooses the rows of an aggregate", remedy)
        condition = self.read(clause["this"], draft, _ROWS)
        with self.account.about(clause["this"]):
            condition_type(condition)
        return self.aggregate(parts["this"], draft, level, condition)

    def counted_if(self, node: exp.Expr, draft: Draft, level: _Level) -> Expression:
        """COUNT_IF(condition): how many rows there are for which it is true."""
        self.of_groups(node, level)
        condition = self.read(self.account.take(node)["this"], draft, _ROWS)
        self.account.places.add(node.meta.get("start", -1))
        with self.account.about(node):
            condition_type(condition)
        return draft.count(meeting(condition))

    def of_groups(self, node: exp.Expr, level: _Level) -> None:
        """Refuse an aggregate where there are only rows."""
        if not level:
            remedy = "a condition on groups is written after HAVING, and aggregates cannot contain each other"
            self.account.refuse(node, "a single row has no COUNT, SUM or AVG", remedy)

    def aggregate(
        self, node: exp.Expr, draft: Draft, level: _Level, condition: Expression | None = None
    ) -> Expression:
        """COUNT, SUM, AVG and what is ranked, which are the only way from rows to the release; maybe of some rows."""
        self.of_groups(node, level)
        if type(node).__name__ in RANKS:
            return quantile(self, node, draft, condition)
        value = self.account.take(node).get("this")
        self.account.places.add(node.meta.get("start", -1))
        if type(node).__name__ in MOMENTS:
            return moment(self, node, draft, condition)
        if type(node) is exp.Count and type(value) is exp.Star:
            self.account.take(value)
            return draft.count(meeting(condition))
        if type(node) is exp.Count and type(value) is exp.Distinct:
            return self.distinct(value, draft, condition)
        if value is None:
            self.account.refuse(node, "nothing is counted", "write COUNT(*)")
        read = only(self.read(value, draft, _ROWS), condition)
        if isinstance(draft, Inside) and type(node) is not exp.Count:
            return draft.fold(FOLDS[type(node).__name__], read)
        match type(node).__name__:
            case "Count":
                return draft.count(read)
            case "Sum":
                return draft.sum(read)
            case _:
                return draft.mean(read)

    def distinct(
        self, node: exp.Expr, draft: Draft, condition: Expression | None = None
    ) -> Expression:
        """COUNT(DISTINCT x); of the unit, how many units there are."""
        values = self.account.take_list(node)
        if len(values) != 1:
            remedy = (
                "count one: COUNT(DISTINCT x), where x may be calculated, such as CONCAT(a, ' ', b)"
            )
            self.account.refuse(node, "several values at once are not counted", remedy)
        (value,) = values
        if draft.table.unit and not isinstance(draft, Inside) and isinstance(value, exp.Column):
            with self.account.about(value):
                if self.column_name(value).means(draft.table.unit):
                    return draft.units(condition)
        read = only(self.read(value, draft, _ROWS), condition)
        with self.account.about(value):
            return draft.distinct(read)

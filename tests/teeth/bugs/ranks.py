"""Bugs planted where values are ranked, in several rooms."""

from tests.teeth.bug import Bug

LAWS = "tests/laws/test_ranks.py"
COVERAGE = "tests/statistics/test_rank_coverage.py"
FINDING = "tests/unit/curator/test_finding.py"
SQL = "tests/unit/plan/test_quantiles.py"
RANKS = "src/tacit/mechanisms/ranks.py"
MOVED = "src/tacit/stability/moved.py"
CURATOR = "src/tacit/curator"
ENGINES = "src/tacit/engines"

BUGS = [
    Bug(
        name="ranks-steepness-of-a-half-for-all",
        file=MOVED,
        before="    steep = max(rank, 1 - rank)\n",
        after="    steep = Fraction(1, 2)\n",
        killed_by=f"{LAWS}::test_in_one_group_misrankings_move_as_far_as_claimed_and_no_further",
        note="near an end, a unit moves a rank by nearly all of its weight",
    ),
    Bug(
        name="ranks-replaced-in-several-groups-as-in-one",
        file=MOVED,
        before="        return Fraction(1)\n    return 2 * steep if norm is Norm.L1",
        after="        return Fraction(1)\n    return Fraction(1) if norm is Norm.L1",
        killed_by=f"{LAWS}::test_in_several_groups_misrankings_move_no_further_than_claimed",
        note="a unit that leaves one group for another moves the ranks of both",
    ),
    Bug(
        name="ranks-replaced-in-several-groups-without-root-two",
        file=MOVED,
        before="root_at_least(2 * (steep**2 + (1 - steep) ** 2))",
        after="Fraction(1)",
        killed_by=f"{LAWS}::test_in_several_groups_misrankings_move_no_further_than_claimed",
        note="in L2 too",
    ),
    Bug(
        name="ranks-interval-for-nothing",
        file=RANKS,
        before="    return 3 if ends and rank not in (0, 1) else 1\n",
        after="    return 1\n",
        killed_by=f"{LAWS}::test_all_draws_of_all_groups_together_tell_no_more_than_claimed",
        note="the cells at the outer ranks are drawn from the data, and paid for",
    ),
    Bug(
        name="ranks-extreme-aimed-at",
        file=RANKS,
        before="            return ceil(self.scale * upper(log(_MISSES * self.cells)))",
        after="            return ceil(self.scale * upper(log(_MISSES * self.cells))) // 1000",
        killed_by=f"{LAWS}::test_an_extreme_hardly_ever_lies_beyond_all_values",
        note="at the extreme itself every empty cell beyond it ranks nearly as well",
    ),
    Bug(
        name="ranks-range-half-as-wide",
        file=RANKS,
        before="2 * draws * sensitivity.in_norm(Norm.L1).bound / price_of(epsilon)",
        after="draws * sensitivity.in_norm(Norm.L1).bound / price_of(epsilon)",
        killed_by=f"{LAWS}::test_all_draws_of_all_groups_together_tell_no_more_than_claimed",
        note="scores move up for one cell and down for another",
    ),
    Bug(
        name="ranks-little-weight-ends-inside",
        file=RANKS,
        before="        return [self.below, *[1] * cells, self.above, ",
        after="        return [0, *[1] * cells, 0, ",
        killed_by=f"{LAWS}::test_in_an_empty_group_the_ends_are_those_of_the_range",
        note="of a few rows the interval would be any two cells",
    ),
    Bug(
        name="ranks-ends-too-close",
        file=RANKS,
        before="APART = Fraction(7, 2)",
        after="APART = Fraction(1)",
        killed_by=f"{COVERAGE}::test_quantiles_are_covered_and_not_much_wider_than_need_be",
        note="an interval that holds less often than it says",
    ),
    Bug(
        name="ranks-last-cell-missing",
        file=f"{ENGINES}/cells.py",
        before="return min(max(steps, grid.low), grid.high) - grid.low",
        after="return min(max(steps, grid.low), grid.high - 1) - grid.low",
        killed_by=f"{LAWS}::test_the_greatest_value_lies_in_the_last_cell_and_the_least_in_the_first",
        note="off by one at the upper edge",
    ),
    Bug(
        name="ranks-cells-off-by-one-in-sql",
        file=f"{ENGINES}/cells.py",
        before="clamped(steps, Kind.NUMBER, float(low), float(high))",
        after="clamped(steps, Kind.NUMBER, float(low), float(high - 1))",
        killed_by=f"{LAWS}::test_engines_give_the_same_cells",
        note="the same in the other engine",
    ),
    Bug(
        name="ranks-heavy-units-weigh-in-full",
        file=f"{ENGINES}/statement.py",
        before='held = f"coalesce(h, 0)::',
        after='held = f"coalesce(h * 0, 0)::',
        killed_by=f"{LAWS}::test_engines_give_the_same_cells",
        note="weights that are not bounded across groups, nor within one",
    ),
    Bug(
        name="finding-not-charged",
        file=f"{CURATOR}/vault.py",
        before="        entry, free = self._paid(plan, terms, name, fact)\n",
        after=(
            "        stored = fact(released(terms, _evaluated(self._engine(plan), terms), self._told(plan, name)))\n"
            "        return stored, 0.0, Price(1.0, 0.0, True), {}\n"
        ),
        killed_by=f"{FINDING}::test_bounds_are_found_charged_and_used_by_every_later_question",
        note="bounds tell about the rows",
    ),
    Bug(
        name="finding-of-another-version",
        file=f"{CURATOR}/vault.py",
        before='tag(b"fact", None, own.version, held, own.question)',
        after='tag(b"fact", None, 0, held, own.question)',
        killed_by=f"{FINDING}::test_after_a_refresh_facts_stay_until_they_are_found_anew",
        note="what was found of rows that are gone would be given for those that came",
    ),
    Bug(
        name="finding-the-oldest-counts",
        file=f"{CURATOR}/finding.py",
        before='        known.setdefault(found["of"], found)\n',
        after='        known[found["of"]] = found\n',
        killed_by=f"{FINDING}::test_the_newest_fact_counts",
        note="entries come newest first",
    ),
    Bug(
        name="finding-counts-rows-for-units",
        file=f"{CURATOR}/finding.py",
        before="    rows = Inner(Scan(shared.asked), (), (Folded(counted, Folding.COUNT),))\n",
        after="    rows = Inner(Scan(shared.asked), (), (Folded(counted, Folding.LEAST, Field(counted)),))\n",
        killed_by=f"{FINDING}::test_contributions_are_found_and_used",
        note="what is found must be how many rows a unit has",
    ),
    Bug(
        name="finding-declared-bounds-overruled",
        file=f"{CURATOR}/finding.py",
        before="    if column.low is not None and column.high is not None:\n",
        after="    if column.low is not None and column.high is None:\n",
        killed_by=f"{FINDING}::test_declared_bounds_and_contributions_count_before_any_other",
        note="the curator's word counts first",
    ),
    Bug(
        name="ranks-descending-taken-for-ascending",
        file="src/tacit/plan/quantiles.py",
        before='[1 - rank if order.get("desc") else rank]',
        after="[rank]",
        killed_by=f"{SQL}::test_every_spelling_is_the_measure_of_a_rank",
        note="the nine tenths from above are the one tenth from below",
    ),
]

"""Bugs planted where values are ranked, in several rooms."""

from tests.teeth.bug import Bug

LAWS = "tests/laws/test_ranks.py"
COVERAGE = "tests/statistics/test_rank_coverage.py"
FINDING = "tests/unit/curator/record/test_found_bounds.py"
SQL = "tests/unit/plan/sql/test_quantiles.py"
RANKS = "src/tacit/mechanisms/grouped_quantiles.py"
MOVED = "src/tacit/stability/question_sensitivity.py"
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
        before="[self.below, 1, self.above, self.guard]",
        after="[0, 1, 0, self.guard]",
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
        file=f"{ENGINES}/grid_cells.py",
        before="return min(max(steps, grid.low), grid.high) - grid.low",
        after="return min(max(steps, grid.low), grid.high - 1) - grid.low",
        killed_by=f"{LAWS}::test_the_greatest_value_lies_in_the_last_cell_and_the_least_in_the_first",
        note="off by one at the upper edge",
    ),
    Bug(
        name="ranks-cells-off-by-one-in-sql",
        file=f"{ENGINES}/sql/grid_cells.py",
        before="clamp_sql(steps, Kind.NUMBER, float(low), float(high), dialect)",
        after="clamp_sql(steps, Kind.NUMBER, float(low), float(high - 1), dialect)",
        killed_by=f"{LAWS}::test_engines_give_the_same_cells",
        note="the same in the other engine",
    ),
    Bug(
        name="ranks-heavy-units-weigh-in-full",
        file=f"{ENGINES}/sql/statement.py",
        before='f"coalesce(scaled, 0)::',
        after='f"coalesce(scaled * 0, 0)::',
        killed_by=f"{LAWS}::test_engines_give_the_same_cells",
        note="weights that are not bounded across groups, nor within one",
    ),
    Bug(
        name="finding-not-charged",
        file=f"{CURATOR}/find_bounds.py",
        before="    entry, free = pay_and_release(access, asked, keep_fact)\n",
        after=(
            "    from tacit.curator import ask\n"
            "    terms = asked.terms\n"
            "    exact = ask._evaluate(access.engine_of(asked.tables), terms)[1]\n"
            "    entry = free = keep_fact(\n"
            "        ask.release_exact(terms, exact, ask.describe(access, asked, terms))\n    )\n"
            "    return _Found(entry, 0.0, Price(1.0, 0.0, True), {})\n"
        ),
        killed_by=f"{FINDING}::test_bounds_are_found_charged_and_used_by_every_later_question",
        note="bounds tell about the rows",
    ),
    Bug(
        name="finding-of-another-version",
        file=f"{CURATOR}/find_bounds.py",
        before='tag(b"fact", access.analyst, own.version, own.contributions, about)',
        after='tag(b"fact", access.analyst, 0, own.contributions, about)',
        killed_by=f"{FINDING}::test_after_a_refresh_facts_stay_until_they_are_found_anew",
        note="what was found of rows that are gone would be given for those that came",
    ),
    Bug(
        name="finding-binds-everyone",
        file=f"{CURATOR}/record/found_bounds.py",
        before="    return FACTS if analyst is None else sha256(FACTS + analyst.encode()).digest()\n\n",
        after="    return FACTS\n\n",
        killed_by=f"{FINDING}::test_what_an_analyst_finds_binds_her_alone",
        note="what an analyst found is kept under the curator's topic, and she has it twice",
    ),
    Bug(
        name="finding-of-an-analyst-read-by-everyone",
        file=f"{CURATOR}/record/found_bounds.py",
        before="entry for entry in ledger.find_answered(FACTS) if entry.analyst in (None, analyst))",
        after="entry for entry in ledger.find_answered(FACTS))",
        killed_by=f"{FINDING}::test_facts_of_older_ledgers_bind_by_who_paid_and_the_last_of_them_counts",
        note="any analyst changes the bounds of all others for a millionth of the limit",
    ),
    Bug(
        name="finding-replaces-without-being-asked",
        file=f"{CURATOR}/record/found_bounds.py",
        before='        if found["of"] not in known or found.get("replaces", True):\n',
        after='        if found["of"] is not None:\n',
        killed_by=f"{FINDING}::test_what_the_curator_finds_binds_everyone_but_who_found_her_own",
        note="what was answered under the first fact is silently asked anew",
    ),
    Bug(
        name="finding-again-is-not-refused",
        file=f"{CURATOR}/find_bounds.py",
        before='        raise InvalidInput("fact", of, _stands(standing, access.analyst))\n',
        after="        pass\n",
        killed_by=f"{FINDING}::test_what_was_found_is_free_the_next_time_and_dearer_is_found_when_it_replaces",
        note="a price is paid for a fact that counts for nobody",
    ),
    Bug(
        name="declared-bound-beside-an-open-one-is-anybodys",
        file=f"{CURATOR}/record/found_bounds.py",
        before="    low = None if declared.low is None else column.low\n",
        after="    low = declared.low\n",
        killed_by=f"{FINDING}::test_declared_bounds_are_nobodys_to_change",
        note="a column whose lower bound is declared is held at another",
    ),
    Bug(
        name="finding-counts-rows-for-units",
        file=f"{CURATOR}/record/found_bounds.py",
        before="    rows = Inner(Scan(shared.asked_table), (), (Folded(counted, Folding.COUNT),))\n",
        after=(
            "    rows = Inner(Scan(shared.asked_table), (), (Folded(counted, Folding.LEAST, Field(counted)),))\n"
        ),
        killed_by=f"{FINDING}::test_contributions_are_found_and_used",
        note="what is found must be how many rows a unit has",
    ),
    Bug(
        name="finding-declared-bounds-overruled",
        file=f"{CURATOR}/record/found_bounds.py",
        before="    if column.low is not None and column.high is not None:\n",
        after="    if column.low is not None and column.high is None:\n",
        killed_by=f"{FINDING}::test_declared_bounds_and_contributions_count_before_any_other",
        note="the curator's word counts first",
    ),
    Bug(
        name="ranks-descending-taken-for-ascending",
        file="src/tacit/plan/sql/quantiles.py",
        before="[1 - rank if descending else rank]",
        after="[rank]",
        killed_by=f"{SQL}::test_every_spelling_is_the_measure_of_a_rank",
        note="the nine tenths from above are the one tenth from below",
    ),
]

"""Bugs of small universes, of sums of noise, and of what tables are called."""

from tests.teeth.bug import Bug

NET = "src/tacit/mechanisms/net_mechanism.py"
WEIGHTS = "src/tacit/mechanisms/mwem.py"
SUMS = "src/tacit/synth/noise_sums.py"
LAWS = "tests/laws/test_net.py"
PRIVATE_NET = f"{LAWS}::test_the_net_mechanism_is_as_private_as_it_says"
PRIVATE_WEIGHTS = f"{LAWS}::test_multiplicative_weights_are_as_private_as_they_say"
SUMS_LAW = "tests/unit/synth/test_noise_sums.py"

LINKED = "src/tacit/curator/tables/linked_synthetic_tables.py"
LINKED_LAW = "tests/unit/curator/tables/test_linked_synthetic_tables.py"
DESK = "src/tacit/curator/tables/release_tables.py"
ASKED = "src/tacit/curator/tables/ask_synthetic.py"
ASKED_LAW = "tests/unit/curator/tables/test_ask_synthetic.py"

BUGS = [
    Bug(
        name="linked-tables-cost-more-than-their-price",
        file="src/tacit/curator/tables/linked_synthetic_tables.py",
        before="[Charge(charge.amount - each * (len(parts) - 1)), ",
        after="[charge, ",
        killed_by=f"{LINKED_LAW}::test_linked_tables_cost_their_price",
        note="one price buys all tables",
    ),
    Bug(
        name="linked-tables-pay-half-and-refuse",
        file=DESK,
        before="if len(new) > 1:",
        after="if len(new) > 2:",
        killed_by=f"{LINKED_LAW}::test_both_parts_are_paid_for_or_neither",
        note="the first half would be paid, and the second refused",
    ),
    Bug(
        name="linked-tables-pay-half-of-an-analyst",
        file="src/tacit/curator/budget.py",
        before="limits = [(None, access.policy.limit), *([] if own is None else [(access.analyst, own)])]",
        after="limits = [(None, access.policy.limit)]",
        killed_by=f"{LINKED_LAW}::test_both_parts_fit_into_the_limit_of_an_analyst_or_neither_is_paid_for",
        note="an analyst's own limit would refuse the second half only",
    ),
    Bug(
        name="linked-tables-rehearse-the-first-alone",
        file=DESK,
        before="        for each in new:\n",
        after="        for each in new[:1]:\n",
        killed_by=f"{LINKED_LAW}::test_the_second_part_is_rehearsed_before_the_first_is_paid_for",
        note="what fails in the second table would fail after both were paid for",
    ),
    Bug(
        name="linked-tables-owe-what-was-paid",
        file=DESK,
        before="if not any(entry.key == each.key and price.fits(entry.charge) for entry in entries)",
        after="if entries is not None",
        killed_by=f"{LINKED_LAW}::test_a_half_that_was_paid_for_alone_is_not_paid_for_again",
        note="a half that is paid for and not answered could never be answered",
    ),
    Bug(
        name="linked-tables-with-a-half-of-nothing",
        file=DESK,
        before="        if amount <= 0:\n",
        after="        if amount < 0:\n",
        killed_by=f"{LINKED_LAW}::test_a_price_without_halves_is_refused_before_it_is_paid_for",
        note="half of the smallest unit is nothing, which buys nothing",
    ),
    Bug(
        name="synthetic-tables-hide-combined-questions",
        file=ASKED,
        before="for name in each} & set(made):",
        after="for name in each} & set(made) and isinstance(plan, Plan):",
        killed_by=f"{ASKED_LAW}::test_combined_questions_about_real_tables_are_asked_as_before",
        note="a vault answers about its own tables as before",
    ),
    Bug(
        name="synthetic-tables-sought-in-the-first-part",
        file=ASKED,
        before="if not {name for each in named for name in each} & set(made):",
        after="if not set(named[0]) & set(made):",
        killed_by=f"{ASKED_LAW}::test_answers_about_real_and_synthetic_rows_are_not_combined",
        note="all parts decide whether a statement mixes tables",
    ),
    Bug(
        name="linked-tables-of-an-older-version",
        file="src/tacit/curator/tables/release_tables.py",
        before="return sum(self.access.ledger.version(table.name) for table in asked.tables)",
        after="return self.access.ledger.version(asked.shared.table.name)",
        killed_by=f"{LINKED_LAW}::test_a_table_that_was_refreshed_is_learnt_again",
        note="what was learnt of two tables is old when either has changed",
    ),
    Bug(
        name="linked-rows-without-the-weights-of-units",
        file="src/tacit/engines/sql/codes.py",
        before='''share = f"({dialect.quotient(whole_share, 'count(*)', wide=True)})::BIGINT AS weight"''',
        after='share = f"({1 << weights.bits}::HUGEINT)::BIGINT AS weight"',
        killed_by=f"{LINKED_LAW}::test_a_unit_with_many_rows_weighs_no_more_than_its_bound_in_either_engine",
        note="a unit with many rows in the second table would count with all of them",
    ),
    Bug(
        name="synthetic-rows-asked-with-noise",
        file="src/tacit/curator/tables/ask_synthetic.py",
        before="return [Noisy(int(number), Gaussian(_LEAST), worth) for number in exact[:, 0].tolist()]",
        after="return [Noisy(int(number) + 1, Gaussian(_LEAST), worth) for number in exact[:, 0].tolist()]",
        killed_by="tests/unit/curator/tables/test_ask_synthetic.py::test_questions_about_synthetic_rows_are_exact_and_free",
        note="synthetic rows are nobody's: answers about them are exact",
    ),
    Bug(
        name="net-scores-move-by-one",
        file=NET,
        before="return cls(net, Exponential.calibrate(epsilon, net.rows))",
        after="return cls(net, Exponential.calibrate(epsilon, 1))",
        killed_by=PRIVATE_NET,
        note="a row moves a score by 1 / n, which is as many steps as a small database has rows",
    ),
    Bug(
        name="net-scores-taken-for-monotone",
        file=NET,
        before="Exponential.calibrate(epsilon, net.rows)",
        after="Exponential.calibrate(epsilon, net.rows, monotone=True)",
        killed_by=PRIVATE_NET,
        note="one score rises and another one falls",
    ),
    Bug(
        name="net-of-databases-that-are-not-near",
        file=NET,
        before="return np.asarray(2 * far * alpha.denominator <= alpha.numerator * rows * n)",
        after="return np.asarray(far * alpha.denominator <= alpha.numerator * rows * n)",
        killed_by=f"{LAWS}::test_a_net_is_near_every_database",
        note="a net at distance alpha gives an error of three halves of it",
    ),
    Bug(
        name="weights-choose-for-nothing",
        file=WEIGHTS,
        before="choice = Exponential.calibrate(part, _STEPS)",
        after="choice = Exponential.calibrate(100 * part, _STEPS)",
        killed_by=PRIVATE_WEIGHTS,
        note="which question a model is worst on is told by the data: choosing it has a price",
    ),
    Bug(
        name="weights-score-moves-by-a-step",
        file=WEIGHTS,
        before="choice = Exponential.calibrate(part, _STEPS)",
        after="choice = Exponential.calibrate(part, 1)",
        killed_by=PRIVATE_WEIGHTS,
        note="scores are in steps of a part of a row",
    ),
    Bug(
        name="weights-every-round-gets-the-whole-price",
        file=WEIGHTS,
        before='part = Fraction(price_of(epsilon)) / (2 * count_of(rounds, "rounds", least=1))',
        after='part = Fraction(price_of(epsilon)) / (2 * min(1, count_of(rounds, "rounds", least=1)))',
        killed_by=PRIVATE_WEIGHTS,
        note="rounds add up",
    ),
    Bug(
        name="sums-of-laplace-noise-taken-for-normal",
        file=SUMS,
        before="        found[some] = reach * deviations[some]",
        after="        found[some] = gaussian_reach(deviations[some], confidence)",
        killed_by=f"{SUMS_LAW}::test_laws_that_are_known_are_met_from_above",
        note="a sum of few Laplace noises has longer tails than a normal variable",
    ),
    Bug(
        name="sums-of-laplace-noise-rounded-down",
        file=SUMS,
        before="power = np.ceil(np.log(",
        after="power = np.floor(-0.05 / log(_RATIO) + np.log(",
        killed_by=f"{SUMS_LAW}::test_laws_that_are_known_are_met_from_above",
        note="widths are rounded up, or the interval is too short",
    ),
    Bug(
        name="gaussian-noise-without-its-lattice",
        file=SUMS,
        before="return np.asarray(exact + lattice)",
        after="return np.asarray(exact)",
        killed_by=f"{SUMS_LAW}::test_discrete_gaussian_noise_of_any_width_stays_inside",
        note="whole numbers fill no interval: its ends need half a step more",
    ),
    Bug(
        name="tables-fingerprint-by-the-names-of-classes",
        file="src/tacit/curator/tables/release_tables.py",
        before="[self.kind, serial(self.coding), *self.more]",
        after="[self.kind, repr(self.coding), *self.more]",
        killed_by="tests/unit/curator/tables/test_release_tables.py::test_fingerprints_are_pinned",
        note="a class that is renamed would make every ledger forget what was paid for",
    ),
    Bug(
        name="tables-fingerprint-without-null",
        file="src/tacit/plan/model/serialize.py",
        before='return ["axis", _plain(axis.value), listed, grid, *(["null"] if axis.null else [])]',
        after='return ["axis", _plain(axis.value), listed, grid]',
        killed_by="tests/unit/curator/tables/test_release_tables.py::test_fingerprints_are_pinned",
        note="whether NULL has a place decides which rows count",
    ),
]

"""Bugs about keys that are not public."""

from tests.teeth.bug import Bug

LAWS = "tests/laws/test_keys.py"
ENUMERATED = f"{LAWS}::test_the_threshold_is_the_smallest_that_hides_every_number_of_own_keys"
DRAWN = f"{LAWS}::test_a_key_of_one_person_is_released_as_rarely_as_delta_says"
ROOTS = f"{LAWS}::test_a_unit_keeps_so_many_keys_and_each_weighs_the_root_of_their_number_whatever_its_rows"

BUGS = [
    Bug(
        name="keys-threshold-off-by-one",
        file="src/tacit/mechanisms/key_threshold.py",
        before="    return first(holds, near)",
        after="    return first(holds, near) - 1",
        killed_by=ENUMERATED,
        note="one step too low is too low",
    ),
    Bug(
        name="keys-delta-of-one-key",
        file="src/tacit/mechanisms/key_threshold.py",
        before="    return -((-tail).log1p() * keys).expm1()",
        after="    return tail",
        killed_by=ENUMERATED,
        note="a unit with K keys of its own shows one of them K times as often as a delta for each key says",
    ),
    Bug(
        name="keys-continuous-threshold",
        file="src/tacit/mechanisms/key_threshold.py",
        before="    tail = law.tail(start - weight)",
        after="    tail = (Ball(start - weight) / (2 * Ball(float(law.parameter))).sqrt()).erfc() / 2",
        killed_by=ENUMERATED,
        note="continuous noise reaches an integer or more less often than discrete noise does, by half of that integer",
    ),
    Bug(
        name="keys-own-keys-all-weigh-the-least",
        file="src/tacit/mechanisms/key_threshold.py",
        before="upper(passing(law, start, most, weigh(least)))",
        after="upper(passing(law, start, most, weigh(most)))",
        killed_by=ENUMERATED,
        note="a single key weighs more than each of many, and may need the higher threshold",
    ),
    Bug(
        name="keys-one-more-kept",
        file="src/tacit/engines/duckdb/key_weights.py",
        before=">= keeping.most] = 0",
        after="> keeping.most] = 0",
        killed_by=ROOTS,
        note="K + 1 keys that each weigh 1 / sqrt K are more than one unit",
    ),
    Bug(
        name="keys-weighed-by-rows",
        file="src/tacit/engines/duckdb/key_weights.py",
        before="np.bincount(places, weights, minlength=self.keys)",
        after="np.bincount(places, weights * self.counts, minlength=self.keys)",
        killed_by=ROOTS,
        note="who comes ten times would count for ten persons, and show a key that is hers alone",
    ),
    Bug(
        name="keys-hash-without-its-secret",
        file="src/tacit/engines/unknown_keys_per_unit.py",
        before="sha256(secret.hex().encode() + b",
        after="sha256(b",
        killed_by=f"{LAWS}::test_which_keys_are_kept_is_another_secrets_other_choice",
        note="the same keys would lose every time, and anybody could say which",
    ),
    Bug(
        name="keys-first-ones-seen-kept",
        file="src/tacit/engines/memory/engine.py",
        before="kept = sorted(keys, key=order.__getitem__)[: keeping.most]",
        after="kept = sorted(keys, key=lambda key: (-len([1 for each in owned.values() if key in each]), key))"
        "[: keeping.most]",
        killed_by=f"{LAWS}::test_units_choose_alike_whatever_other_units_have",
        note="where units keep what many others have, one unit changes what others keep",
    ),
    Bug(
        name="keys-light-units-of-all-keys",
        file="src/tacit/engines/duckdb/key_weights.py",
        before="        if not alive.all():\n",
        after="        if False:\n",
        killed_by=f"{LAWS}::test_rows_in_groups_that_are_not_found_make_others_weigh_no_less",
        note="rows in groups that are hidden would make those in others weigh less",
    ),
    Bug(
        name="keys-pass-one-step-below",
        file="src/tacit/curator/pricing/unknown_key_threshold.py",
        before="np.flatnonzero(noisy >= self.start)",
        after="np.flatnonzero(noisy >= self.start - max(1, self.start // 64))",
        killed_by=DRAWN,
        note="the threshold is the first weight that passes, not the last that does not",
    ),
    Bug(
        name="keys-replaced-like-added",
        file="src/tacit/stability/unknown_key_weights.py",
        before="root_at_least(2 * bound**2)",
        after="bound",
        killed_by=f"{LAWS}::test_what_units_keep_moves_no_further_than_is_claimed",
        note="of two units that change places, one takes its weights away and the other brings its own",
    ),
    Bug(
        name="keys-secret-always-the-same",
        file="src/tacit/curator/pricing/unknown_key_threshold.py",
        before="words(4).tobytes()",
        after="bytes(32)",
        killed_by=f"{LAWS}::test_keys_are_gathered_after_the_charge_and_by_another_secret_each_time",
        note="the same keys of a unit would be left out of every answer",
    ),
    Bug(
        name="keys-in-the-order-of-rows",
        file="src/tacit/curator/pricing/unknown_key_threshold.py",
        before="pairs = sorted(named, key=lambda pair: [_sort_key(value) for value in pair[0]])",
        after="pairs = list(named)",
        killed_by=f"{LAWS}::test_released_groups_are_sorted_by_value_however_rows_and_hashes_lie",
        note="the order of groups would tell of a hash that is secret, or of rows",
    ),
    Bug(
        name="keys-for-nothing",
        file="src/tacit/curator/pricing/noise_of_measures.py",
        before="part = (amount if finder is None else amount * (1 - SHARE)) / len(moved)",
        after="part = amount / len(moved)",
        killed_by=f"{LAWS}::test_what_the_noise_costs_is_no_more_than_what_is_paid",
        note="the noise of keys and of values together must be worth the price, not each",
    ),
    Bug(
        name="keys-delta-not-charged",
        file="src/tacit/curator/pricing/noise_of_measures.py",
        before="self.finder.delta if self.finder else 0",
        after="0",
        killed_by=f"{LAWS}::test_the_price_has_a_part_of_delta_and_the_whole_limit_can_be_spent_so",
        note="any number of thresholds would share one delta",
    ),
    Bug(
        name="keys-replayed-on-other-terms",
        file="src/tacit/curator/priced_question.py",
        before='kept = f"{shared.keys} keys".encode() if question.unknown else b""',
        after='kept = b""',
        killed_by=f"{LAWS}::test_the_same_question_is_free_and_one_with_other_keys_kept_is_not",
        note="an answer under another policy is another answer",
    ),
]

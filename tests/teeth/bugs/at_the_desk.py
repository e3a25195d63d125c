"""Bugs planted where a vault is asked by many: payers, answers for nothing, the server and its doors."""

from tests.teeth.bug import Bug

CURATOR = "src/tacit/curator"
UNPAID = "tests/unit/curator/test_unpaid.py"

BUGS = [
    Bug(
        name="replay-pays",
        file=f"{CURATOR}/unpaid.py",
        before='its rows would be read now."""\n        raise PaymentNeeded',
        after=(
            'its rows would be read now."""\n'
            "        return self._ledger.charge(key, loss, analyst, topic=topic, about=about)"
        ),
        killed_by=f"{UNPAID}::test_what_is_not_known_is_neither_charged_nor_looked_at",
        note="what is asked for nothing would be charged and looked at",
    ),
    Bug(
        name="payer-stays-the-same",
        file=f"{CURATOR}/vault.py",
        before="other._access = with_fields(self._access, analyst=analyst)",
        after="other._access = with_fields(self._access, analyst=self._access.analyst)",
        killed_by=f"{UNPAID}::test_each_payer_pays_for_their_own_and_sees_their_own",
        note="every analyst would pay from the curator's limit",
    ),
    Bug(
        name="payer-not-in-the-policy",
        file=f"{CURATOR}/vault.py",
        before="if analyst is not None and policy.analysts and analyst not in policy.analysts:",
        after="if False:",
        killed_by=f"{UNPAID}::test_a_payer_whom_the_policy_does_not_name_is_refused",
        note="an analyst without a limit of her own could spend everyone's",
    ),
]

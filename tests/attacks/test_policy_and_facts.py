"""What a policy declares counts, whatever was found beside it."""

import tacit
from tacit.curator.record.found_bounds import with_facts


def test_declared_keys_count_where_a_column_has_no_bounds() -> None:
    rows = [{"patient": n, "code": "flu", "cost": n} for n in range(50)]
    columns = {"code": "text", "cost": "number"}
    with tacit.protect(
        rows,
        unit="patient",
        contributions=40,
        keys=2,
        columns=columns,
        epsilon=3,
        delta=1e-6,
        name="visits",
    ) as clinic:
        told = str(
            clinic.explain("SELECT code, COUNT(*) AS n FROM visits GROUP BY code", epsilon=1)
        )
        assert "a unit adds 1/√k to the weight of" in told
        assert with_facts(clinic.policy.tables, clinic.ledger)["visits"].keys == 2
        clinic.find_bounds("visits.cost", epsilon=0.1)
        assert with_facts(clinic.policy.tables, clinic.ledger)["visits"].keys == 2

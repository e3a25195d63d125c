"""What a procedure asks, what it makes of the answers, and that it sees nothing else."""

import numpy as np
import pytest

from tacit.synth import Attribute, Distances, Forbidden, Law, Tables, learn_table
from tacit.synth.pseudo_random import uniforms
from tacit.synth.table_learning import split_share
from tests.unit.synth.released import RHO, count_cells, people, run

COLUMNS = (Attribute(40, ordered=True), Attribute(5), Attribute(2))


def law_of(rho):
    return Law(pure=False, cell=(2 * rho) ** -0.5, distance=(2 * rho) ** -0.5)


def learn(rows, rho=RHO, forbidden=()):
    return run(learn_table(COLUMNS, law_of(rho), forbidden), rows, rho)


def error_of(model, rows, columns):
    real = count_cells(rows, columns, [range(each.size) for each in COLUMNS])
    return np.abs(real / len(rows) - model.marginal(columns) / model.total).sum()


@pytest.mark.parametrize("rho", [1e-6, 1e-4, 3e-4, 1e-3, 0.05, 5.0])
def test_shares_add_up_to_the_price(rho):
    _, exchange = learn(people(), rho)
    assert sum(request.share for request, _ in exchange) == 1


def test_little_is_asked_where_noise_hides_pairs():
    _, exchange = learn(people(), 1e-6)
    assert all(isinstance(request, Tables) for request, _ in exchange)
    assert all(len(columns) == 1 for request, _ in exchange for columns in request.columns)


def test_pairs_that_depend_are_measured_and_others_are_not():
    _, exchange = learn(people(), 0.02)
    asked = [request for request, _ in exchange]
    assert isinstance(asked[1], Distances)
    assert (0, 1) in asked[-1].columns
    assert (0, 2) not in asked[-1].columns


def test_single_columns_get_more_where_pairs_tell_little():
    """Of columns that do not depend, and one of them with many values, all that is left is asked of single ones."""
    wide = (uniforms(3000, 1) ** 3 * 900).astype(int)
    others = [(uniforms(3000, 2 + place) * 4).astype(int) for place in range(4)]
    rows = np.column_stack([wide, *others])
    attributes = (Attribute(900), *[Attribute(4)] * 4)
    _, exchange = run(learn_table(attributes, law_of(0.03)), rows, 0.03)
    asked = [request for request, _ in exchange]
    assert isinstance(asked[1], Distances)
    assert all(len(columns) == 1 for columns in asked[2].columns)
    assert asked[0].share + asked[1].share + asked[2].share <= 1


def test_a_pair_of_wide_columns_is_measured_in_a_small_table():
    """Chance hides more of 300 rows in wide columns than noise does: single columns do not get all of the price."""
    wide = [(uniforms(300, place) * 60).astype(int) for place in range(8)]
    rows = np.column_stack([(wide[0] + 2 * uniforms(300, 9)).astype(int), *wide])
    columns = [Attribute(64, ordered=True)] * rows.shape[1]
    model, _ = run(learn_table(columns, law_of(0.7)), rows, 0.7)
    assert [0, 1] in model.facts["pairs"]


def test_the_model_follows_from_the_release():
    model, exchange = learn(people())
    again = learn_table(COLUMNS, law_of(RHO))
    reply, found = None, None
    for request, released in exchange:
        found = again.send(reply)
        assert (found.columns, found.groups, found.share) == (
            request.columns,
            request.groups,
            request.share,
        )
        reply = released
    with pytest.raises(StopIteration) as end:
        again.send(reply)
    assert end.value.value.write() == model.write()


def test_what_depends_is_learnt():
    rows = people()
    model, _ = learn(rows, 0.5)
    alone, _ = learn(rows, 1e-6)
    assert error_of(model, rows, (0, 1)) < 0.2
    assert error_of(alone, rows, (0, 1)) > 0.5
    assert model.total == pytest.approx(len(rows), rel=0.01)


def test_cells_that_a_rule_forbids_stay_empty():
    rows = people()
    cells = np.zeros((5, 2), bool)
    cells[4, 1] = True
    rows = rows[~((rows[:, 1] == 4) & (rows[:, 2] == 1))]
    rule = Forbidden(1, 2, cells)
    model, _ = learn(rows, forbidden=(rule,))
    drawn = model.rows(2000, (rule,))
    assert len(drawn) == 2000
    assert not ((drawn[:, 1] == 4) & (drawn[:, 2] == 1)).any()


def test_larger_tables_get_more_of_a_price_but_not_as_many_times_more():
    small, large = split_share([10, 80], law_of(1))
    assert large == pytest.approx(4 * small, rel=0.01)
    small, large = split_share([10, 40], Law(pure=True, cell=1, distance=1))
    assert large == pytest.approx(2 * small, rel=0.01)


def test_null_never_shares_a_group_with_a_value():
    attributes = (Attribute(41, ordered=True, null=True), Attribute(5), Attribute(2))
    rows = people()
    rows[:200, 0] = 40
    _, exchange = run(learn_table(attributes, law_of(0.02)), rows, 0.02)
    groups = exchange[-1][0].groups[0]
    assert groups[40] not in groups[:40]

"""How released constants are written in a caption: as the value that rows were compared with."""

from fractions import Fraction

from hypothesis import example, given
from hypothesis import strategies as st

from tacit.curator.answer.subquery_constants import _write_constant


@given(st.floats(allow_nan=False, allow_infinity=False))
@example(1234563.955419517)
@example(1e22)
def test_a_constant_is_written_with_all_its_digits(value):
    assert float(_write_constant(Fraction(value))) == value


def test_what_is_whole_has_no_point_and_what_is_missing_is_null():
    assert _write_constant(Fraction(1234567)) == "1234567"
    assert _write_constant(None) == "NULL"
    assert _write_constant("north") == "north"

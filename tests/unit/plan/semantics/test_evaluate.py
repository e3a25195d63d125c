"""Expressions as functions of a row, each part of which is computed as often as it is needed."""

from tacit.plan import Column, Field, Kind, Literal, OneOf, compile_expression

AGE = Column("age", Kind.INTEGER, 0, 100)
YOUNG = OneOf(Field(AGE), tuple(Literal(age, Kind.INTEGER) for age in (1, 2, 3)))
UNSURE = OneOf(Field(AGE), (Literal(1, Kind.INTEGER), Literal(None, Kind.INTEGER)))


class Row(dict[str, object]):
    """A row that counts how often it is looked at."""

    looks = 0

    def __getitem__(self, name):
        self.looks += 1
        return super().__getitem__(name)


def test_what_is_one_of_several_is_computed_once():
    for age, found in ((1, True), (3, True), (4, False), (None, None)):
        row = Row(age=age)
        assert compile_expression(YOUNG)(row) is found
        assert row.looks == 1


def test_null_among_the_options_leaves_it_open():
    computed = compile_expression(UNSURE)
    assert [computed({"age": age}) for age in (1, 2, None)] == [True, None, None]

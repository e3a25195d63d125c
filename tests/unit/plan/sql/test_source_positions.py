"""Words of a text that nothing was read of are refused, with a remedy that does not change what is asked."""

import pytest

from tacit.errors import InvalidPlan
from tacit.plan.sql.parse import TYPES, tokenise
from tacit.plan.sql.source_positions import Account


@pytest.mark.parametrize(
    ("text", "unread", "remedy"),
    [
        ("f(day, x)", "day", "write it in quotes if it is a text or a unit of time"),
        ("f(x, day)", "day", "write it in quotes if it is a text or a unit of time"),
        ("f(x, day, y)", "day", "write it in quotes if it is a text or a unit of time"),
        ("f(x day)", "day", "leave it out"),
        ("x day", "day", "leave it out"),
        ("x IS UNKNOWN", "UNKNOWN", "write IS NULL"),
    ],
)
def test_an_argument_is_not_to_be_left_out(text, unread, remedy):
    _, tokens = tokenise(text)
    account = Account(text, tokens)
    account.places.update(token.start for token in tokens if token.text != unread)
    with pytest.raises(InvalidPlan, match=f"'{unread}' is not supported here") as refusal:
        account.close(TYPES)
    assert refusal.value.remedy == remedy

"""Settings of a wrong kind are refused, each with what to give."""

import pytest

from tacit.errors import InvalidInput
from tacit.learn.model_settings import check_settings


def test_settings_that_make_sense_pass():
    check_settings({"epsilon": "checked where it is paid", "bins": 1, "logs": ["age"]})
    check_settings({"hidden": (), "norm": None, "intervals": True})


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("bins", "16", "whole number"),
        ("bins", True, "whole number"),
        ("steps", 0, "whole number"),
        ("norm", float("nan"), "positive number"),
        ("norm", True, "positive number"),
        ("logs", "age", "names of columns"),
        ("logs", [1], "names of columns"),
        ("hidden", 64, "list of whole numbers"),
        ("hidden", [0], "whole number"),
        ("intervals", 1, "True or False"),
    ],
)
def test_a_setting_of_a_wrong_kind_is_refused(name, value, said):
    with pytest.raises(InvalidInput, match=said):
        check_settings({name: value})

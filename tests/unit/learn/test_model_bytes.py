"""A model is read back as it was written, and written the same every time."""

import numpy as np

from tacit.learn.model_bytes import read_model, write_model


def test_a_model_is_read_back_as_it_was_written():
    model = {
        "a": np.arange(6.0).reshape(2, 3),
        "b": 4.5,
        "nothing": np.zeros((0, 0)),
        "n": [np.inf],
    }
    back = read_model(write_model(model))
    assert list(back) == list(model)
    for name, value in model.items():
        assert np.array_equal(back[name], np.asarray(value))
    assert write_model(back) == write_model(model)

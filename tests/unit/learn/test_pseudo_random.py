"""Made-up numbers are public: the same every time, and spread as they should be."""

import numpy as np

from tacit.learn.pseudo_random import made_up_normals, made_up_uniforms


def test_they_are_the_same_every_time_and_differ_by_stream():
    assert np.array_equal(made_up_uniforms(100), made_up_uniforms(100))
    assert not np.array_equal(made_up_uniforms(100), made_up_uniforms(100, 1))


def test_they_are_spread_evenly():
    found = made_up_uniforms(100_000)
    assert 0 <= found.min() < found.max() < 1
    assert np.all(np.abs(np.histogram(found, 10, (0, 1))[0] - 10_000) < 600)


def test_normals_have_mean_zero_and_deviation_one():
    found = made_up_normals((200, 500), 3)
    assert found.shape == (200, 500)
    assert abs(found.mean()) < 0.02
    assert abs(found.std() - 1) < 0.02
    assert np.abs(np.corrcoef(found)[0, 1:]).max() < 0.25

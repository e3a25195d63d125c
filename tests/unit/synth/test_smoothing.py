"""Noisy counts of one column, made smooth."""

import numpy as np
import pytest

from tacit.synth import Attribute
from tacit.synth.pseudo_random import normals
from tacit.synth.smoothing import denoise, project


def test_what_is_projected_adds_up_and_is_nowhere_negative():
    noisy = 50 * normals(30, 1)
    found = project(noisy, 200.0)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(200)


def test_no_other_counts_are_nearer():
    noisy = np.array([9.0, -2.0, 4.0, 0.5])
    best = ((project(noisy, 8.0) - noisy) ** 2).sum()
    for stream in range(50):
        other = np.abs(normals(4, 2, stream))
        assert best <= ((8 * other / other.sum() - noisy) ** 2).sum()


def test_smooth_counts_come_nearer_to_the_truth_and_spikes_stay():
    truth = 300 * np.exp(-0.5 * ((np.arange(100) - 40) / 15) ** 2)
    truth[20] += 4000
    noisy = truth + 60 * normals(100, 3)
    smooth = denoise(noisy, 60.0, truth.sum(), Attribute(100, ordered=True), 4).shares
    plain = denoise(noisy, 60.0, truth.sum(), Attribute(100), 4).shares
    off = ((smooth * truth.sum() - truth) ** 2).sum()
    assert off < 0.6 * ((plain * truth.sum() - truth) ** 2).sum()
    assert smooth[20] * truth.sum() == pytest.approx(truth[20], rel=0.1)


def test_the_estimated_error_is_right_on_average():
    truth = 300 * np.exp(-0.5 * ((np.arange(100) - 40) / 15) ** 2)
    found, off = [], []
    for stream in range(60):
        noisy = truth + 60 * normals(100, 7, stream)
        column = denoise(noisy, 60.0, truth.sum(), Attribute(100), stream)
        found.append((column.square, column.absolute))
        error = column.shares * truth.sum() - truth
        off.append(((error**2).sum(), np.abs(error).sum()))
    assert np.mean(found, axis=0) == pytest.approx(np.mean(off, axis=0), rel=0.25)


def test_null_is_not_smoothed_into_its_neighbours():
    truth = np.r_[np.full(30, 500.0), 20_000.0]
    shares = denoise(
        truth + 30 * normals(31, 5), 30.0, truth.sum(), Attribute(31, ordered=True, null=True), 6
    ).shares
    assert shares[-1] * truth.sum() == pytest.approx(20_000, rel=0.01)
    assert shares[29] * truth.sum() == pytest.approx(500, rel=0.2)

"""The floor: NumPy's float generators, fast and unsafe for privacy."""

import numpy as np
from cases import NOISES, SAMPLES
from timing import best, emit, serve


def noise() -> None:
    """Samples per CPU second of `laplace` and `standard_normal`."""
    generator = np.random.default_rng()
    for case in NOISES:
        if case.law == "Laplace":
            seconds = best(generator.laplace, 0, float(case.scale), SAMPLES)
        else:
            seconds = best(generator.standard_normal, SAMPLES)
        emit("NumPy floats", case, rate=SAMPLES / seconds)


if __name__ == "__main__":
    serve(noise=noise)

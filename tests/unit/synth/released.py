"""A stand-in for the curator: it answers requests from rows of codes, with noise that is always the
same."""

import numpy as np

from tacit.synth import Noisy, Tables
from tacit.synth.pseudo_random import normals

RHO = 0.05


def count_cells(rows, columns, groups):
    """The table of some columns' groups."""
    shape = [max(groups[place]) + 1 for place in columns]
    codes = [np.asarray(groups[place])[rows[:, place]] for place in columns]
    return np.bincount(np.ravel_multi_index(codes, shape), minlength=int(np.prod(shape))).reshape(
        shape
    )


def answer(request, rows, rho=RHO, stream=1):
    """What is released for one request."""
    tables = [count_cells(rows, columns, request.groups) for columns in request.columns]
    if isinstance(request, Tables):
        widths = [
            (2 * rho * float(request.share) * part / sum(request.parts)) ** -0.5
            for part in request.parts
        ]
        return tuple(
            Noisy(
                table + np.rint(width * normals(table.size, stream, place).reshape(table.shape)),
                width,
            )
            for place, (table, width) in enumerate(zip(tables, widths, strict=True))
        )
    width = (2 * rho * float(request.share) / len(tables)) ** -0.5
    distances = [
        np.abs(table - public).sum() for table, public in zip(tables, request.public, strict=True)
    ]
    return (Noisy(np.array(distances) + np.rint(width * normals(len(tables), stream, 99)), width),)


def run(procedure, rows, rho=RHO, stream=1):
    """The model that a procedure learns, and its requests with what was released for each."""
    exchange, reply = [], None
    try:
        while True:
            request = procedure.send(reply)
            reply = answer(request, rows, rho, stream + 10 * len(exchange))
            exchange.append((request, reply))
    except StopIteration as end:
        return end.value, exchange


def people(count=4000):
    """Rows of codes whose columns depend on each other: age, a group of it, and something else."""
    age = (np.abs(normals(count, 5)) * 12).astype(int).clip(0, 39)
    ward = (age // 10 + (normals(count, 6) > 1)).clip(0, 4)
    sex = (normals(count, 7) > 0).astype(int)
    return np.column_stack([age, ward, sex])

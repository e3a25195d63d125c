"""`tacit learn`: fit a model to a table of a vault, and print its card."""

from __future__ import annotations

import inspect
import json
import pickle
from pathlib import Path
from typing import Annotated, Any

import typer

from tacit import learn as room
from tacit.cli.arguments import Folder, number, to_write
from tacit.cli.output import AsJson, patience, say
from tacit.curator import open_vault
from tacit.errors import InvalidInput

__all__ = ["MODELS", "learn"]

MODELS = {
    "naive-bayes": "HistogramNB",
    "gaussian-bayes": "GaussianNB",
    "scorecard": "Scorecard",
    "logistic": "LogisticRegression",
    "linear": "LinearRegression",
    "nearest": "NearestClassifier",
    "network": "MLPClassifier",
    "k-means": "KMeans",
    "pca": "PCA",
}


def learn(
    vault: Folder,
    table: Annotated[str, typer.Argument(help="The table, as the policy names it.")],
    epsilon: Annotated[str, typer.Option(help="What the fit may cost.", metavar="NUMBER")],
    model: Annotated[str, typer.Option(help=f"One of: {', '.join(MODELS)}.")] = "logistic",
    target: Annotated[
        str | None, typer.Option(help="The column to predict; none for k-means and pca.")
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(help="A feature; by default all columns with values or bounds."),
    ] = None,
    log: Annotated[
        list[str] | None, typer.Option(help="A numeric column whose logarithm is used.")
    ] = None,
    size: Annotated[
        int | None, typer.Option(help="How many clusters, or components, or neurons.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what it would release and cost, without paying.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Save the fitted model to this file: as JSON if its name ends in .json, otherwise pickled."
        ),
    ] = None,
    analyst: Annotated[
        str | None, typer.Option(help="The analyst who asks, as named in the policy.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Fit a model at one price and print its card: what was learnt, what it cost, what it must not be used for.

    The same fit again is free.
    """
    if out is not None:
        to_write(out, "--out")
    estimator = _make(model, number(epsilon, "--epsilon"), tuple(log or ()), size)
    with open_vault(vault, analyst=analyst) as opened, patience("learning"):
        rows = opened.table(table)
        if explain:
            card = estimator.explain(rows, target, columns=column)
        else:
            card = estimator.fit(rows, target, columns=column).card()
    if out is not None and not explain:
        out.write_bytes(_to_file(estimator, out))
    fields: dict[str, Any] = {
        **card.to_dict(),
        "free": card.price.free,
        "receipt": None if explain else dict(estimator.receipt),
    }
    say(str(card), fields, as_json=as_json)


def _to_file(estimator: Any, out: Path) -> bytes:
    """A fitted model as the bytes of a file, by how the file's name ends."""
    if out.suffix == ".json":
        return json.dumps(estimator.to_dict(), indent=1).encode()
    return pickle.dumps(estimator)


def _make(model: str, epsilon: Any, logs: tuple[str, ...], size: int | None) -> Any:
    """The estimator of a name, with the settings that were given."""
    named = {estimator: word for word, estimator in MODELS.items()}
    model = named.get(model, model)
    if model not in MODELS:
        raise InvalidInput("--model", model, f"give one of: {', '.join(MODELS)}")
    made = getattr(room, MODELS[model])
    settings: dict[str, Any] = {"epsilon": epsilon, "logs": logs}
    if size is not None:
        sized = {"n_clusters": size, "n_components": size, "hidden": (size,), "bins": size}
        known = [name for name in sized if name in inspect.signature(made.__init__).parameters]
        if not known:
            raise InvalidInput("--size", size, f"{model} has no size; leave it out")
        settings[known[0]] = sized[known[0]]
    return made(**settings)

"""interpret's private boosting (DP-EBM), with the privacy bounds that our policy declares."""

import warnings
from time import process_time

from interpret.privacy import DPExplainableBoostingClassifier  # type: ignore[import-not-found]
from lessons import load, plan_fits, split
from our_area import area
from timing import emit, serve


def learning(part: str = "all") -> None:
    """AUROC and accuracy on tables of two classes; it knows no units, so that a row is one."""
    warnings.filterwarnings("ignore")
    for name in ("adult", "tv16", "diabetes"):
        if part not in {"all", name}:
            continue
        frame, said = load(name)
        features = [each for each in said["columns"] if each != said["target"]]
        types = ["nominal" if each in said["keys"] else "continuous" for each in features]
        bounds = {
            at: tuple(said["columns"][each])
            for at, each in enumerate(features)
            if each not in said["keys"]
        }
        for seed, prices in plan_fits(name):
            train, test = split(frame, said["unit"], seed)
            if said["unit"] is not None:  # one row a unit, as its guarantee is about rows
                train = train.groupby(said["unit"]).first().reset_index()
            for epsilon, fit in prices:
                start = process_time()
                model = DPExplainableBoostingClassifier(
                    epsilon=epsilon,
                    delta=1e-6,
                    feature_types=types,
                    privacy_bounds=bounds,
                    random_state=None,
                    n_jobs=1,
                ).fit(train[features], train[said["target"]])
                seconds = process_time() - start
                score = model.predict_proba(test[features])[:, 1]
                truth = test[said["target"]].to_numpy()
                right = float(((score > 0.5) == truth).mean())
                who = name if said["unit"] is None else f"{name}, 1 rows"
                case = f"{who}, {epsilon:g}, {seed} {fit}"
                emit("DP-EBM", case, area=area(truth, score), right=right, seconds=seconds)


if __name__ == "__main__":
    serve(learning=learning)

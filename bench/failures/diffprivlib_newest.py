"""diffprivlib with the newest scikit-learn that pip chooses for it."""

from importlib import import_module
from importlib.metadata import version

from failures.telling import Seen, refusal, tell


def imported() -> Seen:
    """Whether it can be imported at all."""
    said = refusal(lambda: import_module("diffprivlib"))
    with_what = f"with scikit-learn {version('scikit-learn')}"
    return (
        said is not None,
        f"imports {with_what}" if said is None else f"{type(said).__name__} {with_what}",
    )


if __name__ == "__main__":
    tell({"V16, import": imported})

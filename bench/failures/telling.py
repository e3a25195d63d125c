"""How a case tells what it saw: one line of JSON, whatever happens in it."""

import json
from collections.abc import Callable

Seen = tuple[bool, str]
"""Whether a published failure is still there, and what was seen, in a few words."""


def tell(cases: dict[str, Callable[[], Seen]]) -> None:
    """Run cases one after the other and print what each saw."""
    for case, look in cases.items():
        try:
            fails, seen = look()
        except Exception as error:  # noqa: BLE001 -- a case that cannot be run any more says so, and the next one runs
            line = {
                "case": case,
                "fails": None,
                "seen": f"could not be run: {type(error).__name__}",
            }
        else:
            line = {"case": case, "fails": fails, "seen": seen}
        print(json.dumps(line), flush=True)


def refusal(work: Callable[[], object]) -> BaseException | None:
    """What `work` raised, if anything; a panic of compiled code counts."""
    try:
        work()
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        return error
    return None

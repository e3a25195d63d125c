"""`tacit demo FOLDER --serve`, or `tacit serve FOLDER`, with slots that a busy machine meets, too.

An answer that misses its quarter of a second would leave after a minute.
"""

import sys
from functools import partial
from pathlib import Path

from tacit.cli.demo import serve_demo
from tacit.server import Slots, serve_vault

LENGTHS = (1.5, 6.0)

if __name__ == "__main__":
    setattr(serve_vault, "Slots", partial(Slots, lengths=LENGTHS))  # noqa: B010 -- it is not exported
    what, folder = sys.argv[1], Path(sys.argv[2])
    if what == "demo":
        serve_demo(folder, 0)
    else:
        serve_vault.serve(folder, port=0, say=partial(print, flush=True))

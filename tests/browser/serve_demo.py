"""`tacit demo FOLDER --serve` with slots that a busy machine meets, too: an answer that misses its quarter of a second
leaves after a minute.
"""

import sys
from functools import partial
from pathlib import Path

from tacit.cli.demo import serve_demo
from tacit.server import Slots, running

LENGTHS = (1.5, 6.0)

if __name__ == "__main__":
    setattr(running, "Slots", partial(Slots, lengths=LENGTHS))  # noqa: B010 -- it is not exported
    serve_demo(Path(sys.argv[1]), 0)

"""The local model: everyone randomises their own answer, and nobody has to be trusted with it.

>>> from tacit.local import KaryResponse
>>> smokers = KaryResponse(["no", "yes"], epsilon=1)
>>> reports = [smokers.encode("yes") for _ in range(100)]    # each on its owner's own device
>>> smokers.collect(reports).people
100
"""

from tacit.local.draws import Draws
from tacit.local.frequencies import Frequencies, project
from tacit.local.hadamard import HadamardResponse
from tacit.local.kary import KaryResponse
from tacit.local.local_hashing import LocalHashing
from tacit.local.means import Duchi, Hybrid, Mean, MeanProtocol, Piecewise
from tacit.local.odds import Odds
from tacit.local.protocol import FrequencyProtocol
from tacit.local.rappor import PermanentResponse, Rappor
from tacit.local.sketch import CountMeanSketch
from tacit.local.subset import SubsetSelection
from tacit.local.unary import Coin, Unary

__all__ = [
    "Coin",
    "CountMeanSketch",
    "Draws",
    "Duchi",
    "Frequencies",
    "FrequencyProtocol",
    "HadamardResponse",
    "Hybrid",
    "KaryResponse",
    "LocalHashing",
    "Mean",
    "MeanProtocol",
    "Odds",
    "PermanentResponse",
    "Piecewise",
    "Rappor",
    "SubsetSelection",
    "Unary",
    "project",
]

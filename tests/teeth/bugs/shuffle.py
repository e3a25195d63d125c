"""Bugs of the loss of shuffled reports."""

from tests.teeth.bug import Bug

SHUFFLE = "tests/laws/test_shuffle.py"

BUGS = [
    Bug(
        name="every-randomiser-shuffled-like-a-response",
        file="src/tacit/privacy/shuffle.py",
        before="        rate = 2 / (odds + 1) if loss.response else 1 / odds\n        masses",
        after="        rate = 2 / (odds + 1)\n        masses",
        killed_by=f"{SHUFFLE}::test_the_bound_is_that_of_the_exact_sum[7-False]",
        note="twice the clones, for which there is no proof",
    ),
    Bug(
        name="blocks-judged-by-their-most-clones",
        file="src/tacit/privacy/shuffle.py",
        before="for first, mass in zip(edges[:-1], sums, strict=True)",
        after="for first, mass in zip(edges[1:], sums, strict=True)",
        killed_by=f"{SHUFFLE}::test_blocks_widen_the_bound_a_little_and_never_narrow_it[False]",
        note="delta falls with the clones: the bound is below the truth",
    ),
]

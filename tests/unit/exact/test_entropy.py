"""Secure words: no two alike, none predictable from what is left behind, none repeated by a copy of the process."""

import inspect
import os
import random
import signal
import struct
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

import tacit.exact
from tacit.exact import (
    discrete_gaussian,
    discrete_laplace,
    entropy,
    exp,
    lower,
    precision,
    rekey,
    upper,
    words,
    working,
)

# Newer Pythons warn of forks in processes with threads; that is what is tested here.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


def forked(action: Callable[[], bytes], limit: float = 60) -> tuple[int, int]:
    """Starts a child that does the action and sends back its bytes: (process, pipe)."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, limit)
            os.write(writing, action())
        finally:
            os._exit(0)
    os.close(writing)
    return child, reading


def heard(child: int, pipe: int) -> bytes:
    """What the child sent; nothing if it did not come to an end."""
    with os.fdopen(pipe, "rb") as file:
        sent = file.read()
    os.waitpid(child, 0)
    return sent


def from_children(action: Callable[[], bytes], count: int) -> list[bytes]:
    """What many children send that were forked from the same state."""
    started = [forked(action) for _ in range(count)]
    return [heard(*child) for child in started]


def present_key() -> bytes:
    """The key with which this thread's next words will be made."""
    (key,) = entropy._stream.keys
    return key


def present_reserve() -> np.ndarray:
    """The words that this thread has made and not handed out."""
    (reserve,) = entropy._stream.reserves
    return reserve


def fresh() -> None:
    """A new key, from which nothing lies in reserve."""
    rekey()
    words(entropy._RESERVE)
    assert entropy._stream.reserves == []


def some_words() -> bytes:
    return words(16).tobytes()


def noise() -> bytes:
    drawn = [
        discrete_laplace(2**200),
        discrete_gaussian(2**200),
        int(discrete_laplace(2**54, 4)[3]),
    ]
    return b"".join(number.to_bytes(64, "little", signed=True) for number in drawn)


def pieces(data: bytes, size: int = 8) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


@forks
@pytest.mark.parametrize(("in_reserve", "children"), [(0, 8), (1, 64), (4095, 8)])
def test_forked_children_and_their_parent_draw_different_words(in_reserve, children):
    """All 65 * 16 words are distinct; by chance two would be alike once in 2**44 runs."""
    fresh()
    if in_reserve:
        words(entropy._RESERVE - in_reserve)
        assert len(present_reserve()) == in_reserve
    sent = [*from_children(some_words, children), some_words()]
    drawn = [word for data in sent for word in pieces(data)]
    assert len(drawn) == (children + 1) * 16
    assert len(set(drawn)) == len(drawn)


@forks
def test_forked_children_draw_different_noise():
    noise()  # every table is made, and words lie in reserve
    sent = [*from_children(noise, 16), noise()]
    drawn = [number for data in sent for number in pieces(data, 64)]
    assert len(drawn) == 17 * 3
    assert len(set(drawn)) == len(drawn)


@forks
def test_a_grandchild_draws_different_words():
    def child() -> bytes:
        return heard(*forked(some_words)) + some_words()

    drawn = pieces(heard(*forked(child)) + some_words())
    assert len(set(drawn)) == 48


@forks
def test_a_child_is_recognised_by_the_fork_hook_even_if_its_number_is_the_same(monkeypatch):
    """In another process namespace a child may have its parent's number."""
    words(1)
    number = os.getpid()
    monkeypatch.setattr(os, "getpid", lambda: number)
    drawn = pieces(heard(*forked(some_words)) + some_words())
    assert len(set(drawn)) == 32


def test_a_child_is_recognised_by_its_number_even_without_the_fork_hook(monkeypatch):
    """A process that was cloned by other means than `os.fork` runs no hook."""
    words(1)
    next_words, key = present_reserve()[:16].copy(), present_key()
    monkeypatch.setattr(os, "getpid", lambda: -1)
    drawn = words(16)
    assert not np.isin(drawn, next_words).any()
    assert present_key() != key


def test_64_threads_draw_different_words():
    barrier = threading.Barrier(64)

    def draw(_: int) -> bytes:
        barrier.wait()
        return b"".join(some_words() for _ in range(20))

    with ThreadPoolExecutor(64) as pool:
        drawn = [word for data in pool.map(draw, range(64)) for word in pieces(data)]
    assert len(drawn) == 64 * 320
    assert len(set(drawn)) == len(drawn)  # alike by chance once in 2**36 runs


def test_64_threads_draw_different_noise():
    with ThreadPoolExecutor(64) as pool:
        drawn = [
            number for data in pool.map(lambda _: noise(), range(64)) for number in pieces(data, 64)
        ]
    assert len(set(drawn)) == len(drawn) == 64 * 3


def test_threads_share_neither_key_nor_reserve():
    words(1)
    mine = present_key(), present_reserve()
    seen = []

    def look() -> None:
        words(1)
        seen.append((present_key(), present_reserve()))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    key, reserve = seen[0]
    assert key != mine[0]
    assert not np.shares_memory(reserve, mine[1])
    assert present_key() == mine[0]


def keystream(key: bytes, blocks: int) -> bytes:
    """AES-256 in counter mode from zero, put together from single blocks."""
    encryptor = Cipher(algorithms.AES256(key), modes.ECB()).encryptor()
    return encryptor.update(b"".join(struct.pack(">QQ", 0, block) for block in range(blocks)))


@pytest.mark.parametrize("count", [4096, 5000, 32764, 32765, 40000, 70001])
def test_words_are_the_counter_mode_of_aes_and_the_first_32_bytes_are_the_next_key(count):
    """Across the pieces of 2**18 bytes in which the stream is written, too."""
    fresh()
    stream = keystream(present_key(), -(-(count + 4) // 2))
    drawn = words(count)
    assert drawn.tobytes() == stream[32 : 32 + 8 * count]
    assert present_key() == stream[:32]


def test_small_requests_are_consecutive_words_of_one_stream():
    fresh()
    stream = keystream(present_key(), entropy._RESERVE // 2 + 2)
    drawn = b"".join(words(count).tobytes() for count in (1, 2, 3, 100, 990))
    assert drawn == stream[32 : 32 + 8 * 1096]


def test_what_was_handed_out_is_erased():
    """Words leave zeros behind in the reserve, and the key's own words are zeroed where they were generated."""
    fresh()
    words(1)
    reserve = present_reserve()
    whole = reserve.base
    while whole.base is not None:
        whole = whole.base
    drawn = words(100)
    assert not reserve[:100].any()
    assert reserve[100:].all()
    assert present_key() not in np.asarray(whole).tobytes()
    assert drawn.tobytes() not in np.asarray(whole).tobytes()
    assert np.count_nonzero(np.asarray(whole) == 0) == 4 + 1 + 100


def test_a_large_request_leaves_no_key_in_what_it_returns():
    fresh()
    drawn = words(5000)
    behind = drawn if drawn.base is None else np.asarray(drawn.base)
    assert present_key() not in behind.tobytes()


def test_a_key_is_never_used_twice():
    keys, drawn = set(), set()
    for _ in range(50):
        drawn.update(words(entropy._RESERVE).tolist())
        keys.add(present_key())
    assert len(keys) == 50
    assert len(drawn) == 50 * entropy._RESERVE


def test_the_present_state_does_not_give_earlier_words_away():
    fresh()
    earlier = pieces(words(5000).tobytes() + words(7).tobytes())
    later = {*pieces(keystream(present_key(), 3000)), *pieces(present_reserve().tobytes())}
    assert not later & set(earlier)


def test_rekeying_forgets_key_and_reserve():
    words(1)
    key, next_words = present_key(), present_reserve().copy()
    rekey()
    assert not np.isin(words(4000), next_words).any()
    assert present_key() != key
    assert not np.isin(words(4096), np.frombuffer(keystream(key, 2100), np.uint64)).any()


def test_the_caller_owns_the_words():
    fresh()
    words(1)
    drawn = words(10)
    drawn[:] = 0
    assert present_reserve().all()


@pytest.mark.parametrize("count", [0, 1, 4095, 4096, 4097])
def test_as_many_words_as_are_asked_for(count):
    drawn = words(count)
    assert drawn.dtype == np.uint64
    assert drawn.shape == (count,)
    assert len(set(drawn.tolist())) == count


def test_nothing_public_takes_a_seed():
    forbidden = {"seed", "key", "rng", "generator", "random_state", "state", "entropy", "nonce"}
    for name in tacit.exact.__all__:
        thing = getattr(tacit.exact, name)
        if inspect.isfunction(thing):
            assert not forbidden & set(inspect.signature(thing).parameters), name


def test_seeds_of_other_generators_change_nothing():
    drawn = []
    for _ in range(2):
        random.seed(1)
        np.random.seed(1)  # noqa: NPY002 -- exactly this must have no effect
        drawn.append(words(8).tobytes())
    assert drawn[0] != drawn[1]


@pytest.mark.parametrize("within", [2, 4096], ids=["few inside", "many inside"])
@pytest.mark.parametrize("around", [2, 4096], ids=["few outside", "many outside"])
def test_a_signal_handler_that_draws_in_the_middle_of_a_draw_gets_other_words(around, within):
    """A handler runs between any two steps of the interpreter; here a trace function stands in for it."""
    interrupted = 0
    for stop in range(1, 40):
        inside = words(0)
        steps = 0

        def interrupt(frame, event, _, stop=stop):
            nonlocal steps, inside
            if frame.f_code.co_filename != entropy.__file__:
                return None
            steps += event == "line"
            if steps == stop and len(inside) == 0:
                sys.settrace(None)
                inside = words(within)
            return interrupt

        before = sys.gettrace()
        words(1)
        sys.settrace(interrupt)
        try:
            outside = words(around)
        finally:
            sys.settrace(before)
        after = words(around)
        drawn = {*inside.tolist(), *outside.tolist(), *after.tolist()}
        assert len(drawn) == len(inside) + 2 * around
        interrupted += len(inside) > 0
    assert interrupted > 8


@forks
def test_a_child_forked_while_another_thread_computes_can_compute():
    inside, enough = threading.Event(), threading.Event()

    def hold() -> None:
        with working(333):
            inside.set()
            enough.wait(1)  # a fork may also wait until nobody computes

    thread = threading.Thread(target=hold)
    thread.start()
    inside.wait()
    try:
        child = forked(lambda: certified_ends().encode(), limit=5)  # it takes milliseconds
    finally:
        enough.set()
        thread.join()
    assert heard(*child).decode() == certified_ends()


@forks
def test_a_child_forked_while_another_thread_computes_has_the_usual_precision():
    inside, enough, usual = threading.Event(), threading.Event(), precision()

    def hold() -> None:
        with working(7):
            inside.set()
            enough.wait(1)

    thread = threading.Thread(target=hold)
    thread.start()
    inside.wait()
    child = forked(lambda: str(precision()).encode())
    enough.set()
    thread.join()
    assert heard(*child).decode() == str(usual)


def certified_ends() -> str:
    return f"{lower(exp(1))} {upper(exp(1))}"

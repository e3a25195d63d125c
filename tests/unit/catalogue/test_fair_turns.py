"""Who takes much time keeps nobody waiting but those who do so, too."""

import threading

from tacit.catalogue.fair_turns import QUICK, SLOW, Lanes


class Clock:
    """A clock that is set by hand."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def work(lanes, clock, who, seconds):
    with lanes.take(who) as lane:
        clock.now += seconds
        lanes.add(who, seconds)
    return lane


def test_who_has_taken_much_is_in_the_slow_lane_until_that_fades():
    clock = Clock()
    lanes = Lanes(clock)
    assert [work(lanes, clock, "mallory", 2.0) for _ in range(3)] == [QUICK, SLOW, SLOW]
    assert work(lanes, clock, "ana", 0.01) == QUICK
    clock.now += 60
    assert work(lanes, clock, "mallory", 0.01) == QUICK


def test_many_short_statements_count_as_much_as_a_long_one():
    clock = Clock()
    lanes = Lanes(clock)
    taken = [work(lanes, clock, "mallory", 0.05) for _ in range(15)]
    assert taken[:8] == [QUICK] * 8
    assert taken[-1] == SLOW


def test_nobody_waits_for_the_slow_lane_who_is_not_in_it():
    clock = Clock()
    lanes, answered = Lanes(clock), []
    work(lanes, clock, "mallory", 2.0)
    with lanes.take("mallory") as lane:
        assert lane == SLOW
        other = threading.Thread(target=lambda: answered.append(work(lanes, clock, "ana", 0.01)))
        other.start()
        other.join(60)
    assert answered == [QUICK]


def test_only_so_many_names_are_remembered(monkeypatch):
    monkeypatch.setattr("tacit.catalogue.fair_turns._MOST_NAMES", 3)
    clock = Clock()
    lanes = Lanes(clock)
    for number in range(9):
        work(lanes, clock, f"name {number}", 1)
    assert len(lanes._worked) == 3

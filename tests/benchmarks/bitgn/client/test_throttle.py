"""What the server asks for holds for everyone at once; the number of calls at once goes down fast and up slowly."""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack, contextmanager

import pytest

from benchmarks.bitgn.client.throttle import Closed, Pace, StillPaused


def in_threads(count: int, work) -> None:
    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()


def test_no_more_calls_are_on_their_way_than_the_limit():
    pace = Pace(3)
    seen: list[int] = []

    def work() -> None:
        with pace.turn(10):
            seen.append(pace.state.in_flight)
            time.sleep(0.02)

    in_threads(12, work)
    assert max(seen) == 3
    assert pace.state.in_flight == 0


def test_after_a_push_back_nobody_starts_before_the_named_time():
    pace = Pace(8)
    pace.pushed_back(0.3, sent_at=time.monotonic())
    told_at = time.monotonic()
    started: list[float] = []

    def work() -> None:
        with pace.turn(10) as waited_s:
            started.append(time.monotonic() - told_at)
            assert waited_s > 0.2

    in_threads(6, work)
    assert min(started) >= 0.29
    assert max(started) < 2


def test_a_push_back_that_names_no_time_pauses_all_the_same():
    pace = Pace(8)
    pace.pushed_back(None, sent_at=time.monotonic())
    assert 0.3 < pace.state.paused_s <= 0.5


def test_the_longest_pause_that_was_asked_for_counts():
    pace = Pace(8)
    for asked_s in (0.1, 5.0, 0.1):
        pace.pushed_back(asked_s, sent_at=time.monotonic())
    assert pace.state.paused_s > 4


@contextmanager
def on_their_way(pace: Pace, calls: int):
    with ExitStack() as stack:
        for _ in range(calls):
            stack.enter_context(pace.turn(10))
        yield


def test_the_limit_halves_what_was_on_its_way_and_grows_by_one_for_a_round_of_calls():
    pace = Pace(64)
    with on_their_way(pace, 16):
        pace.pushed_back(0, sent_at=time.monotonic())
    assert pace.state.limit == 8
    for _ in range(7):
        pace.went_through()
    assert pace.state.limit == 8
    pace.went_through()
    assert pace.state.limit == 9
    for _ in range(5000):
        pace.went_through()
    assert pace.state.limit == 64


def test_replies_to_calls_sent_before_the_slowing_down_say_nothing_new():
    pace = Pace(16)
    sent_at = time.monotonic()
    with on_their_way(pace, 16):
        for _ in range(10):
            pace.pushed_back(0, sent_at=sent_at)
    assert (pace.state.limit, pace.state.pushbacks) == (8, 10)


def test_the_limit_never_falls_below_one():
    pace = Pace(4)
    for _ in range(5):
        pace.pushed_back(0, sent_at=time.monotonic())
    assert pace.state.limit == 1
    with pace.turn(10):
        assert pace.state.in_flight == 1


def test_a_pause_that_outlasts_a_calls_own_time_is_not_sat_out():
    pace = Pace(4)
    pace.pushed_back(60, sent_at=time.monotonic())
    began = time.monotonic()
    with pytest.raises(StillPaused) as raised, pace.turn(0.1):
        pass
    assert time.monotonic() - began < 5
    assert 50 < raised.value.paused_s < 60
    assert pace.state.waiting == 0


def test_a_long_pause_is_told_once():
    notices: list[str] = []
    pace = Pace(8, on_notice=notices.append)
    sent_at = time.monotonic()
    with on_their_way(pace, 8):
        for _ in range(5):
            pace.pushed_back(20, sent_at=sent_at)
    assert notices == ["the platform asks to wait 20 s; then 4 calls at a time"]


def test_a_turn_goes_to_who_waits_for_one_and_not_to_who_sleeps():
    pace = Pace(1)
    got: list[float] = []

    def take() -> None:
        with pace.turn(10) as waited_s:
            got.append(waited_s)

    sleeper = threading.Thread(target=pace.sleep, args=(1.5,))
    waiter = threading.Thread(target=take)
    with pace.turn(10):
        sleeper.start()
        time.sleep(0.05)
        waiter.start()
        while pace.state.waiting == 0:
            time.sleep(0.01)
    waiter.join(1)
    assert len(got) == 1
    sleeper.join()


def test_closing_wakes_everyone_who_waits():
    pace = Pace(1)
    pace.pushed_back(60, sent_at=time.monotonic())
    refused: list[str] = []

    def turn() -> None:
        with pytest.raises(Closed), pace.turn(10):
            pass
        refused.append("turn")

    def sleep() -> None:
        with pytest.raises(Closed):
            pace.sleep(60)
        refused.append("sleep")

    threads = [threading.Thread(target=work) for work in (turn, sleep)]
    for thread in threads:
        thread.start()
    while pace.state.waiting < 1:
        time.sleep(0.01)
    pace.close()
    for thread in threads:
        thread.join(5)
    assert sorted(refused) == ["sleep", "turn"]

"""What the server asks for holds for one call, or for everyone; the limit falls fast and grows slowly."""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack, contextmanager, suppress

import pytest

from benchmarks.bitgn.client.throttle import PauseTooLong, Throttle, ThrottleClosed


@contextmanager
def turn(throttle: Throttle, longest_s: float, not_before: float = 0.0):
    waited_s = throttle.acquire(longest_s, not_before)
    try:
        yield waited_s
    finally:
        throttle.release(is_taken=False)


def go_through(throttle: Throttle) -> None:
    throttle.acquire(10)
    throttle.release(is_taken=True)


def in_threads(count: int, work) -> None:
    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()


def test_no_more_calls_are_on_their_way_than_the_limit():
    throttle = Throttle(3)
    seen: list[int] = []

    def work() -> None:
        with turn(throttle, 10):
            seen.append(throttle.in_flight)
            time.sleep(0.02)

    in_threads(12, work)
    assert max(seen) == 3
    assert throttle.in_flight == 0


def test_after_a_push_back_nobody_starts_before_the_named_time():
    throttle = Throttle(8)
    throttle.pushed_back(0.3, sent_at=time.monotonic())
    told_at = time.monotonic()
    started: list[float] = []

    def work() -> None:
        with turn(throttle, 10) as waited_s:
            started.append(time.monotonic() - told_at)
            assert waited_s > 0.2

    in_threads(6, work)
    assert min(started) >= 0.29
    assert max(started) < 20


def test_a_push_back_holds_for_its_call_alone_until_several_in_a_row_hold_for_everyone():
    throttle = Throttle(8)
    go_through(throttle)
    for _ in range(2):
        before = time.monotonic()
        not_before = throttle.pushed_back(5.0, sent_at=before)
        assert 5.0 <= not_before - before < 6.0
        assert (throttle.paused_s, throttle.limit) == (0, 8)
        assert not throttle.try_acquire(not_before)
    go_through(throttle)
    with on_their_way(throttle, 4):
        for _ in range(3):
            assert throttle.try_acquire()
            throttle.release(is_taken=False)
            throttle.pushed_back(5.0, sent_at=time.monotonic())
    assert throttle.paused_s > 4
    assert throttle.limit == 2
    assert not throttle.try_acquire()


def test_a_call_waits_for_its_own_time_while_others_start():
    throttle = Throttle(8)
    with turn(throttle, 10):
        assert throttle.acquire(10, time.monotonic() + 0.2) >= 0.19
    with pytest.raises(PauseTooLong) as raised:
        throttle.acquire(0.05, time.monotonic() + 60)
    assert 50 < raised.value.paused_s < 60


@contextmanager
def on_their_way(throttle: Throttle, calls: int):
    with ExitStack() as stack:
        for _ in range(calls):
            stack.enter_context(turn(throttle, 10))
        yield


def test_the_limit_halves_what_was_on_its_way_and_grows_by_one_for_a_round_of_calls():
    throttle = Throttle(64)
    with on_their_way(throttle, 16):
        throttle.pushed_back(0, sent_at=time.monotonic())
    assert throttle.limit == 8
    for _ in range(7):
        go_through(throttle)
    assert throttle.limit == 8
    go_through(throttle)
    assert throttle.limit == 9
    for _ in range(5000):
        go_through(throttle)
    assert throttle.limit == 64


def test_replies_to_calls_sent_before_the_slowing_down_say_nothing_new():
    throttle = Throttle(16)
    sent_at = time.monotonic()
    with on_their_way(throttle, 16):
        for _ in range(10):
            throttle.pushed_back(0, sent_at=sent_at)
    assert throttle.limit == 8


def test_a_long_pause_is_told_once():
    notices: list[str] = []
    throttle = Throttle(8, on_notice=notices.append)
    sent_at = time.monotonic()
    with on_their_way(throttle, 8):
        for _ in range(5):
            throttle.pushed_back(20, sent_at=sent_at)
    assert notices == ["the platform asks to wait 20 s; then 4 calls at a time"]


def test_a_turn_goes_to_who_waits_for_one_and_not_to_who_may_not_start_yet():
    throttle, got = Throttle(1), []

    def take(not_before: float) -> None:
        with suppress(PauseTooLong), turn(throttle, 3, not_before):
            got.append(not_before)

    early = [threading.Thread(target=take, args=(time.monotonic() + 60,)) for _ in range(3)]
    ready = threading.Thread(target=take, args=(0.0,))
    with turn(throttle, 10):
        for thread in early:
            thread.start()
        time.sleep(0.1)
        ready.start()
        time.sleep(0.1)
    ready.join(1)
    assert got == [0.0]
    throttle.stop_waiting(True)
    for thread in early:
        thread.join(1)
        assert not thread.is_alive()


def test_a_turn_goes_to_who_waits_for_one_and_not_to_who_sleeps():
    throttle = Throttle(1)
    got: list[float] = []

    def take() -> None:
        with turn(throttle, 10) as waited_s:
            got.append(waited_s)

    sleeper = threading.Thread(target=throttle.sleep, args=(1.5,))
    waiter = threading.Thread(target=take)
    with turn(throttle, 10):
        sleeper.start()
        time.sleep(0.05)
        waiter.start()
        time.sleep(0.1)
    waiter.join(1)
    assert len(got) == 1
    sleeper.join()


def test_closing_wakes_everyone_who_waits():
    throttle = Throttle(1)
    throttle.pushed_back(60, sent_at=time.monotonic())
    refused: list[str] = []

    def wait() -> None:
        with pytest.raises(ThrottleClosed), turn(throttle, 10):
            pass
        refused.append("turn")

    def sleep() -> None:
        with pytest.raises(ThrottleClosed):
            throttle.sleep(60)
        refused.append("sleep")

    threads = [threading.Thread(target=work) for work in (wait, sleep)]
    for thread in threads:
        thread.start()
    time.sleep(0.1)
    throttle.close()
    for thread in threads:
        thread.join(5)
    assert sorted(refused) == ["sleep", "turn"]

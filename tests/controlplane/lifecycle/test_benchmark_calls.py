"""The health monitor pauses a run only if every further trial would fail the same way."""

import contextlib
import threading
import time
from collections.abc import Mapping, Sequence

import pytest

from agent.loop import LeftOpen
from controlplane.lifecycle import benchmark_calls
from controlplane.lifecycle.benchmark_calls import FAILED_STARTS, HealthMonitor, WatchedEnvironment
from sandbox.interface import FILE_OPERATIONS, CallError, Plain, Surface


class Failing:
    """An environment whose calls fail with these codes in turn; an empty code is a success."""

    surface = Surface(operations=())

    def __init__(self, *codes: str) -> None:
        self.codes = list(codes)

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if code := self.codes.pop(0):
            raise CallError(code, "said so")
        return {}

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        self.call("answer", {})

    def now(self) -> None:
        return None


def paused_after(*codes: str, answers: bool = False) -> list[str]:
    """Make the calls and return why the run was paused."""
    paused: list[Exception] = []
    failing = Failing(*codes)
    watched = WatchedEnvironment(failing, failing.surface, HealthMonitor(), paused.append, threading.Event(), print)
    for _ in codes:
        with contextlib.suppress(CallError):
            if answers:
                watched.answer("a", "OUTCOME_OK", ())
            else:
                watched.call("read", {})
    return [str(each) for each in paused]


@pytest.mark.parametrize("answers", [False, True])
@pytest.mark.parametrize(
    ("codes", "says"),
    [
        (("unavailable", "deadline_exceeded"), "has not been reached for 3 s (deadline_exceeded: said so)"),
        (("unavailable", "unknown", "resource_exhausted"), "has not been reached"),
        (("unauthenticated",), "refuses the calls of trials (unauthenticated: said so)"),
        (("unavailable",), ""),
        (("unavailable", "", "unavailable"), ""),
        (("unavailable", "not_found", "unavailable"), ""),
        (("permission_denied", "internal", "unknown"), ""),
    ],
)
def test_calls_that_reach_nobody_for_long_pause_the_run(
    codes: tuple[str, ...], says: str, answers: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(1_000))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    monkeypatch.setattr(benchmark_calls, "LONGEST_OUTAGE_S", 1.5)  # one call takes one second of that clock
    paused = paused_after(*codes, answers=answers)
    assert [says in each for each in paused] == ([True] if says else [])


@pytest.mark.parametrize(
    ("operation", "code", "error"),
    [
        ("read", "unavailable", LeftOpen),
        ("read", "internal", LeftOpen),
        ("read", "not_found", CallError),
        ("write", "unavailable", CallError),
    ],
)
def test_a_reading_call_that_nobody_repeats_because_of_a_stop_leaves_the_trial_open(
    operation: str, code: str, error: type[Exception]
) -> None:
    failing, stop = Failing(code, code), threading.Event()
    failing.surface = Surface(operations=FILE_OPERATIONS)
    watched = WatchedEnvironment(failing, failing.surface, HealthMonitor(), lambda _: None, stop, print)
    with pytest.raises(CallError):
        watched.call(operation, {"path": "/a"})
    stop.set()
    with pytest.raises(error):
        watched.call(operation, {"path": "/a"})


def starts(*codes: str, known_failed: frozenset[str] = frozenset()) -> list[bool]:
    """Start trials in turn; return for each failed start whether all others would fail the same way."""
    met = HealthMonitor(known_failed=known_failed)
    told = []
    for number, code in enumerate(codes):
        if code:
            told.append(met.fails_all(f"t{number}", code, time.monotonic()))
        else:
            met.started()
    return told


def test_trials_that_cannot_start_are_their_own_misfortune_until_none_can() -> None:
    many = ["internal"] * (FAILED_STARTS - 1)
    assert starts(*many) == [False] * len(many)
    assert starts(*many, "not_found")[-1]
    assert not any(starts(*many, "", *many))
    assert not any(starts(*["failed_precondition"] * 50))  # ended elsewhere
    again = frozenset(f"t{number}" for number in range(len(many)))
    assert not any(starts(*many, "internal", known_failed=again))

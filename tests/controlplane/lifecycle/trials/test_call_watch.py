"""The watch on a trial's calls, which pauses the run while the benchmark cannot be reached.

A call to a benchmark may fail, and the code of its error says why:

| code | what it says | what the run does |
|---|---|---|
| `unavailable` | nobody answered the call | pauses if this lasts long |
| `unauthenticated` | the benchmark refuses the user's key | pauses at once |
| `not_found` | the benchmark answered: there is no such file | goes on |
"""

import contextlib
import threading
import time
from collections.abc import Callable

import pytest

from controlplane.agent.loop import LeftOpen
from controlplane.lifecycle.run_controls import RunControls
from controlplane.lifecycle.trials.watched_environment import WatchedEnvironment
from controlplane.sandbox.interface import CallError, bounds
from tests.controlplane.lifecycle.trials.failing_environment import (
    SUCCESS,
    FailingEnvironment,
    watched,
)

LONGEST_OUTAGE_S = 3.0
"""Each call takes 2 s, and an outage of 3 s is borne. So one call that reaches nobody is borne, and
the second one in a row, after 4 s, is one too many."""


def read_file(environment: WatchedEnvironment) -> None:
    environment.call("read", {"path": "/a"})


def submit_answer(environment: WatchedEnvironment) -> None:
    environment.answer("a", "OUTCOME_OK", ())


MakeCall = Callable[[WatchedEnvironment], None]
"""Makes one call in an environment: `read_file` or `submit_answer`."""


def pauses_after(
    codes: list[str], make_call: MakeCall, monkeypatch: pytest.MonkeyPatch
) -> list[Exception]:
    """Make one call for each code, and return the reasons for which the run was paused.

    The clock of the program is replaced by that of the environment, by which a call takes 2 s.
    """
    failing = FailingEnvironment(codes)
    monkeypatch.setattr(time, "monotonic", lambda: failing.clock_s)
    monkeypatch.setattr(bounds, "LONGEST_OUTAGE_S", LONGEST_OUTAGE_S)
    pauses: list[Exception] = []
    environment = watched(failing, RunControls(pause=pauses.append))

    for _ in codes:
        with contextlib.suppress(CallError):
            make_call(environment)
    return pauses


class TestOutages:
    """The run pauses if calls reach nobody for long, since those of other trials would fail, too.

    Each call takes 2 s, and 3 s of outage are borne. `["unavailable", "not_found"]` are the
    codes of the errors with which two calls fail, one after the other.
    """

    @pytest.mark.parametrize("make_call", [read_file, submit_answer])
    @pytest.mark.parametrize(
        ("codes", "reason"),
        [
            pytest.param(
                ["unavailable", "deadline_exceeded"],
                "has not been reached for 4 s (deadline_exceeded: said so)",
                id="two calls that reached nobody",
            ),
            pytest.param(
                ["unavailable", "unknown", "resource_exhausted"],
                "has not been reached for 6 s",
                id="two such calls, and between them a failure that tells nothing",
            ),
            pytest.param(
                ["unauthenticated"],
                "refuses the calls of trials (unauthenticated: said so)",
                id="a wrong key",
            ),
        ],
    )
    def test_the_run_pauses_if_calls_reach_nobody_for_long(
        self,
        codes: list[str],
        reason: str,
        make_call: MakeCall,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """Calls of other trials would fail, too. `unknown` tells nothing of where the call failed,
        and `resource_exhausted` that the benchmark did not take it."""
        (pause,) = pauses_after(codes, make_call, monkeypatch)

        assert reason in str(pause)

    @pytest.mark.parametrize("make_call", [read_file, submit_answer])
    @pytest.mark.parametrize(
        "codes",
        [
            pytest.param(["unavailable"], id="a single call that reached nobody"),
            pytest.param(
                ["unavailable", SUCCESS, "unavailable"],
                id="a success between two such calls",
            ),
            pytest.param(
                ["unavailable", "not_found", "unavailable"],
                id="an answer between two such calls",
            ),
            pytest.param(
                ["permission_denied", "internal", "unknown"],
                id="failures that the benchmark reported",
            ),
        ],
    )
    def test_the_run_goes_on_if_outages_are_short_or_the_benchmark_answers(
        self, codes: list[str], make_call: MakeCall, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A benchmark that answers "there is no such file" (`not_found`) can be reached, so that an
        outage before it is over."""
        assert pauses_after(codes, make_call, monkeypatch) == []


class TestStoppedRuns:
    """A call fails while the run stops, and the stop itself may be the reason.

    Ctrl-C in a terminal also ends a benchmark's server. A read without an answer then raises
    `LeftOpen`: the trial is resumed later, and reads again. A write may have happened, so that
    its failure has to be recorded.
    """

    @pytest.mark.parametrize(
        ("operation", "code", "error_after_stop"),
        [
            pytest.param(
                "read", "unavailable", LeftOpen, id="a read that reached nobody"
            ),
            pytest.param("read", "internal", LeftOpen, id="a read that broke"),
            pytest.param(
                "read", "not_found", CallError, id="a read of what is not there"
            ),
            pytest.param("write", "unavailable", CallError, id="a write"),
        ],
    )
    def test_a_read_that_fails_while_the_run_stops_leaves_the_trial_open(
        self, operation: str, code: str, error_after_stop: type[Exception]
    ) -> None:
        """`not_found` is an answer."""
        stop = threading.Event()
        environment = watched(FailingEnvironment([code, code]), RunControls(stop=stop))

        with pytest.raises(CallError):
            environment.call(operation, {"path": "/a"})
        stop.set()
        with pytest.raises(error_after_stop):
            environment.call(operation, {"path": "/a"})

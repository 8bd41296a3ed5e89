"""Calls of a trial that fail, and the pauses of the run that follow from them.

Each call takes 2 s, and an outage of 3 s is borne. So one call that reaches nobody is borne, and
the second one in a row, after 4 s, is one too many.
"""

import contextlib
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from controlplane.lifecycle import run_controls as benchmark_health
from controlplane.lifecycle.run_controls import RunControls
from controlplane.lifecycle.trials import trial_lifecycle as call_watch
from controlplane.lifecycle.trials.trial_lifecycle import WatchedEnvironment
from controlplane.sandbox.interface import CallError, bounds
from tests.controlplane.lifecycle.trials.failing_environment import (
    FailingEnvironment,
    watched,
)


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

    `pauses_after(["unauthenticated"], read_file, monkeypatch)` -> one reason, "… refuses the calls of
    trials (unauthenticated: the call failed)". The two modules that time calls are given the
    environment's clock, by which a call takes 2 s. The clock of the whole process stays as it is:
    servers of other tests run in threads of it, and would sleep for hours.
    """
    failing = FailingEnvironment(codes)
    clock = SimpleNamespace(monotonic=lambda: failing.clock_s)
    for module in (benchmark_health, call_watch):
        monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr(bounds, "LONGEST_OUTAGE_S", 3.0)
    pauses: list[Exception] = []
    environment = watched(failing, RunControls(pause=pauses.append))

    for _ in codes:
        with contextlib.suppress(CallError):
            make_call(environment)
    return pauses

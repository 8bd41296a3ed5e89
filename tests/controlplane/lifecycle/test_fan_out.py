from concurrent.futures import Future

import pytest

from agent.loop import ResumeState
from controlplane import TrialHead
from controlplane.errors import Unreachable
from controlplane.lifecycle.fan_out import fan_out
from controlplane.lifecycle.trial_lifecycle import RunControls

HEADS = [TrialHead(f"t{number}") for number in range(4)]


class Idle:
    """Workers that begin nothing by themselves."""

    def __init__(self) -> None:
        self.futures: dict[str, Future[None]] = {}

    def submit(self, head: TrialHead, resume_state: ResumeState) -> Future[None]:
        self.futures[head.trial_id] = future = Future[None]()
        if len(self.futures) == len(HEADS):
            self.on_all()
        return future

    def on_all(self) -> None:
        for each in self.futures.values():
            each.set_result(None)

    def close(self) -> None:
        pass


def test_it_returns_when_every_trial_is_over() -> None:
    workers = Idle()
    fan_out(workers, HEADS, controls=RunControls(), resume_states={})
    assert list(workers.futures) == [each.trial_id for each in HEADS]


def test_what_ends_the_run_is_raised_and_trials_that_wait_are_taken_back() -> None:
    class Failing(Idle):
        def on_all(self) -> None:
            self.futures["t1"].set_exception(Unreachable("nobody is there"))

    workers, controls = Failing(), RunControls()
    with pytest.raises(Unreachable, match="nobody is there"):
        fan_out(workers, HEADS, controls=controls, resume_states={})
    assert controls.stop.is_set()
    assert [name for name, each in workers.futures.items() if each.cancelled()] == ["t0", "t2", "t3"]


def test_once_no_new_trial_may_begin_those_that_wait_are_taken_back() -> None:
    class Stopped(Idle):
        def on_all(self) -> None:
            self.futures["t0"].set_running_or_notify_cancel()
            controls.no_new.set()
            self.futures["t1"].add_done_callback(lambda _: self.futures["t0"].set_result(None))

    workers, controls = Stopped(), RunControls()
    fan_out(workers, HEADS, controls=controls, resume_states={})
    assert [name for name, each in workers.futures.items() if each.cancelled()] == ["t1", "t2", "t3"]

"""The threads that play the trials of a run, side by side.

A trial whose environment does not answer any more is given up: its thread is left alone, since a
thread cannot be killed, and the run ends without it.
"""

import threading

import pytest

from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmark import PlannedTrial
from controlplane.lifecycle.trials.trial_workers import Workers

NOT_CLOSING_S = 10
"""If closing takes longer, it waits for the trial that was given up."""


def test_closing_does_not_wait_for_a_trial_that_was_given_up() -> None:
    """Two trials are stuck, each in a thread. The run gives up the first. When it wants to give up the
    second and to record that, the disk is full, and the error ends the run. Closing the workers then
    has to wait for the second trial only."""
    has_begun = threading.Semaphore(0)
    may_end = {"first": threading.Event(), "second": threading.Event()}

    def play(planned_trial: PlannedTrial, record: TrialRecord) -> None:
        has_begun.release()
        may_end[planned_trial.trial_id].wait(60)

    def give_up(planned_trial: PlannedTrial, began_at: float) -> bool:
        if planned_trial.trial_id == "second":
            raise OSError("full")
        return True

    workers = Workers(play, 2)
    for trial_id in ("first", "second"):
        workers.submit(PlannedTrial(trial_id, "task"), TrialRecord())
        has_begun.acquire()
    with pytest.raises(OSError, match="full"):
        workers.give_up_stuck_trials(give_up)

    # From here on, only the first trial, which was given up, is stuck.
    may_end["second"].set()
    closing = threading.Thread(target=workers.close, daemon=True)
    closing.start()
    closing.join(NOT_CLOSING_S)

    assert not closing.is_alive()
    may_end["first"].set()

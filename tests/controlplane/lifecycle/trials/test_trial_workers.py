"""The threads that play the trials of a run, side by side.

A trial whose environment does not answer any more is given up: its thread is left alone, since a
thread cannot be killed, and the run ends without it.
"""

import threading

import pytest

from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmark import PlannedTrial
from controlplane.lifecycle.trials.trial_workers import Workers

LONGEST_CLOSING_S = 10
"""Closing takes no time. If it takes longer than this, it waits for the trial that was given up."""


def test_closing_does_not_wait_for_a_trial_that_was_given_up() -> None:
    """1. Two trials are stuck, each in a thread of its own.
    2. The run gives up the first. When it gives up the second, the disk is full: it cannot record
       that, and the error ends the run.
    3. The second trial comes back after all. The first stays stuck.
    4. The run closes its workers, which have to wait for the second trial only.
    """
    has_begun = threading.Semaphore(0)
    may_end = {"first": threading.Event(), "second": threading.Event()}

    def play_stuck_trial(planned_trial: PlannedTrial, record: TrialRecord) -> None:
        has_begun.release()
        may_end[planned_trial.trial_id].wait(60)

    def give_up_until_disk_is_full(
        planned_trial: PlannedTrial, began_at: float
    ) -> bool:
        if planned_trial.trial_id == "second":
            raise OSError("full")
        return True  # The trial is given up.

    workers = Workers(play_stuck_trial, count=2)
    for trial_id in ("first", "second"):
        workers.submit(PlannedTrial(trial_id, "task"), TrialRecord())
        has_begun.acquire()
    with pytest.raises(OSError, match="full"):
        workers.give_up_stuck_trials(give_up_until_disk_is_full)
    may_end["second"].set()

    # In a thread, so that the test fails, and does not hang, if closing waits for the first trial.
    closing = threading.Thread(target=workers.close, daemon=True)
    closing.start()
    closing.join(LONGEST_CLOSING_S)

    assert not closing.is_alive()
    may_end["first"].set()

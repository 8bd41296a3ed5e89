"""What the run's process has the workers of a Dask cluster do: play a trial, and obey an order.

Dask calls these functions in a worker's process, where `RunHere` is the run that was opened before.
"""

from __future__ import annotations

from contextlib import suppress

from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmark import PlannedTrial
from controlplane.lifecycle.trials.trial_lifecycle import run_trial
from controlplane.workers.event_sender import EventSender
from controlplane.workers.run_here import RunHere, runs_here
from controlplane.workers.run_messages import (
    RunLost,
    portable_error,
)


def play_trial(
    run: RunHere, planned_trial: PlannedTrial, record: TrialRecord, task_key: str
) -> Exception | None:
    """Play a trial, as the Dask task of this name. Return the error that ends the run, or None.

    The error is returned and not raised: Dask would keep a raised error with its
    frames, which refer to `run`, so that the run could never be closed.
    """
    # Before a call that changes something outside, wait until the journal has recorded it.
    # So a resumed run knows of the change even if this worker is lost. An environment
    # that can be rebuilt has no changes outside this process, and needs no waiting.
    waits_before_changes = not run.resources.opened.rebuilds_trials
    sender = EventSender(
        run.run_key, task_key, waits_before_changes=waits_before_changes
    )
    failure: Exception | None = None
    try:
        run_trial(run.resources, planned_trial, sender.send_event, run.controls, record)
    except RunLost:  # The run's process is gone or waits no longer: send it nothing.
        return None
    except BaseException as error:  # noqa: BLE001 - any error: the run hears why the trial is over
        failure = portable_error(error)
    with suppress(RunLost):
        sender.send_end()
    return failure


def obey_run(run_key: str, *, must_stop: bool, reached_limit: str) -> None:
    """Carry out in this process what the run's process orders all workers to do.

    - `must_stop`: leave each trial open after its present step.
    - `reached_limit`: why no more may be spent, such as a reached limit of dollars; empty
      if more may be spent.
    """
    run = runs_here.get(run_key)
    if run is None:
        return
    if reached_limit:
        run.resources.budget.spending.end.declare(reached_limit)
    if must_stop:
        run.controls.stop.set()

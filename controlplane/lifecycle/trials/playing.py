"""Plays several trials on the workers of a run, until each is over or given up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Final

from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmark import PlannedTrial
from controlplane.lifecycle.run_controls import RunControls
from controlplane.lifecycle.trials.running_trials import GiveUpIfStuck
from controlplane.lifecycle.trials.trial_workers import Workers

LOOK_INTERVAL_S: Final = 0.2
"""Seconds between two looks at the trials. In between, the main thread can handle signals."""


def _never_give_up(planned_trial: PlannedTrial, began_at: float) -> bool:
    return False


def play_all(
    workers: Workers,
    planned_trials: Iterable[PlannedTrial],
    *,
    controls: RunControls,
    records: Mapping[str, TrialRecord],
    give_up_if_stuck: GiveUpIfStuck = _never_give_up,
) -> None:
    """Play trials, and return when every one is over, cancelled or given up.

    `planned_trials` names the trials. `records` holds what earlier attempts did, by trial id.
    Raises the first error that ends the whole run.
    """
    unfinished: set[Future[None]] = set()
    finished: SimpleQueue[Future[None]] = SimpleQueue()
    for planned_trial in planned_trials:
        unfinished.add(
            workers.submit(
                planned_trial, records.get(planned_trial.trial_id, TrialRecord())
            )
        )
    for future in unfinished:
        future.add_done_callback(finished.put)

    while unfinished:
        ended = _next_finished(finished)
        if ended is not None:
            unfinished.discard(ended)
            error = None if ended.cancelled() else ended.exception()
            if error is not None:
                controls.stop.set()
                _cancel_waiting(unfinished)
                raise error

        if controls.stop.is_set():
            # Do not play the trials that have not begun, and wait for the others.
            cancelled = _cancel_waiting(unfinished)
            unfinished -= cancelled

        given_up = workers.give_up_stuck_trials(give_up_if_stuck)
        unfinished -= given_up


def _next_finished(finished: SimpleQueue[Future[None]]) -> Future[None] | None:
    """Wait a short time for a trial to finish. Return its future, or None if none has finished."""
    try:
        return finished.get(timeout=LOOK_INTERVAL_S)
    except Empty:
        return None


def _cancel_waiting(futures: Iterable[Future[None]]) -> set[Future[None]]:
    """Cancel the trials that no thread has taken, and return their futures."""
    cancelled = set()
    for future in futures:
        if future.cancel():  # False if the trial has begun
            cancelled.add(future)
    return cancelled

"""Runs on a cluster that a test stops at an event, and that are resumed on threads."""

from collections.abc import Callable
from pathlib import Path

from controlplane.journal.run_events import JournalEvent
from controlplane.lifecycle.reopened_run import reopen_run
from controlplane.lifecycle.run_submission import submit_run
from tests.controlplane.workers.worker_events import WriteEvent, announced_change


def resume_on_threads(journal: Path) -> None:
    """Resume a stopped run without the cluster, play it to its end, and submit it."""
    with reopen_run(journal, plays_trials=True, is_trusted=True) as run:
        run.work.play_trials(run.summary.trials, run.trial_records)
        submit_run(run)


def write_then_act_at(
    number: int, event_type: type[JournalEvent], act: Callable[[], object]
) -> Callable[[JournalEvent, WriteEvent], None]:
    """Return a function that writes all events, and acts once, after one announcement is written.

    `write_then_act_at(4, CallEvent, kill)` kills before the fourth call, when it is announced.
    """
    count = 0

    def write_and_act(event: JournalEvent, write: WriteEvent) -> None:
        nonlocal count
        write(event)
        if isinstance(event, event_type) and announced_change(event):
            count += 1
            if count == number:
                act()

    return write_and_act

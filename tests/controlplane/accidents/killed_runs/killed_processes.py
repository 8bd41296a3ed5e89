"""A run that is killed some time after its start, and the scores that a command printed of a run."""

import time
from pathlib import Path

from tests.support.command import CommandResult, start_controlplane, wait_until


def wait_for_event(event_type: str, folder: Path) -> None:
    """Wait until a journal of the folder has an event of this type."""
    event_text = f'"type":"{event_type}"'.encode()

    def has_event() -> bool:
        journals = list(folder.glob("runs/*"))
        return any(event_text in journal.read_bytes() for journal in journals)

    wait_until(has_event)


def scores_by_task(result: CommandResult) -> dict[str, float]:
    """Return the scores in the JSON that a command printed about a run: `{"calendar-date.1": 1.0}`.

    Each task has one trial.
    """
    return {trial["task_id"]: trial["score"] for trial in result.json["trials"]}


def kill_run(folder: Path, *run_command: str, kill_after_s: float) -> None:
    """Start a run, and kill it this long after its journal has the start of the run.

    `kill_run(folder, "run", "--limit", "5", kill_after_s=0.3)`
    """
    process = start_controlplane(*run_command, cwd=folder)
    wait_for_event("run_started", folder)
    time.sleep(kill_after_s)
    process.kill()
    process.communicate()

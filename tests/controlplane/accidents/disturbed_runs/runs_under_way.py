"""A run that plays its trials in a process of its own, for a test to disturb."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.support.command import CommandResult, start_controlplane, wait_until
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER as PHONEBOOK

RUN_OF_16_TRIALS = ("run", *PHONEBOOK, "ada", "grace", "--repeats", "8", "--quiet")
"""Plays two tasks eight times each, all of them rightly, with a model that is a script."""


def count_ended_trials(journal: Path) -> int:
    """Return how many trials have ended in a journal so far."""
    return journal.read_bytes().count(b'"type":"trial_ended"')


class RunUnderWay(NamedTuple):
    """A run that plays its trials, in a process of its own."""

    process: subprocess.Popen[str]
    journal: Path

    def wait_for_end(self) -> CommandResult:
        """Wait until the process ends by itself, and return its result."""
        out, err = self.process.communicate(timeout=60)
        return CommandResult(self.process.returncode, out, err)


@contextmanager
def run_under_way(folder: Path, *, ended_trials: int) -> Iterator[RunUnderWay]:
    """Start a run of a few seconds, and yield it once this number of trials has ended.

    The process is killed at the end of the block if it still runs.
    """
    runs = folder / "runs"

    def has_ended_trials() -> bool:
        journals = list(runs.glob("*.jsonl"))
        return any(count_ended_trials(journal) >= ended_trials for journal in journals)

    process = start_controlplane(*RUN_OF_16_TRIALS, "--set", "delay_s=0.2", cwd=folder)
    with process:
        try:
            wait_until(has_ended_trials)
            (journal,) = runs.glob("*.jsonl")
            yield RunUnderWay(process, journal)
        finally:
            process.kill()

"""A run of the tasks ada and grace of a phone book, one after the other, whose first lookup is stuck."""

from pathlib import Path

from tests.support.command import CommandResult, run_in_process
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER


def play_ada_and_grace(folder: Path) -> CommandResult:
    """Run both tasks. A trial has 1 s, and is given up half a second later."""
    return run_in_process(
        "run",
        *PHONEBOOK_WITH_PLAYER,
        "ada",
        "grace",
        "--concurrency",
        "1",
        "--trial-time",
        "1",
        "--step-time",
        "1",
        "--json",
        cwd=folder,
    )


def journal_of(folder: Path) -> Path:
    """Return the journal of the only run in a folder: `<folder>/runs/20260422-0930.jsonl`."""
    (path,) = (folder / "runs").glob("*.jsonl")
    return path

"""The run "first", which many tests of commands read: 25 trials of `tests.support.many_trials`.

    def test_show(recorded: RecordedRun) -> None:
        shown = recorded.run_command("show", "first")

Each trial has three steps: the model counts; it answers "OUTCOME_OK", which gate 6 (the check of
an answer's wording) sends back; it answers "7". The grader expects 8 of every fifth trial.
"""

from dataclasses import dataclass
from pathlib import Path

from tests.support.command import CommandResult, run_controlplane, run_in_process

FAILED_TASKS = ["seat-005", "seat-010", "seat-015", "seat-020", "seat-025"]
"""The tasks with score 0; the other 20 of seat-001 to seat-025 have the score 1."""


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A finished run of the name "first". Tests read it, and leave its folder as it is."""

    folder: Path
    """The working folder of the run, which has its journal in `runs`."""
    printed: CommandResult
    """What the command `run` has printed."""

    @property
    def journal(self) -> Path:
        """The path of the run's journal, a file of JSON lines with one event a line."""
        (journal,) = (self.folder / "runs").glob("*.jsonl")
        return journal

    def run_command(self, *words: str, **variables: str) -> CommandResult:
        """Run a command in the folder: `run_command("show", "first", COLUMNS="80")`."""
        return run_in_process(*words, cwd=self.folder, **variables)


def record_run(folder: Path, script: Path) -> RecordedRun:
    """Play the run in `folder`, with a model that replies with the steps of `script`."""
    benchmark = ("--benchmark", "tests.support.many_trials:25")
    model = ("--model", f"scripted:{script}")
    run = run_controlplane("run", *benchmark, *model, "--name", "first", cwd=folder)
    return RecordedRun(folder, run)

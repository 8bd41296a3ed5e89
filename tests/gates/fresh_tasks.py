"""Tasks that others wrote in four domains, such as a brewery, each with its right answer.

They are not part of the project: a Python module in the folder `FRESH` has them as dictionaries,
and writes them as a folder of tasks that can be run. `FreshTasks.play` runs some of them, with the
right answers as the replies of a model, and returns what the gates said of each answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from controlplane.gates.submission import OK
from controlplane.gates.support.support_texts import unverified_in
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.recorded_trial import RecordedTrial
from controlplane.view.answer.trial_evidence import marker_of_trial
from tests.support.command import ROOT, run_controlplane

FRESH = ROOT.parent / "shared/fresh"


class Domain(Protocol):
    """The tasks about one business, such as a veterinary practice."""

    tasks: Sequence[dict[str, Any]]


class TasksModule(Protocol):
    """The Python module `run` in the folder `FRESH`."""

    def domains(self) -> Sequence[Domain]:
        """Return the four domains."""

    def build(self, folder: Path, side: str, as_questions: bool) -> None:
        """Write the tasks and, for the side "right", their right answers as scripted replies."""


@dataclass(frozen=True)
class Play:
    """A task that was played with its right answer, as the journal of the run records it."""

    task_id: str
    objections: list[str]
    """What the gates objected to in its answer, which was then sent back to the model."""
    unverified_values: list[str]
    """The answer's values that are in no text the script read: `["94"]` if it worked out 94 itself.

    An answer that refuses the task has none.
    """


@dataclass(frozen=True)
class FreshTasks:
    """Tasks that others wrote, with their right answers.

    A task that changes files is a dictionary such as `{"id": "vet-4", "change": [("/a/b.md", "new
    text")], "right": {"changes": ["/a/b.md"], ...}, ...}`. `right` is its right answer, whose
    `changes` declares what the script changed.
    """

    module: TasksModule

    def with_changes(self) -> list[dict[str, Any]]:
        """Return the tasks whose right answer changes files, of which there are more than two."""
        tasks: list[dict[str, Any]] = []
        for domain in self.module.domains():
            for task in domain.tasks:
                if task["change"]:
                    tasks.append(task)
        assert len(tasks) > 2
        return tasks

    def play(
        self, folder: Path, *task_ids: str, as_questions: bool = False
    ) -> list[Play]:
        """Run tasks, or all if no id is passed, with their right answers as scripted replies.

        With `as_questions`, each task is asked as a user asks a question, whose answer gets a
        footnote for each value.
        """
        self.module.build(folder / "tasks", "right", as_questions)
        result = run_controlplane(
            "run",
            *task_ids,
            "--benchmark",
            "folder:tasks",
            "--model",
            "scripted:tasks/replies.toml",
            "--runs-dir",
            "runs",
            "--json",
            cwd=folder,
        )
        assert result.json["score"] == 1.0, result.err
        [journal_path] = (folder / "runs").glob("*.jsonl")
        with open_journal(journal_path) as journal:
            return [play_of_trial(trial) for trial in journal.trials.values()]


def play_of_trial(trial: RecordedTrial) -> Play:
    """Return what a journal records of one trial."""
    objections: list[str] = []
    for step in trial.record.step_summaries:
        for verdict in step.verdicts:
            if verdict.message:
                objections.append(verdict.message)
    unverified_values: list[str] = []
    if trial.summary.outcome == OK:
        # The marker knows what the trial read, and says of each value of the answer where it was.
        marker = marker_of_trial(trial.record, trial.summary)
        marks = marker.marks(trial.summary.answer)
        unverified_values += unverified_in(marks)
    return Play(trial.summary.task_id, objections, unverified_values)

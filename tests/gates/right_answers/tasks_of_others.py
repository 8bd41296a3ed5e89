"""Tasks that others wrote in four domains, such as a brewery, each with its right answer.

They are not part of the project: a Python module in the folder `TASKS_FOLDER` has the tasks as
dictionaries, and writes them as a folder that can be run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from controlplane.facts.answer_facts import marker_of_trial
from controlplane.gates.support.marks import unverified_in
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.trial_reader import RecordedTrial
from controlplane.sandbox.interface.outcomes import OK
from tests.support.command import run_controlplane
from tests.support.product_files import ROOT

# What the gates said of the answer to a task, as the journal of its run records it.


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


def play_of_trial(trial: RecordedTrial) -> Play:
    """Return what a journal records of one trial.

    `Play("vet-4", objections=[], unverified_values=["94"])` if the answer was accepted at once.
    """
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


TASKS_FOLDER = ROOT.parent / "shared/fresh"


class TasksModule(Protocol):
    """The Python module `run` in the folder `TASKS_FOLDER`."""

    def domains(self) -> Sequence[Any]:
        """Return the four domains, such as a veterinary practice, each with `tasks`."""

    def build(
        self, folder: Path, side: Literal["right", "wrong"], as_questions: bool
    ) -> None:
        """Write the tasks, and their right or wrong answers as scripted replies.

        A task that is written as a question is run as the command `ask` runs one of a user: each
        value of the answer gets a footnote, which says where the value stands.
        """


@dataclass(frozen=True)
class TasksOfOthers:
    """Tasks as dictionaries, here one that changes a file:

    `{"id": "vet-4", "change": [("/a/b.md", "new text")], "right": {"changes": ["/a/b.md"]}}`
    `right` is the right answer, whose `changes` declares what its script changed.
    """

    module: TasksModule

    def with_changes(self) -> list[dict[str, Any]]:
        """Return the tasks whose right answer changes files."""
        tasks: list[dict[str, Any]] = []
        for domain in self.module.domains():
            tasks += [task for task in domain.tasks if task["change"]]
        assert len(tasks) > 2, "the module has lost its tasks"
        return tasks

    def play(
        self, folder: Path, *task_ids: str, as_questions: bool = False
    ) -> list[Play]:
        """Run tasks, or all if no id is passed, with their right answers as scripted replies.

        `tasks_of_others.play(folder, "vet-4")` -> `[Play("vet-4", objections=[], …)]`
        """
        self.module.build(folder / "tasks", "right", as_questions)
        result = run_controlplane(
            "run",
            *task_ids,
            "--benchmark=folder:tasks",
            "--model=scripted:tasks/replies.toml",
            "--runs-dir=runs",
            "--json",
            cwd=folder,
        )
        assert result.json["score"] == 1.0, result.err
        [journal_path] = (folder / "runs").glob("*.jsonl")
        with open_journal(journal_path) as journal:
            return [play_of_trial(trial) for trial in journal.trials.values()]

"""What the gates said of the answer to a task, as the journal of its run records it."""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.gates.submission import OK
from controlplane.gates.support.support_texts import unverified_in
from controlplane.journal.trial_reader import RecordedTrial
from controlplane.view.answer.trial_evidence import marker_of_trial


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

"""What a journal says of tasks that a model played: its replies, how its scripts ran, and the scores.

A journal is a file of JSON lines, one for each event: `{"type": "step", "trial_id": "a-0", "code":
"print(1)", ...}`. A long text has an event of its own, and others refer to it: `"@text:9f8e"`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

# What a model did in a task: its replies, how its scripts ran, and the score.
#
# `PlayedTask("count.1", steps=[PlayedStep("print(1)", "", "", "finished")]).first_fault` is `-`.


class PlayedStep(NamedTuple):
    """One reply of the model, and how the script in it ran. A text is empty if there is none."""

    script: str
    reply_fault: str
    """The kind of fault for which the reply could not be used: `empty`, `cut_off`, ..."""
    script_error: str
    """The error that ended the script, as Python prints it."""
    ending: str
    """How the script ended: `finished`, `raised`, ..."""

    @property
    def fault(self) -> str:
        """What went wrong in this step, in one line."""
        if self.reply_fault:
            return f"unusable reply ({self.reply_fault})"
        error_lines = self.script_error.strip().splitlines()
        return error_lines[-1].strip() if error_lines else ""


@dataclass
class PlayedTask:
    """What the journal says of one trial, that is, one attempt at a task."""

    task_id: str
    steps: list[PlayedStep] = field(default_factory=list)
    score: float | None = None
    submissions: int = 0
    """How many answers were judged."""
    end_reason: str = ""
    """Why the trial ended without an answer."""

    @property
    def usable_replies(self) -> int:
        return sum(1 for step in self.steps if step.script and not step.reply_fault)

    @property
    def scripts(self) -> int:
        return sum(1 for step in self.steps if step.script)

    @property
    def finished_scripts(self) -> int:
        return sum(1 for step in self.steps if step.ending == "finished")

    @property
    def first_fault(self) -> str:
        """The first unusable reply or error of a script; else why the trial ended."""
        for number, step in enumerate(self.steps, start=1):
            if step.fault:
                return f"step {number}: {step.fault}"
        return self.end_reason or "-"


# The table of tasks that a model has played: a line for each, and the sums over all.
#
#     count.1                  usable 3/4  ran 2/3  steps 4  score 1  step 2: NameError: n
#
# A reply is usable if it has a script that can be run. A line ends with the task's first fault.


def print_table(trials: list[PlayedTask]) -> None:
    """Print a line for each trial, and the sums over all.

    A reply is usable if it has a script that can be run. A trial's line ends with its first fault.
    """
    for trial in trials:
        score = "-" if trial.score is None else f"{trial.score:g}"
        print(
            f"{trial.task_id:24} usable {trial.usable_replies}/{len(trial.steps)}  "
            f"ran {trial.finished_scripts}/{trial.scripts}  steps {len(trial.steps)}  "
            f"score {score}  {trial.first_fault[:160]}"
        )

    replies = sum(len(trial.steps) for trial in trials)
    usable_replies = sum(trial.usable_replies for trial in trials)
    scripts = sum(trial.scripts for trial in trials)
    finished_scripts = sum(trial.finished_scripts for trial in trials)
    submitting_trials = len([trial for trial in trials if trial.submissions])
    total_score = sum(trial.score or 0.0 for trial in trials)
    mean_score = total_score / max(len(trials), 1)
    print(
        f"{len(trials)} tasks: usable {usable_replies}/{replies}, "
        f"ran {finished_scripts}/{scripts}, "
        f"submitted in {submitting_trials}, mean score {mean_score:.3f}"
    )


TEXT_REFERENCE = "@text:"
"""How a value of the journal begins whose text is in an event of its own: "@text:9f8e"."""
JournalEvent = dict[str, Any]
"""A line of a run's journal: `{"type": "step", "trial_id": "a-0", "code": "print(1)", ...}`."""


def read_journal(path: Path) -> list[PlayedTask]:
    """Return the trials of a journal in the order in which they began."""
    texts_by_key: dict[str, str] = {}
    trials: dict[str, PlayedTask] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        event: JournalEvent = json.loads(line)
        trial = trials.get(event.get("trial_id", ""))
        if event["type"] == "text":
            texts_by_key[event["key"]] = event["text"]
        elif event["type"] == "trial_started":
            trials[event["trial_id"]] = PlayedTask(event["task_id"])
        elif trial is not None:
            add_event(trial, event, texts_by_key)
    return list(trials.values())


def add_event(
    trial: PlayedTask, event: JournalEvent, texts_by_key: dict[str, str]
) -> None:
    """Add what an event says to its trial.

    `texts_by_key` has the texts of events to which this one may refer: `@text:9f8e`.
    """
    if event["type"] == "step":
        step = PlayedStep(
            script=whole_text(event["code"], texts_by_key),
            reply_fault=whole_text(event["fault"], texts_by_key),
            script_error=whole_text(event["error"], texts_by_key),
            ending=whole_text(event["ending"], texts_by_key),
        )
        trial.steps.append(step)
        trial.submissions += len(event["verdicts"])  # one for each judged answer
    elif event["type"] == "score":
        trial.score = event["score"]
    elif event["type"] == "trial_ended" and event["how"] != "answered":
        trial.end_reason = event["reason"]


def whole_text(value: str | list[str], texts_by_key: dict[str, str]) -> str:
    """Return a text of the journal, which may be a reference, or a list of parts.

    `["print(", "@text:9f8e", ")"]` -> `print(12)`, if `texts_by_key` is `{"9f8e": "12"}`
    """
    if isinstance(value, list):
        return "".join(whole_text(part, texts_by_key) for part in value)
    if value.startswith(TEXT_REFERENCE):
        return texts_by_key[value.removeprefix(TEXT_REFERENCE)]
    return value

"""Writes journals for tests of reports, without running anything.

A journal is the record of a run: a file with an event a line. A test describes the run's trials,
as in `journal_of_trials(path, [ReportedTrial("alpha.1", score=0.0)])`, and gets the journal of such
a run.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from controlplane.agent.events import (
    AnswerSent,
    ConversationOpened,
    TrialStarted,
)
from controlplane.journal.run_events import (
    AllottedTrial,
    JournalEvent,
    RunClosed,
    RunOpened,
    RunStarted,
    RunSubmitted,
    Scored,
    Setting,
    TrialEnded,
)
from tests.controlplane.report.reported_steps import (
    accepted_answer,
    rejected_answer,
    step_events,
)
from tests.support.journals.sample_events import VERSIONS, write_journal

BEGAN_MS = 1_790_000_000_000
"""When each run begins: in September 2026, in milliseconds since 1970."""


@dataclass(frozen=True)
class ReportedTrial:
    """What is recorded of a trial, one attempt at a task.

    `ReportedTrial("alpha.1")` has one step, which submits an answer. It is accepted, and has the
    score 1.
    """

    task: str
    score: float | None = 1.0
    details: tuple[str, ...] = ()
    """The grader's reasons for the score, such as "answer should be '7'"."""
    steps: int = 0
    """The number of steps before the first answer is submitted."""
    rejected_answers: int = 0
    """The number of steps after these, each with an answer that is sent back. The answer of the last
    step is accepted."""
    text: str = "seen"
    """The result of each call to the environment, which the script of the step prints."""
    how: str = "answered"
    """How the trial ended: "answered", "fallback", ..."""
    reason: str = ""
    """Why it ended so."""


MODEL_SETTING = Setting(name="model", value="canned", source="flag")
"""The one setting of most runs: `--model canned`."""


def run_events(
    run: str,
    name: str,
    trials: Sequence[ReportedTrial],
    settings: Sequence[Setting] = (MODEL_SETTING,),
) -> list[JournalEvent]:
    """Return the events of a run with these trials, without the events of its end.

    `run` is the run's id and `name` what the user calls it. The trials get ids such as
    "alpha.1-r0" and "beta.1-r1".
    """
    allotted = []
    events_of_trials = []
    for number, trial in enumerate(trials):
        trial_id = f"{trial.task}-r{number}"
        allotted.append(AllottedTrial(trial_id=trial_id, task_id=trial.task))
        events_of_trials += trial_events(trial_id, trial)
    return [
        RunOpened(
            at_ms=BEGAN_MS,
            run=run,
            name=name,
            benchmark="shelf",
            model="canned",
            settings=tuple(settings),
            versions=VERSIONS,
        ),
        RunStarted(at_ms=BEGAN_MS, run_id="r", trials=tuple(allotted)),
        *events_of_trials,
    ]


def journal_of_trials(
    path: Path,
    trials: Sequence[ReportedTrial],
    *,
    name: str = "first",
    settings: Sequence[Setting] = (MODEL_SETTING,),
    closed: bool = True,
) -> Path:
    """Write the journal of a run with these trials and settings, and return its path.

    Unless it is `closed`, the journal ends behind the last trial, as if the run were killed there.
    """
    events = run_events(path.stem, name, trials, settings)
    if closed:
        events += [
            RunSubmitted(
                at_ms=BEGAN_MS + 60_000, forced=False, state="evaluated", score=None
            ),
            RunClosed(at_ms=BEGAN_MS + 61_000, how="finished", exit_code=0),
        ]
    return write_journal(path, events)


def trial_events(trial_id: str, trial: ReportedTrial) -> list[JournalEvent]:
    """Return the events of one trial: its start, its steps, the answer sent, its end and score.

    With `steps=2, rejected_answers=1`, there are four steps: two without an answer, one with a
    rejected answer, and one with an accepted answer.
    """
    events: list[JournalEvent] = [
        TrialStarted(
            trial_id=trial_id,
            task_id=trial.task,
            instruction=f"What does {trial.task} ask?",
            now="2031-05-04T09:30:00+00:00",
            tool_schema="{}",
        ),
        ConversationOpened(
            trial_id=trial_id,
            system="the system prompt " * 40,
            first_message=("turn ", "one"),
        ),
    ]
    for number in range(1, trial.steps + 1):
        events += step_events(trial_id, number, text=trial.text)

    last_step = trial.steps + trial.rejected_answers + 1
    for number in range(trial.steps + 1, last_step):
        answer = rejected_answer(f"try {number}")
        events += step_events(trial_id, number, text=trial.text, answer=answer)
    answer = accepted_answer(f"try {last_step}")
    events += step_events(trial_id, last_step, text=trial.text, answer=answer)

    events.append(
        AnswerSent(
            trial_id=trial_id,
            step=last_step,
            message=f"answer of {trial.task}",
            outcome="OUTCOME_OK",
            refs=("/a",),
        )
    )
    # Validating checks that `how`, any text for `ReportedTrial`, is one that the event may have.
    end = {
        "trial_id": trial_id,
        "how": trial.how,
        "reason": trial.reason,
        "elapsed_ms": 1_500.0,
    }
    events.append(TrialEnded.model_validate(end))
    events.append(Scored(trial_id=trial_id, score=trial.score, details=trial.details))
    return events

"""The events of one trial, as a journal has them, without running anything.

    trial_events("alpha-r0", ReportedTrial("alpha", score=0.0, rejected_answers=1))

returns the start of the trial, two steps with an answer each, the answer that was sent, the end, and
the score.
"""

from controlplane.agent.events import AnswerSent, ConversationOpened, TrialStarted
from controlplane.journal.run_events import JournalEvent, Scored, TrialEnded
from tests.controlplane.report.reported_answers import accepted_answer, rejected_answer
from tests.controlplane.report.reported_steps import step_events
from tests.controlplane.report.reported_trial import ReportedTrial


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
    events.append(
        Scored(
            trial_id=trial_id,
            score=trial.score,
            details=trial.details,
            unscored=trial.unscored,
        )
    )
    return events

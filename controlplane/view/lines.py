"""One event in one line, for logs and for following a run."""

from __future__ import annotations

from agent.events import AnswerSent, Noticed, StepDone
from controlplane.journal.events import (
    JournalEvent,
    RunClosed,
    RunNotice,
    RunOpened,
    RunStarted,
    RunSubmitted,
    Scored,
    TrialEnded,
    TrialFailed,
    TrialLeftOpen,
    TrialStarted,
)
from controlplane.summary import RunSummary


def line_of_event(event: JournalEvent, summary: RunSummary) -> str:
    """Return the line that tells of `event`, or an empty string for one too small to tell of."""
    trial_id = getattr(event, "trial_id", "")
    trial = summary.trials.get(trial_id)
    who = f"{trial.task_id or trial_id}: " if trial else ""
    return f"{who}{text}" if (text := _text_of(event)) else ""


def _text_of(event: JournalEvent) -> str:
    match event:
        case RunOpened():
            return f"run {event.run}: {event.benchmark}, model {event.model}"
        case RunStarted():
            return f"started with {len(event.trials)} trials"
        case TrialStarted():
            return "started"
        case StepDone():
            rejected = sum(not each.accepted for each in event.verdicts)
            gates = f", rejected by the gates {rejected} times" if rejected else ""
            fault = f", {event.error.strip().splitlines()[-1]}" if event.error.strip() else ""
            return f"step {event.step}, {len(event.calls)} calls{gates}{fault} · {event.state}"
        case AnswerSent():
            return f"answers {event.outcome}: {' '.join(event.message.split())[:80]}"
        case TrialEnded():
            return f"ended, {event.how}{': ' + event.reason if event.reason else ''}"
        case TrialFailed():
            return f"could not {event.phase}: {event.error}"
        case TrialLeftOpen():
            return f"left open: {event.reason}"
        case Scored():
            score = "sealed" if event.score is None else f"{event.score:.2f}"
            return f"score {score}{': ' + '; '.join(event.details) if event.details else ''}"
        case RunSubmitted():
            score = "" if event.score is None else f", score {event.score:.3f}"
            return f"submitted, {event.state}{score}"
        case RunNotice() | Noticed():
            return event.text
        case RunClosed():
            return f"closed: {event.how}, exit code {event.exit_code}"
        case _:
            return ""

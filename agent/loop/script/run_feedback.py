"""The message to the model after its script was run: what came of it, and what to do next.

It begins with what the script printed, its error, and what the gates, the rules for answers, said
about its answers. Notes may follow. For a reply with two scripts, the first of which set an answer:

    <output step="3">...</output>
    <note> scratchpad["answer"] is set, but nothing was submitted. ... </note>
    <note> The reply held two actions. Only the first was run: ... </note>
"""

from __future__ import annotations

from controlplane.agent.loop.script.script_feedback import step_feedback
from controlplane.agent.loop.script.unsubmitted_notes import note_if_unsubmitted
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.sandbox import StepResult


def run_feedback(
    session: TrialSession, code: str, result: StepResult, other_actions: int
) -> tuple[str, ...]:
    """Return the message after the script of the current step, in pieces to be joined.

    It is empty if the trial is over: the model gets no further message. `other_actions` is the
    number of further scripts in the reply, which were not run.
    """
    if session.is_over:
        if other_actions:
            session.notice(_notice_of(other_actions))
        return ()

    step = session.recorder.current_step
    notes_on_calls = session.recorder.step_log.notes
    feedback = step_feedback(step.number, result, step.submissions, notes_on_calls)

    note = _note_on_answer(session, code, result)
    if note:
        feedback.append(note)
    if other_actions:
        text = f"{_notice_of(other_actions)}: reply with one JSON object."
        feedback.append(f"<note>\n{text}\n</note>\n")
    return tuple(feedback)


def _note_on_answer(session: TrialSession, code: str, result: StepResult) -> str:
    """Return the note that a script has set an answer, but submitted none; else empty."""
    step = session.recorder.current_step
    if step.submissions:
        return ""
    last_step = session.completed_steps.last  # None before the first step is completed
    before = last_step.scratchpad if last_step else {}
    return note_if_unsubmitted(code, before, result, has_calls=bool(step.calls))


def _notice_of(other_actions: int) -> str:
    """Return the text about further actions of a reply, which were not run."""
    count = "two" if other_actions == 1 else str(other_actions + 1)
    return f"The reply held {count} actions. Only the first was run"

"""Checks that the lines of a trial agree with each other.

A replay runs scripts and gates again, and compares the results with the journal.
Some lines cannot be checked in this way, but follow from other lines:
the answer that was sent is the submission that the gates accepted, and a trial with
an answer ended as answered.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.agent.events import AnswerSent, StepDone
from controlplane.agent.evidence import Difference
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.journal.recorded_trial import RecordedTrial
from controlplane.journal.run_events import TrialEnded
from controlplane.journal.tool_schema_text import tool_schema_from_text
from controlplane.journal.trial_reader import TrialReader
from controlplane.sandbox.interface import ToolSchema


def differences_between_lines(trial: RecordedTrial) -> Iterator[Difference]:
    """Yield the recorded values of a trial that contradict its other lines.

    For example, the answer that was sent is not the one that the gates accepted in that step.
    """
    reader = TrialReader()
    answers: list[AnswerSent] = []
    ended: TrialEnded | None = None
    for event in trial.events():
        reader.add(event)
        if isinstance(event, AnswerSent):
            answers.append(event)
        elif isinstance(event, TrialEnded):
            ended = event

    record = reader.record
    # With the default solver (`cited`), a step without a script does nothing. Of the steps
    # of another solver, nothing is known.
    if trial.journal.setting("agent") in (None, "cited"):
        yield from _check_idle_steps(record)
    for answer in answers:
        if answer.ended_by_environment:
            yield from _check_answer_by_environment(answer, record)
        elif not answer.fallback:
            yield from _check_answer_of_script(answer, record)
    if ended is not None:
        yield from _check_end(ended, answers, record)


def _check_idle_steps(record: TrialRecord) -> Iterator[Difference]:
    """Check steps without a script, and yield their differences.

    Such a step prints nothing, and keeps the scratchpad (notes between steps) as it is.
    """
    scratchpad_before: object = {}
    for done in record.step_summaries:
        if not done.code:
            yield from _differing_fields(
                done, output="", ending="", scratchpad=scratchpad_before
            )
        scratchpad_before = done.scratchpad


def _check_answer_by_environment(
    answer: AnswerSent, record: TrialRecord
) -> Iterator[Difference]:
    """Check the answer of a trial that the environment ended, as it does at some calls.

    Yields a difference if no call of the answer's step is such a call.
    """
    tool_schema = ToolSchema(())  # It has no functions, so no call ends the trial.
    if record.started is not None:
        tool_schema = tool_schema_from_text(record.started.tool_schema)
    calls = record.all_steps.calls_of_whole_step(answer.step)
    if any(tool_schema.ends_trial(call.operation, call.result) for call in calls):
        return
    yield Difference(
        step=answer.step,
        field="answer",
        recorded=answer.message,
        now="no call that ends the trial",
    )


def _check_answer_of_script(
    answer: AnswerSent, record: TrialRecord
) -> Iterator[Difference]:
    """Check an answer that is recorded because the gates accepted a script's submission.

    Yields the fields in which the answer differs from the last accepted submission of its step.
    """
    submissions = record.all_steps.submissions_of_step(answer.step)
    accepted = [submission for submission in submissions if submission.accepted]
    if not accepted:
        yield Difference(
            step=answer.step,
            field="answer",
            recorded=answer.message,
            now="no accepted submission",
        )
        return
    submission = accepted[-1]
    yield from _differing_fields(
        answer,
        message=submission.answer,
        outcome=submission.outcome,
        refs=submission.refs,
        failed=(),  # No gate has rejected an accepted submission.
    )


def _check_end(
    ended: TrialEnded, answers: list[AnswerSent], record: TrialRecord
) -> Iterator[Difference]:
    """Check how a trial is recorded to have ended, by the last answer that was sent.

    `answers` are all that were sent. Yields a difference if the trial has ended as "answered", and
    the last answer is the fallback.
    """
    if ended.how == "unanswered" and record.answer is None:
        return  # No answer was sent, or the environment refused each.
    implied_end = _implied_end(answers)
    if ended.how != implied_end:
        # The end belongs to no step, so its step is 0.
        yield Difference(step=0, field="end", recorded=ended.how, now=implied_end)


def _implied_end(answers: list[AnswerSent]) -> str:
    """Return how a trial with these answers ends: `answered`, `fallback` or `unanswered`."""
    if not answers:
        return "unanswered"
    if answers[-1].fallback:
        return "fallback"
    return "answered"


def _differing_fields(
    event: StepDone | AnswerSent, **implied: object
) -> Iterator[Difference]:
    """Yield the fields of an event that differ from the values that other lines imply."""
    for name, value in implied.items():
        recorded = getattr(event, name)
        if recorded != value:
            yield Difference(step=event.step, field=name, recorded=recorded, now=value)

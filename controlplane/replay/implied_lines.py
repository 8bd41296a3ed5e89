"""Compares lines of a trial that other lines imply.

No script or gate computes these lines anew, but they must agree with each other: the answer that was
sent with the submission that the gates accepted, and the way in which the trial ended with its
answers.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.agent.events import AnswerSent, Judged, StepDone
from controlplane.agent.evidence import Difference
from controlplane.agent.trial_record import TrialRecord
from controlplane.journal.journal_reader import RecordedTrial, TrialReader
from controlplane.journal.run_events import TrialEnded, tool_schema_from_text
from controlplane.sandbox.interface import ToolSchema


def differences_between_lines(trial: RecordedTrial) -> Iterator[Difference]:
    """Yield recorded values of a trial that differ from those that its other lines imply."""
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
    if trial.journal.setting("agent") in (None, "cited"):
        yield from _differences_of_idle_steps(record)
    for answer in answers:
        if answer.ended_by_environment:
            yield from _differences_of_end_by_environment(answer, record)
        elif not answer.fallback:
            yield from _differences_of_answer(answer, record)
    if ended is not None:
        yield from _differences_of_end(ended, answers, record)


def _differences_of_idle_steps(record: TrialRecord) -> Iterator[Difference]:
    """Yield what steps hold in which no script ran: they print nothing and change nothing."""
    scratchpad: object = {}
    for done in record.steps:
        if not done.code:
            yield from _differing_fields(done, output="", ending="", scratchpad=scratchpad)
        scratchpad = done.scratchpad


def _differences_of_end_by_environment(
    answer: AnswerSent, record: TrialRecord
) -> Iterator[Difference]:
    """Yield a difference unless a call of the answer's step ended the trial."""
    tool_schema = ToolSchema(())
    if record.started is not None:
        tool_schema = tool_schema_from_text(record.started.tool_schema)
    for step in record.whole_steps:
        if step.number != answer.step:
            continue
        for call in step.calls:
            if tool_schema.ends_trial(call.operation, call.result):
                return
    yield Difference(answer.step, "answer", answer.message, "no call that ends the trial")


def _differences_of_answer(answer: AnswerSent, record: TrialRecord) -> Iterator[Difference]:
    """Yield where an answer differs from the submission that the gates accepted in its step."""
    accepted: Judged | None = None
    for step in record.all_steps:
        if step.number != answer.step:
            continue
        for judged in step.submissions:
            if judged.accepted:
                accepted = judged
    if accepted is None:
        yield Difference(answer.step, "answer", answer.message, "no accepted submission")
        return
    yield from _differing_fields(
        answer,
        message=accepted.answer,
        outcome=accepted.outcome,
        refs=accepted.refs,
        failed=(),
    )


def _differences_of_end(
    ended: TrialEnded, answers: list[AnswerSent], record: TrialRecord
) -> Iterator[Difference]:
    """Yield a difference if the trial ended in another way than its last answer implies."""
    if not answers:
        implied_end = "unanswered"
    elif answers[-1].fallback:
        implied_end = "fallback"
    else:
        implied_end = "answered"
    was_refused = record.answer is None and ended.how == "unanswered"
    if ended.how != implied_end and not was_refused:
        yield Difference(0, "end", ended.how, implied_end)


def _differing_fields(event: StepDone | AnswerSent, **implied: object) -> Iterator[Difference]:
    """Yield the fields of an event that differ from the implied values."""
    for name, value in implied.items():
        recorded = getattr(event, name)
        if recorded != value:
            yield Difference(event.step, name, recorded, value)

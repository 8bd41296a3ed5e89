"""Checks that the lines of a trial agree with each other.

A replay runs scripts and gates again, and compares the results with the journal.
Some lines cannot be checked in this way, but follow from other lines:
the answer that was sent is the submission that the gates accepted, and a trial with
an answer ended as answered.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.agent.events import AnswerSent, Judged, StepDone
from controlplane.agent.evidence import Difference
from controlplane.agent.trial_record import TrialRecord
from controlplane.journal.journal_reader import RecordedTrial
from controlplane.journal.run_events import TrialEnded, tool_schema_from_text
from controlplane.journal.trial_reader import TrialReader
from controlplane.sandbox.interface import ToolSchema


def differences_between_lines(trial: RecordedTrial) -> Iterator[Difference]:
    """Yield the recorded values of a trial that contradict its other lines."""
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
    # With the default solver (`cited`), a step without a script does nothing.
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
    """Yield differences in steps without a script.

    Such a step prints nothing, and keeps the scratchpad (notes between steps) as it is.
    """
    scratchpad_before: object = {}
    for done in record.steps:
        if not done.code:
            yield from _differing_fields(
                done, output="", ending="", scratchpad=scratchpad_before
            )
        scratchpad_before = done.scratchpad


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
    yield Difference(
        answer.step, "answer", answer.message, "no call that ends the trial"
    )


def _differences_of_answer(
    answer: AnswerSent, record: TrialRecord
) -> Iterator[Difference]:
    """Yield where an answer differs from the submission that the gates accepted in its step."""
    accepted: Judged | None = None
    for step in record.all_steps:
        if step.number != answer.step:
            continue
        for judged in step.submissions:
            if judged.accepted:
                accepted = judged
    if accepted is None:
        yield Difference(
            answer.step, "answer", answer.message, "no accepted submission"
        )
        return
    yield from _differing_fields(
        answer,
        message=accepted.answer,
        outcome=accepted.outcome,
        refs=accepted.refs,
        failed=(),  # No gate has rejected an accepted submission.
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
    # If the environment refused the answer that was sent, the record has no answer.
    environment_refused_answer = record.answer is None and ended.how == "unanswered"
    if ended.how != implied_end and not environment_refused_answer:
        yield Difference(0, "end", ended.how, implied_end)


def _differing_fields(
    event: StepDone | AnswerSent, **implied: object
) -> Iterator[Difference]:
    """Yield the fields of an event that differ from the implied values."""
    for name, value in implied.items():
        recorded = getattr(event, name)
        if recorded != value:
            yield Difference(event.step, name, recorded, value)

"""Writes the events of a trial to the journal, unless they are already recorded.

A recorded event is compared with the new one. There are two kinds of differences. If a script makes
another request, such as another citation, the rest of the record does not fit (see `Tape.diverge`).
If only an outcome differs, for example because a gate has changed, the difference is noted, and the
trial continues with the recorded event.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from controlplane.agent.events import (
    NOT_DONE,
    AnswerDone,
    AnswerSent,
    CallApproval,
    CallEvent,
    CallRecord,
    CallStopped,
    CitationAnswered,
    ConversationOpened,
    Emit,
    ModelReplied,
    Noticed,
    ScriptMeasured,
    StepDone,
    SubmissionJudged,
)
from controlplane.agent.evidence.tape.tape import Tape, entry_at

PartOfStep: TypeAlias = CitationAnswered | SubmissionJudged | CallStopped | CallApproval

COMPARED_STEP_FIELDS: Final = ("output", "error", "ending", "scratchpad")
"""The fields of a step that are computed again when the step is repeated."""


@dataclass(slots=True)
class TapedJournal:
    """Writes events that are not recorded yet.

    Created by the trial's `Recorder`. Where the record may decide, a method returns the event with
    which the trial continues.
    """

    tape: Tape
    write: Emit

    def opening(
        self, build: Callable[[], ConversationOpened], take_call: Callable[[CallRecord], None]
    ) -> ConversationOpened:
        """Return the recorded initial prompt, or else the one that `build` makes now.

        `take_call` is told of each call of a recorded prompt.
        """
        opened = self.tape.record.initial_prompt
        if opened is None:
            opened = build()
            self.write(opened)
            return opened
        for call in opened.calls:
            take_call(call)
        return opened

    def citation(self, event: CitationAnswered) -> CitationAnswered:
        """Record a citation. Return the event, with the recorded outcome if there is one."""
        recorded = entry_at(self.tape.step(event.step).citations, event.number)
        now = event.citation
        name = f"citations[{event.number}]"
        if recorded is None:
            self._write_beyond_record(event, name, now)
            return event
        request = (now.path, now.reason, now.quote)
        recorded_request = (recorded.path, recorded.reason, recorded.quote)
        if request != recorded_request:
            self.tape.diverge(event.step, name, recorded, now)
            return event
        self.tape.note_if_different(event.step, name, recorded, now)
        return event.model_copy(update={"citation": recorded})

    def submission(self, event: SubmissionJudged) -> SubmissionJudged:
        """Record a judged submission. Return the event, with the recorded verdicts if any."""
        recorded = entry_at(self.tape.step(event.step).submissions, event.number)
        now = event.judged
        if recorded is None:
            self._write_beyond_record(event, "verdicts", now)
            return event
        submission = (now.answer, now.outcome, now.refs)
        recorded_submission = (recorded.answer, recorded.outcome, recorded.refs)
        if submission == recorded_submission:
            self.tape.note_if_different(event.step, "verdicts", recorded, now)
        else:
            self.tape.diverge(event.step, "verdicts", recorded, now)
        return event.model_copy(update={"judged": recorded})

    def call(self, event: CallEvent) -> None:
        """Record the announcement or the outcome of a call. `TapedCalls` compares the calls."""
        recorded = entry_at(self.tape.step(event.step).calls, event.number)
        if recorded is None:
            self.write(event)
            return
        # If a call was cut off, the record has its announcement only.
        lacks_outcome = recorded.state == "under_way"
        if lacks_outcome and not event.is_announcement:
            self.write(event)

    def stop(self, event: CallStopped, number: int) -> CallStopped | None:
        """Record that a call is stopped. Return the event, or None if the call is sent.

        `event` has the call and the objection of the check, which is empty if the check does not
        object. If the step is recorded, the recorded decision is used. `number` is the number of
        earlier events about stopped calls in the step.
        """
        decision = event if event.objection else None
        step = self.tape.step(event.step)

        # 1. The record says that the call was stopped.
        recorded = entry_at(step.stopped, number)
        if recorded is not None and _stops_call_of(recorded, event):
            objection = event.objection or None
            self.tape.note_if_different(event.step, "stopped", recorded.objection, objection)
            return recorded

        # 2. The record says that the call was sent: it has a call of this number.
        was_sent = event.number < len(step.calls)
        if was_sent:
            self.tape.note_if_different(event.step, "stopped", None, decision)
            return None

        # 3. The record ends before this call.
        if decision is not None:
            self._write_beyond_record(decision, "stopped", decision.objection)
        return decision

    def followed(self, event: CallStopped, number: int) -> None:
        """Record the later outcome of a stopped call (`event.then`).

        `number` is the number of earlier events about stopped calls in the step.
        """
        if entry_at(self.tape.step(event.step).stopped, number) is None:
            self._write_beyond_record(event, "stopped", event.then)

    def approval(self, event: CallApproval, number: int) -> None:
        """Record the user's decision about a call. `number` is its position in the step."""
        if entry_at(self.tape.step(event.step).approvals, number) is None:
            self._write_beyond_record(event, "approvals", event.answer)

    def reply(self, event: ModelReplied) -> None:
        """Record a reply of a model. `TapedModels` returns recorded replies."""
        if entry_at(self.tape.step(event.step).replies, event.number) is None:
            self.write(event)

    def measured(self, event: ScriptMeasured) -> None:
        """Record the memory use of a script. It varies between runs, so it is not compared."""
        is_recorded = self.tape.step(event.step).measured is not None
        if not is_recorded and self.tape.may_go_on(event.step):
            self.write(event)

    def answer(self, event: AnswerSent | AnswerDone, number: int) -> None:
        """Record that an answer is sent, or whether it was accepted.

        `number` is the position of the answer in its step.
        """
        step = self.tape.step(event.step)
        recorded: Sequence[object] = step.answers
        if isinstance(event, AnswerSent):
            recorded = step.sent_answers
        is_recorded = not event.late and number < len(recorded)
        if not is_recorded and not self.tape.is_replay:
            self.write(event)

    def step(self, event: StepDone) -> StepDone:
        """Record a whole step. Return the recorded event if there is one."""
        recorded = self.tape.step(event.step).done
        if recorded is None:
            self.write(event)
            return event
        for name in ("calls", "verdicts"):
            recorded_count = len(getattr(recorded, name))
            self.tape.note_if_different(event.step, name, recorded_count, len(getattr(event, name)))
        for name in COMPARED_STEP_FIELDS:
            self.tape.note_if_different(
                event.step, name, getattr(recorded, name), getattr(event, name)
            )
        return recorded

    def notice(self, event: Noticed) -> None:
        """Record a notice. A recorded one is not written again."""
        if event.text in self.tape.notices:
            self.tape.notices.remove(event.text)
        else:
            self.write(event)

    def _write_beyond_record(self, event: PartOfStep, name: str, now: object) -> None:
        """Write an event that is not recorded.

        If the record of the step is complete, the new event does not fit it. A replay notes this as
        a difference, and a resumed trial raises `RecordDiverged`.
        """
        if self.tape.may_go_on(event.step):
            self.write(event)
        else:
            self.tape.diverge(event.step, name, "nothing", now)


def _stops_call_of(recorded: CallStopped, event: CallStopped) -> bool:
    """Return True if a recorded event says that the call of `event` was stopped."""
    return (
        recorded.then == NOT_DONE
        and recorded.by == event.by
        and recorded.number == event.number
        and recorded.operation == event.operation
        and recorded.arguments == event.arguments
    )

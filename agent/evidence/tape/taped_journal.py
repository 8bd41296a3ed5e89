"""Events of a trial: written to the journal, unless they are recorded already.

An event that is recorded is compared with what happens now. Some differences make the rest of the
record meaningless: a script that asks for another citation is another script. These diverge (see
`Tape.diverge`). Other differences only say that today's gates or texts are not those of the record.
They are noted, and the trial goes on with the recorded event.
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
"""The fields of a step that come out anew when it is run again."""


@dataclass(slots=True)
class TapedJournal:
    """Writes events that are not recorded yet, and returns the event with which the trial goes on."""

    tape: Tape
    write: Emit

    def opening(
        self, build: Callable[[], ConversationOpened], take_call: Callable[[CallRecord], None]
    ) -> ConversationOpened:
        """Return the initial prompt: the recorded one, or the one that `build` makes now.

        If it is recorded, `take_call` gets each of its calls.
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
        """Record a citation with its answer, and return the event with the recorded answer, if any."""
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
        """Record a judged submission, and return the event with the recorded verdicts, if any."""
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
        """Record that a call is about to be made, or its outcome. `TapedCalls` compares calls."""
        recorded = entry_at(self.tape.step(event.step).calls, event.number)
        if recorded is None:
            self.write(event)
            return
        # The record has only the announcement of a call that was cut off.
        lacks_outcome = recorded.state == "under_way"
        if lacks_outcome and not event.is_announcement:
            self.write(event)

    def stop(self, event: CallStopped, number: int) -> CallStopped | None:
        """Record that a call is stopped before it is sent; return None if it is sent instead.

        `event` has the call and the objection of today's check, which is empty if the call may be
        sent. If the step is recorded, the decision of then holds. `number` counts the stopped calls
        of the step.
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
        """Record what became of a stopped call, which `event.then` says.

        `number` counts the stopped calls of the step; an event of this kind counts as one, too.
        """
        if entry_at(self.tape.step(event.step).stopped, number) is None:
            self._write_beyond_record(event, "stopped", event.then)

    def approval(self, event: CallApproval, number: int) -> None:
        """Record what the user decided about a call. `number` counts the approvals of the step."""
        if entry_at(self.tape.step(event.step).approvals, number) is None:
            self._write_beyond_record(event, "approvals", event.answer)

    def reply(self, event: ModelReplied) -> None:
        """Record a reply of a model. `TapedModels` returns recorded ones."""
        if entry_at(self.tape.step(event.step).replies, event.number) is None:
            self.write(event)

    def measured(self, event: ScriptMeasured) -> None:
        """Record the memory of a script. It varies from run to run, so it is not compared."""
        is_recorded = self.tape.step(event.step).measured is not None
        if not is_recorded and self.tape.may_go_on(event.step):
            self.write(event)

    def answer(self, event: AnswerSent | AnswerDone, number: int) -> None:
        """Record that an answer is sent, or whether it was taken.

        `number` counts the answers of the step.
        """
        step = self.tape.step(event.step)
        recorded: Sequence[object] = step.answers
        if isinstance(event, AnswerSent):
            recorded = step.sent_answers
        is_recorded = not event.late and number < len(recorded)
        if not is_recorded and not self.tape.is_replay:
            self.write(event)

    def step(self, event: StepDone) -> StepDone:
        """Record a whole step."""
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
        """Write an event that the record of its step lacks.

        If the step is recorded to its end, the event is a difference. Raises `RecordDiverged`.
        """
        if self.tape.may_go_on(event.step):
            self.write(event)
        else:
            self.tape.diverge(event.step, name, "nothing", now)


def _stops_call_of(recorded: CallStopped, event: CallStopped) -> bool:
    """Say whether a recorded event stopped the call of `event`."""
    return (
        recorded.then == NOT_DONE
        and recorded.by == event.by
        and recorded.number == event.number
        and recorded.operation == event.operation
        and recorded.arguments == event.arguments
    )

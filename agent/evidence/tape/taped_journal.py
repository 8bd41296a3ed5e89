"""Writes the events of a trial to the journal, unless they are already recorded.

The recorded events are on the trial's *tape*. A resumed or replayed trial repeats them,
and each is compared with the new one. There are two kinds of differences:
- A script makes another request, such as another citation. The rest of the record does
  not fit then (see `Tape.diverge`).
- Only an outcome differs, for example because a gate has changed. The difference is
  noted, and the trial continues with the recorded event.
"""

from __future__ import annotations

from collections.abc import Callable
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
"""What may happen several times in a step, besides calls and replies of models."""

COMPARED_STEP_FIELDS: Final = ("output", "error", "ending", "scratchpad")
"""The fields of a step that are computed again when the step is repeated."""


class TapedJournal:
    """Writes events that are not recorded on the trial's tape.

    The tape has the steps that a resumed trial or a replay repeats. Each method records
    one kind of event. If the recorded event may differ from the new one, the method
    returns the event with which the trial continues.
    """

    def __init__(self, tape: Tape, write: Emit) -> None:
        self.tape = tape
        self.write = write
        self._unrepeated_notices = list(tape.record.notices)
        """The recorded notices that the trial has not repeated yet."""

    def opening(
        self,
        build: Callable[[], ConversationOpened],
        restore_call: Callable[[CallRecord], None],
    ) -> ConversationOpened:
        """Return the recorded initial prompt, or else the one that `build` makes now.

        `restore_call` gets each call of a recorded prompt.
        """
        opened = self.tape.record.initial_prompt
        if opened is None:
            opened = build()
            self.write(opened)
            return opened
        for call in opened.calls:
            restore_call(call)
        return opened

    def citation(self, event: CitationAnswered) -> CitationAnswered:
        """Record a citation. Return the event, with the recorded outcome if there is one."""
        recorded = entry_at(self.tape.step(event.step).citations, event.number)
        new = event.citation
        name = f"citations[{event.number}]"
        if recorded is None:
            self._write_beyond_record(event, name, new)
            return event
        # A script asks for the citation, and the outcome says if it is accepted.
        new_request = (new.path, new.reason, new.quote)
        recorded_request = (recorded.path, recorded.reason, recorded.quote)
        if new_request != recorded_request:
            # A resumed trial ends here. In a replay, the recorded outcome is about another
            # path, so the new one is used.
            self.tape.diverge(event.step, name, recorded, new)
            return event
        self.tape.note_if_different(event.step, name, recorded, new)
        return event.model_copy(update={"citation": recorded})

    def submission(self, event: SubmissionJudged) -> SubmissionJudged:
        """Record a judged submission. Return the event, with the recorded verdicts if any."""
        recorded = entry_at(self.tape.step(event.step).submissions, event.number)
        new = event.judged
        if recorded is None:
            self._write_beyond_record(event, "verdicts", new)
            return event
        new_submission = (new.answer, new.outcome, new.refs)
        recorded_submission = (recorded.answer, recorded.outcome, recorded.refs)
        if new_submission == recorded_submission:
            self.tape.note_if_different(event.step, "verdicts", recorded, new)
        else:
            self.tape.diverge(event.step, "verdicts", recorded, new)
        # A replay continues with the recorded verdicts in both cases: they decided if
        # the recorded trial went on.
        return event.model_copy(update={"judged": recorded})

    def call(self, event: CallEvent) -> None:
        """Record the announcement or the outcome of a call.

        `TapedCalls` has already compared the call with the recorded one.
        """
        recorded = entry_at(self.tape.step(event.step).calls, event.number)
        if recorded is None:
            self.write(event)
            return
        # If the process ended during a call, the record has only its announcement.
        lacks_outcome = recorded.state == "under_way"
        if lacks_outcome and not event.is_announcement:
            self.write(event)

    def stop(self, event: CallStopped, stop_number: int) -> CallStopped | None:
        """Record that a call is stopped. Return the event, or None if the call is sent.

        `event` has the objection that a check makes now; empty if it does not object.
        If the step is recorded, the recorded decision is used instead. `stop_number` is
        the position among the step's events about stopped calls, and `event.number` the
        position among its calls.
        """
        step = self.tape.step(event.step)
        recorded = entry_at(step.stopped, stop_number)
        if recorded is not None and _stops_call_of(recorded, event):
            new_objection = event.objection or None
            self.tape.note_if_different(
                event.step, "stopped", recorded.objection, new_objection
            )
            return recorded

        new_stop = event if event.objection else None
        # The recorded trial sent the call, so it is sent now, too.
        was_sent = event.number < len(step.calls)
        if was_sent:
            self.tape.note_if_different(event.step, "stopped", None, new_stop)
            return None
        if new_stop is not None:
            self._write_beyond_record(event, "stopped", event.objection)
        return new_stop

    def outcome_of_stop(self, event: CallStopped, stop_number: int) -> None:
        """Record the later outcome of a stopped call (`event.then`).

        `stop_number` counts the earlier events about stopped calls in the step.
        """
        if entry_at(self.tape.step(event.step).stopped, stop_number) is None:
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
        # Only a step that was cut off takes new events.
        if not is_recorded and self.tape.may_go_on(event.step):
            self.write(event)

    def sent_answer(self, event: AnswerSent, number: int) -> None:
        """Record that an answer is sent. `number` is its position in the step."""
        recorded = entry_at(self.tape.step(event.step).sent_answers, number)
        self._write_answer(event, recorded)

    def answer(self, event: AnswerDone, number: int) -> None:
        """Record whether an answer was accepted. `number` is its position in the step."""
        recorded = entry_at(self.tape.step(event.step).answers, number)
        self._write_answer(event, recorded)

    def _write_answer(self, event: AnswerSent | AnswerDone, recorded: object) -> None:
        """Write an event about an answer, unless it is `recorded`.

        A late answer is sent after the last step. It is not a part of a recorded step,
        so it is always written. A replay sends nothing, and writes nothing.
        """
        is_new = recorded is None or event.late
        if is_new and not self.tape.is_replay:
            self.write(event)

    def step(self, event: StepDone) -> StepDone:
        """Record a whole step. Return the recorded event if there is one, else the new one.

        Outcomes that differ from the recorded ones are noted.
        """
        recorded = self.tape.step(event.step).done
        if recorded is None:
            self.write(event)
            return event
        # The items of these lists were compared when they happened, so compare their number.
        for name in ("calls", "verdicts"):
            recorded_count = len(getattr(recorded, name))
            self.tape.note_if_different(
                event.step, name, recorded_count, len(getattr(event, name))
            )
        for name in COMPARED_STEP_FIELDS:
            self.tape.note_if_different(
                event.step, name, getattr(recorded, name), getattr(event, name)
            )
        return recorded

    def notice(self, event: Noticed) -> None:
        """Record a notice. A recorded one is not written again."""
        if event.text in self._unrepeated_notices:
            self._unrepeated_notices.remove(event.text)
        else:
            self.write(event)

    def _write_beyond_record(self, event: PartOfStep, name: str, new: object) -> None:
        """Write an event that is not recorded. `name` is its subject, such as `citations[2]`.

        If the record of the step is complete, the new event does not fit it. A replay
        notes this as a difference, and a resumed trial raises `RecordDiverged`.
        """
        if self.tape.may_go_on(event.step):
            self.write(event)
        else:
            self.tape.diverge(event.step, name, "nothing", new)


def _stops_call_of(recorded: CallStopped, event: CallStopped) -> bool:
    """Return True if a recorded event says that the call of `event` was stopped.

    `then` is `NOT_DONE` in such an event. In others it is the later outcome.
    """
    return (
        recorded.then == NOT_DONE
        and recorded.by == event.by
        and recorded.number == event.number
        and recorded.operation == event.operation
        and recorded.arguments == event.arguments
    )

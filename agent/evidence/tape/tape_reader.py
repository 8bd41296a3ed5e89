"""Decides whether what a trial does is recorded, new, or something else than recorded.

A trial whose process was killed repeats its recorded steps, its *tape*, and goes on. When the
process was killed, the script of step 2 had cited two files:

    the script cites   the tape has   `take` returns
    /a.md              /a.md          the recorded citation, with its recorded outcome
    /b.md              /b.md          the recorded citation
    /c.md              nothing        None: it is new

If the script cited /x.md instead of /b.md, `take` would raise `RecordDiverged`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from controlplane.agent.events import (
    CallApproval,
    CallEvent,
    CallFailure,
    CallRecord,
    Emit,
    JournalRecord,
    Judged,
    ModelReplied,
    StepEntry,
)
from controlplane.agent.evidence.calls import NumberedCall, StepLog
from controlplane.agent.evidence.tape.tape import Difference, Tape
from controlplane.agent.model import ModelError
from controlplane.agent.record.trial_step import TrialStep
from controlplane.gates.verdicts import Verdict
from controlplane.sandbox.interface import CallError, Plain, ToolSchema, error_codes

Kind = TypeVar("Kind", bound=JournalRecord)
Entry = TypeVar("Entry", bound=StepEntry)
_EMPTY_STEP: Final = TrialStep()


@dataclass(frozen=True, slots=True)
class TapeReader:
    """Reads the tape of one trial at the place that the trial has reached."""

    tape: Tape
    """The recorded steps. Empty in a new trial."""
    step_log: StepLog
    """The step that the trial is at."""

    @property
    def current_step(self) -> TrialStep:
        """What the current step has done so far."""
        return self.step_log.trial_step

    @property
    def recorded_step(self) -> TrialStep:
        """What is recorded of the current step; an empty step if it is not recorded."""
        number = self.step_log.trial_step.number
        return self.tape.steps.get(number, _EMPTY_STEP)

    @property
    def is_complete(self) -> bool:
        """True if the record of the step is whole, so nothing may be added. It is in a replay."""
        return self.tape.is_replay or self.recorded_step.done is not None

    def take(self, entry: Entry) -> Entry | None:
        """Return the recorded entry for `entry`, such as a citation; None if the trial goes beyond.

        With None, the caller does the action and writes it to the journal. A recorded entry with
        the same action counts as it is, even if the action has another outcome today: the
        difference is noted. Any other entry raises `RecordDiverged`. Only a replay, which compares
        a whole recorded trial, notes the other entry as a difference, and returns it.
        """
        step = self.current_step
        number = len(step.entries_of(type(entry)))
        recorded = self.entry_at(number, type(entry))
        if recorded is None and not self.is_complete:
            return None

        name = entry.name_at(number)  # `citations[2]`
        if recorded is not None and recorded.action == entry.action:
            self.compare(name, recorded.compared, entry.compared)
            return recorded

        was = entry.nothing if recorded is None else recorded.shown
        self.tape.diverge(Difference(step.number, name, was, entry.shown))
        return entry

    def next_entry(self, kind: type[Kind]) -> Kind | None:
        """Return the recorded entry of a class, such as `Citation`, that is to be repeated next.

        If the current step has two citations, it is the third recorded one. None if there is none.
        """
        number = len(self.current_step.entries_of(kind))
        return self.entry_at(number, kind)

    def refuses_call(self, refused: CallRecord, *, is_beyond_limit: bool) -> bool:
        """Return True if the next call is refused, as the record says or, beyond it, the limit.

        A step that is repeated goes by its record, whatever the limit is now: a call that was
        refused then is refused again, and one that was sent is not refused. `refused` is the call
        as it would be written.
        """
        recorded = self.next_entry(CallRecord)
        if recorded is None:
            return is_beyond_limit and not self.is_complete
        return not recorded.was_sent and recorded.action == refused.action

    def entry_at(self, number: int, kind: type[Kind]) -> Kind | None:
        """Return the recorded entry at a position, from 0; None if the record ends before."""
        entries = self.recorded_step.entries_of(kind)
        return entries[number] if number < len(entries) else None

    def compare(self, name: str, recorded: object, now: object) -> None:
        """Note a difference if a part of the current step is not as recorded."""
        if recorded != now:
            difference = Difference(self.current_step.number, name, recorded, now)
            self.tape.differences.append(difference)


# Asks the user about calls with untrusted values, unless the answer is recorded.
#
# A mail could say "pay to DE12", and its author need not be the user. With `--provenance approve`,
# the user is asked about each call with a value that only such a text has:
#
#     send_money(to='DE12', amount=420) is to be sent. to: 'DE12' is only in the text of /m.md ...
#
# If the process of a trial was killed, the next one repeats its recorded steps, and takes the user's
# answers from there. A *replay* repeats a finished trial. It asks nobody.


@dataclass(frozen=True, slots=True)
class Approvals:
    """Asks the user about calls of one trial."""

    trial_id: str
    reader: TapeReader
    """Has the recorded step, if the current one repeats it."""
    emit: Emit
    """Writes an event to the journal."""

    def ask_or_repeat(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        text: str,
        ask: Callable[[str], bool] | None,
    ) -> bool:
        """Return True if the user approves a call, which `text` describes.

        `ask` shows the text to the user, and returns True if the user approves. It is None if
        there is no user to ask. It is not called if the answer is recorded, or in a replay.
        """
        step = self.reader.step_log
        refusal = CallApproval(
            trial_id=self.trial_id,
            step=step.number,
            number=step.call_count,  # The call would be the next one of the step.
            operation=operation,
            arguments=dict(arguments),
            text=text,
            answer="refused",
        )
        # Returns the recorded decision about the same call. A replay without one gets `refusal`.
        decision = self.reader.take(refusal)
        if decision is None:  # The question is new.
            is_approved = ask is not None and ask(text)
            answer = "approved" if is_approved else "refused"
            decision = refusal.model_copy(update={"answer": answer})
            self.emit(decision)
        self.add(decision)
        return decision.answer == "approved"

    def add(self, decision: CallApproval) -> None:
        """Add a decision of the user, which may be a recorded one, to the current step."""
        self.reader.current_step.approvals.append(decision)


# Writes the calls of a trial to its journal, each event once.
#
# A call that may change something is written twice: before it is made, and with its outcome. If the
# process is killed in between, the next process repeats the step, and finds the first event in the
# journal. It then writes only the second one:
#
#     in the journal   number 1  write("/b.md", "fee: 7")   under way
#     written now      number 1  write("/b.md", "fee: 7")   made


@dataclass(frozen=True, slots=True)
class CallEvents:
    """Writes those events of one trial's calls that its journal does not have yet."""

    trial_id: str
    reader: TapeReader
    """Finds what the journal has of the current step, if an earlier process has begun this step."""
    emit: Emit
    """Writes an event to the journal."""

    def write_call(self, call: CallRecord, number: int) -> None:
        """Write that call `number` of the step is about to be made, unless the journal has it."""
        if self.reader.entry_at(number, CallRecord) is None:
            self._emit(call, number, was_announced=False)

    def write_outcome(self, numbered: NumberedCall, outcome: CallRecord) -> None:
        """Write a call with its outcome, unless the journal has the outcome."""
        recorded = self.reader.entry_at(numbered.number, CallRecord)
        has_recorded_outcome = recorded is not None and recorded.state != "under_way"
        if not has_recorded_outcome:
            # A call that only reads was not announced: this is its only event.
            self._emit(outcome, numbered.number, was_announced=numbered.was_announced)

    def _emit(self, call: CallRecord, number: int, *, was_announced: bool) -> None:
        event = CallEvent.of(
            call,
            trial_id=self.trial_id,
            step=self.reader.current_step.number,
            number=number,
            was_announced=was_announced,
        )
        self.emit(event)


# Finds the recorded outcomes of calls, so that no call is made twice.
#
# If the process of a trial was killed, the next one *resumes* the trial: it runs the same scripts
# again, and takes the outcomes of their calls from the record of the steps, the *tape*:
#
#     the tape has                                       the same call now
#     read("/a.md")             result: fee 7            gets this result
#     write("/b.md", "fee 7")   under way: the process   is *lost*: it fails, because the file may
#                               was killed then          have been written already
#     nothing more                                       is made
#
# A *replay* runs the scripts of a finished trial again, to compare them. It makes no calls.

_LOST: Final = "the call was cut off; whether it happened is not known"
"""The error of a call during which the process ended."""
_OTHER_CALL: Final = "the script made another call than the recorded one"
"""The error of a call in a replay that differs from the recorded call."""


@dataclass(frozen=True, slots=True)
class RecordedCalls:
    """The recorded calls of one trial, which are taken from the tape in order."""

    reader: TapeReader
    tool_schema: ToolSchema
    """The declared operations, which say if a call may change something."""

    def take(self, call: CallRecord) -> CallRecord | None:
        """Return the next call of the step with its recorded outcome; None to make it now.

        If another call is recorded, the reader raises `RecordDiverged`. In a replay, it only notes
        the difference, and this raises `CallError`.
        """
        recorded = self.reader.take(call)
        if recorded is None:
            return None
        # The reader of a replay returns a call that is not on the tape as it is.
        is_other_call = recorded is call
        if is_other_call:
            raise CallError(error_codes.INTERNAL, _OTHER_CALL)
        if recorded.state != "under_way":
            return recorded

        # The process was killed during this call.
        if self.reader.tape.may_repeat(recorded, self.tool_schema):
            self._drop_calls_after()
            return None
        failure = CallFailure(code=error_codes.UNKNOWN, message=_LOST)
        return recorded.model_copy(update={"state": "lost", "error": failure})

    def asked_for_by(self, function_number: int) -> list[CallRecord]:
        """Return the recorded calls that a function of the benchmark, the call of this number, made."""
        recorded_calls = self.reader.recorded_step.calls
        return [call for call in recorded_calls if call.outer == function_number]

    def _drop_calls_after(self) -> None:
        """Drop the recorded calls after the cut-off one. This one is made again, and they, too."""
        recorded_step = self.reader.recorded_step
        number_of_cut_off = self.reader.step_log.call_count  # the next call of the step
        kept_step = recorded_step.with_calls_until(number_of_cut_off + 1)
        self.reader.tape.steps[recorded_step.number] = kept_step


# Finds the recorded replies of the solver's models, so that none is paid for twice.
#
# In step 2, a request to the model `small` failed, so the same was asked of `main`, which replied.
# Then the process was killed. The journal has only the reply, as failed requests are not recorded.
# The next process repeats the step, and does not ask for this reply again:
#
#     recorded_reply(reader, "small")  -> ModelError, since the next reply is by `main`
#     recorded_reply(reader, "main")   -> the reply
#     recorded_reply(reader, "small")  -> None: there are no more replies, so ask the model


def recorded_reply(reader: TapeReader, role: str) -> ModelReplied | None:
    """Return the next recorded reply of the current step; None to ask the model now.

    `role` says which model is asked. Raises `ModelError` if the request had failed.
    """
    # The reply stays the next one until the solver has added it to the current step.
    next_reply = reader.next_entry(ModelReplied)
    if next_reply is None and not reader.is_complete:
        return None  # The process was killed before this request.
    if next_reply is not None and next_reply.role == role:
        return next_reply
    # The reply is by another model, or the whole step has no more replies.
    msg = f"the record holds no reply in the role {role}: the request had failed"
    raise ModelError(msg)


# Finds the recorded review of a submission.
#
# A *second reader*, a model, reviews the answer that a script submits. If the process of the trial
# was killed, the next one repeats the recorded step, and the model is not paid for again. The next
# recorded submission of the step is
#
#     not there                     the second reader is asked now
#     recorded without a review     None: it was rejected, and not reviewed
#     recorded with a review        this verdict, such as "pass"


def recorded_or_new_review(
    reader: TapeReader, ask: Callable[[], Verdict | None]
) -> Verdict | None:
    """Return the verdict of the second reader on the next submission; None if there is none.

    `ask` asks the second reader, if the submission is not recorded.
    """
    recorded = reader.next_entry(Judged)
    if recorded is None:
        return ask()
    if recorded.review is None:
        return None
    return Verdict(**recorded.review.model_dump())

"""The tape: what the journal has of a trial, which a new process relives.

A process was killed in step 3 of a trial, and the next one *resumes* it. On its tape are

    step 1, step 2    complete: each reply of the model and each result of a call comes from here
    step 3            interrupted after two calls: these come from here, the third is made
    step 4            empty: the trial asks the model and the environment

So nothing is paid for or changed twice. A *replay* relives a whole recorded trial, to compare
the two. `TapeReader` alone decides what is recorded, new, or something else than recorded; no
other part of a trial knows whether it is new, resumed or replayed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final, TypeVar

from controlplane.agent.events import (
    AnswerSent,
    CallRecord,
    Emit,
    JournalRecord,
    Judged,
    ModelReplied,
    Noticed,
    SaidMessage,
    StepDone,
    StepEntry,
    StepEvent,
)
from controlplane.agent.model import REVIEWER, ModelError
from controlplane.agent.record.trial_record import SideReply, TrialRecord
from controlplane.agent.record.trial_step import TrialStep
from controlplane.gates.verdicts import Verdict
from controlplane.sandbox.interface import CallError, error_codes

# What has happened in the step that a trial is at: its calls, and what the model is told of them.
#
# step_log.begin(2)
# call = step_log.add_call(read)     the call has its number in step 2 from now on: 0
# step_log.add_outcome(call_done)    the call has returned
# step_log.trial_step.calls          -> [call_done], without its result

# A script may write a thousand long files in one step. All calls are in the journal, a file.
# In memory a step keeps each call without its result, and, once its arguments have too
# many characters, without its arguments.

_MOST_ARGUMENT_CHARS: Final = 1_000_000
"""How many characters of arguments a step holds in memory.
The arguments of later calls are only in the journal."""
_CHARS_BESIDE_AN_ARGUMENT: Final = 60
"""An estimate of the memory that an argument takes besides its text, in characters."""


class StepLog:
    """What has happened in the current step of one trial, and what the model is told about it."""

    def __init__(self) -> None:
        self.trial_step = TrialStep()
        """The events of the step. Calls are kept without their results (see `add_outcome`)."""
        self.notes: list[str] = []
        """Messages about the calls, which the model reads after the step."""
        self._room_chars = _MOST_ARGUMENT_CHARS
        """How many more characters of arguments fit. Once a call does not fit, it is below 0 for
        good."""

    def begin(self, number: int) -> None:
        """Begin the step with this number. Step 0 prepares the initial prompt."""
        self.trial_step = TrialStep(number)
        self.notes = []
        self._room_chars = _MOST_ARGUMENT_CHARS

    def begin_next(self) -> None:
        """Begin the step after the current one."""
        self.begin(self.number + 1)

    @property
    def number(self) -> int:
        """The number of the step, from 0."""
        return self.trial_step.number

    @property
    def call_count(self) -> int:
        """How many calls the step has. It is also the number of the next call."""
        return len(self.trial_step.calls)

    def function_of(self, call: CallRecord) -> str:
        """Return the function that has asked for a call: `books_by`; empty if none has."""
        if call.outer is None:
            return ""
        return self.trial_step.calls[call.outer].operation

    def add_call(self, call: CallRecord) -> CallRecord:
        """Give a call its place in the step, and return it with its number there."""
        numbered = call.changed(number=self.call_count)
        self.trial_step.calls.append(numbered)
        return numbered

    def add_outcome(self, call: CallRecord) -> None:
        """Put a call with its outcome in its place, without its result, to save memory.

        If the step's calls have too many arguments, those of this call are left out, too. The
        journal has them.
        """
        self._room_chars -= _size_of(call.arguments)
        kept = call
        if call.result:
            kept = kept.changed(result={})
        if self._room_chars < 0:
            kept = kept.changed(arguments={})
        self.trial_step.calls[call.number] = kept

    def add_new_notes(self, notes: Iterable[str]) -> None:
        """Add those messages to the model that the step does not have yet."""
        for note in notes:
            if note not in self.notes:
                self.notes.append(note)


def _size_of(arguments: Mapping[str, object]) -> int:
    """Return an estimate of the memory that arguments take, in characters."""
    size = 0
    for argument in arguments.values():
        items = argument if isinstance(argument, list) else [argument]
        for item in items:
            size += _CHARS_BESIDE_AN_ARGUMENT
            if isinstance(item, str):
                size += len(item)
    return size


# A difference between what a trial does now and its recorded step.
#
# In step 3, the script has read `/a.md` when it was recorded, and reads `/b.md` now:
#
#     Difference(3, "calls[0]", "read({'path': '/a.md'})", "read({'path': '/b.md'})")

_MAX_MESSAGE_CHARS: Final = 2_000
"""The longest message about a difference, in characters. It may quote whole scripts and results."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A part of a step that differs from the record."""

    step: int
    field: str
    """The field of the step that differs, or an item of a list: `output`, `calls[3]`."""
    recorded: object
    now: object

    @property
    def is_in_calls(self) -> bool:
        """True if other calls were made than recorded, or one call differs."""
        return self.field.startswith("calls")

    @property
    def message(self) -> str:
        """The message with which a resumed trial ends."""
        text = (
            f"step {self.step} does not go as recorded: "
            f"{self.field} was {self.recorded}, and is now {self.now}"
        )
        return text[:_MAX_MESSAGE_CHARS]


class RecordDiverged(Exception):
    """Raised if a resumed trial does something else than its record says."""


# Where a resumed trial goes on, and which of its interrupted calls it makes again there.
#
# A process was killed while a trial called `write("/a.md", "fee: 7")`. The next process *resumes*
# the trial, and does not know whether the file was written. If it wrote the file again, the same
# could happen twice. So it does only if the environment surely lacks the file:
#
#     NextEnvironment.SAME.may_make_again(write)      -> False
#     NextEnvironment.REBUILT.may_make_again(write)   -> True


class NextEnvironment(Enum):
    """The environment in which a resumed trial goes on. An earlier attempt wrote `/a.md`."""

    SAME = auto()
    """That of the earlier attempt, such as a container that still runs. It has `/a.md`."""
    NEW = auto()
    """A new one, in which `/a.md` may exist all the same: it may be a platform on the
    network, whose state outlives the process."""
    REBUILT = auto()
    """A new one in its initial state, without `/a.md`. The recorded changes are made again."""

    def may_make_again(self, call: CallRecord) -> bool:
        """Return True if a call during which the process was killed may be made again here.

        | call | may be made again |
        |---|---|
        | `read("/a.md")` | in each environment |
        | `write("/a.md", ...)` | only in a rebuilt one, which has lost the change |
        | `wiki.edit(...)`, a tool of an MCP server | in none: the wiki is not a part of them |
        """
        if not call.changes:
            return True
        return self is NextEnvironment.REBUILT and not call.is_of_mcp_server


@dataclass(slots=True)
class Tape:
    """What one trial relives. Used by one thread at a time.

    | trial | its tape has | if the trial does something else |
    |---|---|---|
    | new | nothing | |
    | resumed | the steps of an interrupted attempt | it ends with `RecordDiverged` |
    | replay | all its steps; it has no environment | it notes the difference, and goes on |
    """

    record: TrialRecord = field(default_factory=TrialRecord)
    """What the journal has of the trial. Empty for a new trial."""
    is_replay: bool = False
    """True in a replay. False in a new or resumed trial."""
    next_environment: NextEnvironment = NextEnvironment.NEW
    """The environment in which a resumed trial goes on. A replay has none."""
    steps: dict[int, TrialStep] = field(init=False)
    """The recorded steps by number."""
    differences: list[Difference] = field(init=False, default_factory=list)
    """What the trial has done in another way than recorded."""

    def __post_init__(self) -> None:
        self.steps = {step.number: step for step in self.record.all_steps}

    @property
    def sent_answer(self) -> AnswerSent | None:
        """The answer that an earlier attempt sent. None in a replay, which submits it again."""
        return None if self.is_replay else self.record.answer

    @property
    def is_solved(self) -> bool:
        """True if an earlier attempt sent the answer, so that no work on the trial is left."""
        return self.record.is_solved and not self.is_replay

    def diverge(self, difference: Difference) -> None:
        """Note in a replay that the trial does something else than recorded.

        In a resumed trial, raises `RecordDiverged` instead: what is recorded after that does not
        fit any more.
        """
        if not self.is_replay:
            raise RecordDiverged(difference.message)
        self.differences.append(difference)

    def may_make_again(self, call: CallRecord) -> bool:
        """Return True if a call that was interrupted, as the process was killed, may be made again."""
        return not self.is_replay and self.next_environment.may_make_again(call)


# Decides whether what a trial does is recorded, new, or something else than recorded.
#
# When the process was killed, the script of step 2 had cited two files:
#
#     the script cites   the tape has   `take` returns
#     /a.md              /a.md          the recorded citation, with its recorded outcome
#     /b.md              /b.md          the recorded citation
#     /c.md              nothing        None: it is new
#
# If the script cited /x.md instead of /b.md, `take` would raise `RecordDiverged`.

Kind = TypeVar("Kind", bound=JournalRecord)
_Entry = TypeVar("_Entry", bound=StepEntry)
_EMPTY_STEP: Final = TrialStep()
_LOST: Final = "the call was interrupted; whether it happened is not known"
"""The error of a call during which the process ended."""
_OTHER_CALL: Final = "the script made another call than the recorded one"
"""The error of a call in a replay that differs from the recorded call."""


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

    def take(self, entry: _Entry) -> _Entry | None:
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
        """Return the recorded entry of a class, such as `Citation`, that is to be relived next.

        If the current step has two citations, it is the third recorded one. None if there is none.
        """
        number = len(self.current_step.entries_of(kind))
        return self.entry_at(number, kind)

    def refuses_call(self, refused: CallRecord, *, is_beyond_limit: bool) -> bool:
        """Return True if the next call is refused, as the record says or, beyond it, the limit.

        A step that is relived goes by its record, whatever the limit is now: a call that was
        refused then is refused again, and one that was sent is not refused. `refused` is the call
        as it would be written.
        """
        recorded = self.next_entry(CallRecord)
        if recorded is None:
            return is_beyond_limit and not self.is_complete
        return not recorded.was_sent and recorded.action == refused.action

    def outcome_of(self, call: CallRecord) -> CallRecord | None:
        """Return the next call of the step with its recorded outcome; None to make it now.

        If the process of a trial was killed, the next one runs the same scripts again:

            the tape has                                       the same call now
            read("/a.md")             result: fee 7            gets this result
            write("/b.md", "fee 7")   under way: the process   is *lost*: it fails, because the file
                                      was killed then          may have been written already
            nothing more                                       is made

        If another call is recorded, raises `RecordDiverged`. A replay, which makes no calls, only
        notes the difference, and this raises `CallError`.
        """
        recorded = self.take(call)
        if recorded is None:
            return None
        # The reader of a replay returns a call that is not on the tape as it is.
        is_other_call = recorded is call
        if is_other_call:
            raise CallError(error_codes.INTERNAL, _OTHER_CALL)
        if not recorded.is_under_way:
            return recorded
        # The process was killed during this call.
        if self.tape.may_make_again(call):
            self._drop_calls_after()
            return None
        return recorded.lost(_LOST)

    def calls_of_function(self, number: int) -> list[CallRecord]:
        """Return the recorded calls that a function of the benchmark, the call `number`, made."""
        return [call for call in self.recorded_step.calls if call.outer == number]

    def _drop_calls_after(self) -> None:
        """Drop the recorded calls after the interrupted one. This one is made again, and they, too."""
        recorded_step = self.recorded_step
        number_of_interrupted = self.step_log.call_count  # the next call of the step
        kept_step = recorded_step.with_calls_until(number_of_interrupted + 1)
        self.tape.steps[recorded_step.number] = kept_step

    def entry_at(self, number: int, kind: type[Kind]) -> Kind | None:
        """Return the recorded entry at a position, from 0; None if the record ends before."""
        entries = self.recorded_step.entries_of(kind)
        return entries[number] if number < len(entries) else None

    def compare(self, name: str, recorded: object, now: object) -> None:
        """Note a difference if a part of the current step is not as recorded."""
        if recorded != now:
            difference = Difference(self.current_step.number, name, recorded, now)
            self.tape.differences.append(difference)


# Writes what happens in the steps of a trial to its journal, unless it is recorded there.
#
# If the process of the trial was killed, the next one relives its recorded steps, the *tape*. The
# same things happen again, but each is in the journal once:
#
#     write(citation of /a.md)         it is recorded: nothing is written; the recorded one counts
#     write(citation of /c.md)         it is new: a line in the journal
#     write_step(summary of step 2)    it is new: a line in the journal


@dataclass(frozen=True, slots=True)
class TrialJournal:
    """Writes the events of one trial's steps that are not on its tape."""

    reader: TapeReader
    """Tells what is recorded of the current step."""
    emit: Emit
    """Writes an event to the journal."""

    def write(self, event: StepEvent, entry: _Entry) -> _Entry:
        """Write what the current step does, unless it is recorded.

        `entry` is a part of the event, such as its citation. The recorded entry, or this one if it
        is new, is added to the current step and returned. Raises `RecordDiverged` if the trial
        does something else than recorded.
        """
        recorded = self.reader.take(entry)
        if recorded is None:
            self.emit(event)
        counting = entry if recorded is None else recorded
        self.reader.current_step.entries_of(type(entry)).append(counting)
        return counting

    def write_once(self, event: StepEvent, kept_as: str) -> None:
        """Write an event that is not compared, unless it is recorded.

        It varies between runs, or older journals lack it. `kept_as` is the field of `TrialStep` that
        keeps it: `peak_memory_bytes`. To a step that an earlier process has recorded to its end,
        nothing is added.
        """
        is_recorded = getattr(self.reader.recorded_step, kept_as) is not None
        if not is_recorded and not self.reader.is_complete:
            self.emit(event)

    def write_step(self, event: StepDone) -> StepDone:
        """Write the summary of a whole step, unless it is recorded. Return the one that counts.

        A recorded summary counts, and each difference of the new one from it is noted.
        """
        recorded = self.reader.recorded_step.done
        if recorded is None:
            self.emit(event)
            return event
        now = event.compared_parts
        for name, before in recorded.compared_parts.items():
            self.reader.compare(name, before, now[name])
        return recorded


# Finds the recorded replies of the solver's models, so that none is paid for twice.
#
# In step 2, a request to the model `small` failed, so the same was asked of `main`, which replied.
# Then the process was killed. The journal has only the reply, as failed requests are not recorded.
# The next process relives the step, and does not ask for this reply again:
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
# was killed, the next one relives the recorded step, and the model is not paid for again. The next
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


# Returns the recorded replies to side requests: those outside of the solver's conversation.
#
# A benchmark may ask a model to play the user (role `user`), and another model may review answers
# (role `reviewer`). A trial whose process was killed is *resumed*: it relives its recorded steps (its
# *tape*) with these requests. The replies come from the tape, so that they are not paid for twice:
#
#     on the tape                      user: "Yes."   reviewer: "No fault."   user: "Thanks."
#     recorded_reply("reviewer", ...)  -> "No fault."
#     recorded_reply("user", ...)      -> "Yes."
#     recorded_reply("user", ...)      -> "Thanks."
#     recorded_reply("user", ...)      -> None: ask the model


class RecordedSideReplies:
    """Finds the recorded replies to side requests. Each of them is used once."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self._unused = [
            side_reply
            for side_reply in tape.record.side_replies
            if _is_asked_for_again(side_reply, tape)
        ]
        """The recorded replies that the trial may still use, in order."""

    def recorded_reply(
        self, role: str, texts: tuple[SaidMessage, ...]
    ) -> ModelReplied | None:
        """Return the next recorded reply of a role; None to ask the model now.

        `texts` is the request. It may not be the recorded one, for example because another answer
        is to be reviewed. Then a resumed trial asks the model, and the recorded reply stays the
        next one. A *replay*, which relives a finished trial and asks no model, takes it all the
        same, and notes the difference.
        """
        recorded = self._next_of(role)
        if recorded is None:
            return None
        if recorded.texts != texts:
            is_resumed = not self.tape.is_replay
            if is_resumed:
                return None
            step = recorded.replied.step
            difference = Difference(step, f"request {role}", recorded.texts, texts)
            self.tape.differences.append(difference)
        self._unused.remove(recorded)
        return recorded.replied

    def _next_of(self, role: str) -> SideReply | None:
        """Return the first unused reply of a role; None if there is none."""
        for recorded in self._unused:
            if recorded.replied.role == role:
                return recorded
        return None


def _is_asked_for_again(side_reply: SideReply, tape: Tape) -> bool:
    """Return True if the request of a recorded reply will be made again.

    The trial itself asks for reviews, always again. The environment asks for the user's replies. If
    it has run on while the trial was killed, it has them already, and does not ask again.
    """
    is_review = side_reply.replied.role == REVIEWER
    return is_review or tape.next_environment is not NextEnvironment.SAME


# Writes the notices of a trial to its journal: messages to the user, such as that a model is slow.
#
# If the process of the trial was killed, the next one relives the recorded steps, and may notice the
# same again. A notice belongs to no step, so a relived one is recognised by its text:
#
#     recorded                 "main is slow"
#     write("main is slow")    is not written again
#     write("main is slow")    is written: it was recorded only once


class TrialNotices:
    """Writes the notices of one trial that are not on its tape."""

    def __init__(self, tape: Tape, emit: Emit) -> None:
        self._not_relived = list(tape.record.notices)
        """The texts of the recorded notices that the trial has not relived yet."""
        self._emit = emit
        """Writes an event to the journal."""

    def write(self, event: Noticed) -> None:
        """Write a notice, unless it is recorded."""
        if event.text in self._not_relived:
            self._not_relived.remove(event.text)
        else:
            self._emit(event)

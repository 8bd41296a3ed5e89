"""Recorded steps that a trial lives again, and the seams at which their record answers instead of the world.

The seams are the journal, the environment, the models and the user. Each of them looks first at the tape: what stands
there at the same place (step, kind and number) is taken. Where the record of a step ends, the world takes over, or, if
the trial is only replayed, the end is told. Nothing else knows whether a trial is live.

    solver ── session ──┬─ TapedJournal ─── what happens is compared with what stands there, or written
                        ├─ TapedCalls ───── calls and the answer, or the environment
                        ├─ TapedModels ──── replies, or the models
                        └─ TapedUser ────── approvals, or the user
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, TypeAlias, TypeVar

from controlplane.agent.events import (
    NOT_DONE,
    AnswerDone,
    AnswerSent,
    CallApproval,
    CallDone,
    CallFailure,
    CallRecord,
    CallSent,
    CallStopped,
    CitationAnswered,
    ConversationOpened,
    Emit,
    ModelReplied,
    Noticed,
    SaidMessage,
    ScriptMeasured,
    StepDone,
    SubmissionJudged,
)
from controlplane.agent.evidence.environment import LiveCalls, with_outcome
from controlplane.agent.model import ModelError
from controlplane.agent.trial_record import SideReply, TrialRecord, TrialStep
from controlplane.gates.submission import REVIEW, Verdict
from controlplane.sandbox.interface import CallError, Plain, error_codes

LOST: Final = "the call was cut off; whether it happened is not known"
OTHER_CALL: Final = "the script made another call than the recorded one"
PartOfStep: TypeAlias = CitationAnswered | SubmissionJudged | CallStopped | CallApproval
Recorded = TypeVar("Recorded")


@dataclass(frozen=True, slots=True)
class Difference:
    """Something in a step that is not as recorded."""

    step: int
    field: str
    recorded: object
    now: object


class RecordDiverged(Exception):
    """A resumed trial does something else than it did: what it would do next belongs to another trial."""


@dataclass(slots=True)
class Tape:
    """The recorded steps of a trial, from which its seams answer. Used by one thread at a time."""

    record: TrialRecord = field(default_factory=TrialRecord)
    is_replay: bool = False
    """True if nothing outside may be reached: where the record ends, the end is told."""
    is_rebuilt: bool = False
    """True if the environment was made anew: a call that was cut off had no effect in it."""
    differences: list[Difference] = field(default_factory=list)
    """What a replay did otherwise."""
    side_replies: list[SideReply] = field(init=False)
    """The replies to side requests that nobody has asked for again yet."""
    notices: list[str] = field(init=False)
    """The recorded notices that were not told again yet."""
    _steps: dict[int, TrialStep] = field(init=False)

    def __post_init__(self) -> None:
        self.side_replies = list(self.record.side_replies)
        self.notices = list(self.record.notices)
        self._steps = {step.number: step for step in self.record.whole_steps}
        open_step = self.record.open_step
        if open_step.number > 0:  # The initial prompt is taken whole, or made anew.
            self._steps[open_step.number] = replace(open_step, calls=list(open_step.calls))

    @property
    def sent_answer(self) -> AnswerSent | None:
        """The answer that an earlier attempt sent; None in a replay, which submits it again."""
        return None if self.is_replay else self.record.answer

    @property
    def is_solved(self) -> bool:
        """True if an earlier attempt sent the answer, so that no work on the trial is left."""
        return self.record.is_solved and not self.is_replay

    def step(self, number: int) -> TrialStep:
        """Return the record of a step; an empty one if the journal holds nothing of it."""
        return self._steps.get(number, _NO_STEP)

    def keep_side_replies(self, role: str) -> None:
        """Drop the replies to side requests in other roles: the environment that asked them is still there."""
        self.side_replies = [side for side in self.side_replies if side.replied.role == role]

    def has_ended(self, number: int) -> bool:
        """Say whether what the record of a step lacks happens now: the step is not whole."""
        return not self.is_replay and self.step(number).done is None

    def differs(self, step: int, name: str, recorded: object, now: object) -> None:
        """Note that a replay did something otherwise. Raises `RecordDiverged` in a resumed trial."""
        if not self.is_replay:
            msg = f"step {step} does not go as recorded: {name} was {recorded}, and is now {now}"
            raise RecordDiverged(msg[:2_000])
        self.differences.append(Difference(step, name, recorded, now))

    def note(self, step: int, name: str, recorded: object, now: object) -> None:
        """Note that something comes out otherwise than recorded. What stands in the record holds."""
        if recorded != now:
            self.differences.append(Difference(step, name, recorded, now))


_NO_STEP: Final = TrialStep()


@dataclass(slots=True)
class TapedJournal:
    """Writes what happens, unless it stands on the tape already; then what stands there holds."""

    tape: Tape
    write: Emit

    def opening(
        self, build: Callable[[], ConversationOpened], take_call: Callable[[CallRecord], None]
    ) -> ConversationOpened:
        """Return the initial prompt: the recorded one, after `take_call` took each of its calls, or a new one."""
        opened = self.tape.record.initial_prompt
        if opened is None:
            opened = build()
            self.write(opened)
            return opened
        for call in opened.calls:
            take_call(call)
        return opened

    def citation(self, event: CitationAnswered) -> CitationAnswered:
        """Record a citation with its answer; return the one that holds."""
        recorded = _at(self.tape.step(event.step).citations, event.number)
        now = event.citation
        name = f"citations[{event.number}]"
        if recorded is None:
            self._write_beyond(event, name, now)
            return event
        asked_then = recorded.path, recorded.reason, recorded.quote
        if asked_then != (now.path, now.reason, now.quote):
            self.tape.differs(event.step, name, recorded, now)
            return event
        self.tape.note(event.step, name, recorded, now)
        return event.model_copy(update={"citation": recorded})

    def submission(self, event: SubmissionJudged) -> SubmissionJudged:
        """Record a judged submission; return the one that holds."""
        recorded = _at(self.tape.step(event.step).submissions, event.number)
        if recorded is None:
            self._write_beyond(event, "verdicts", event.judged)
            return event
        now = event.judged
        asked_then = recorded.answer, recorded.outcome, recorded.refs
        if asked_then == (now.answer, now.outcome, now.refs):
            self.tape.note(event.step, "verdicts", recorded, now)
        else:
            self.tape.differs(event.step, "verdicts", recorded, now)
        return event.model_copy(update={"judged": recorded})

    def call(self, event: CallSent | CallDone) -> None:
        """Record that a call was sent, or what became of it. Its outcome comes from the tape, if the tape has it."""
        recorded = _at(self.tape.step(event.step).calls, event.number)
        is_new = recorded is None
        if recorded is not None and isinstance(event, CallDone):
            is_new = recorded.state == "under_way"
        if is_new:
            self.write(event)

    def stop(
        self, event: CallStopped | None, place: CallStopped, position: int
    ) -> CallStopped | None:
        """Record that a call is stopped before it is sent; return what holds, None if it is sent.

        `event` is what is decided now, None for a call that is sent. `place` says which call it is about, and
        `position` how many calls of the step were stopped before.
        """
        recorded_step = self.tape.step(place.step)
        recorded = _at(recorded_step.stopped, position)
        if recorded is not None and _is_same_stop(recorded, place):
            told = None if event is None else event.objection
            self.tape.note(place.step, "stopped", recorded.objection, told)
            return recorded
        was_sent = place.number < len(recorded_step.calls)
        if was_sent:
            self.tape.note(place.step, "stopped", None, event)
            return None
        if event is None:
            return None
        self._write_beyond(event, "stopped", event.objection)
        return event

    def followed(self, event: CallStopped, position: int) -> None:
        """Record what became of a call that was stopped."""
        if _at(self.tape.step(event.step).stopped, position) is None:
            self._write_beyond(event, "stopped", event.then)

    def approval(self, event: CallApproval, position: int) -> None:
        """Record what the user decided about a call."""
        if _at(self.tape.step(event.step).approvals, position) is None:
            self._write_beyond(event, "approvals", event.answer)

    def reply(self, event: ModelReplied) -> None:
        """Record a model's reply. A recorded reply comes from the tape."""
        if _at(self.tape.step(event.step).replies, event.number) is None:
            self.write(event)

    def measured(self, event: ScriptMeasured) -> None:
        """Record what a step's script took, which varies from run to run: what stands in the record is kept."""
        recorded_step = self.tape.step(event.step)
        if recorded_step.measured is None and self.tape.has_ended(event.step):
            self.write(event)

    def answer(self, event: AnswerSent | AnswerDone, position: int) -> None:
        """Record that an answer is sent, or whether it was taken; `position` counts the answers of the step."""
        recorded_step = self.tape.step(event.step)
        recorded: Sequence[object] = recorded_step.answers
        if isinstance(event, AnswerSent):
            recorded = recorded_step.sent_answers
        is_recorded = not event.late and position < len(recorded)
        if not is_recorded and not self.tape.is_replay:
            self.write(event)

    def step(self, event: StepDone) -> StepDone:
        """Record a whole step; return the one that holds."""
        recorded = self.tape.step(event.step).done
        if recorded is None:
            self.write(event)
            return event
        for name in ("calls", "verdicts"):
            self.tape.note(
                event.step, name, len(getattr(recorded, name)), len(getattr(event, name))
            )
        for name in STEP_FIELDS:
            self.tape.note(event.step, name, getattr(recorded, name), getattr(event, name))
        return recorded

    def notice(self, event: Noticed) -> None:
        """Record something worth knowing, once."""
        if event.text in self.tape.notices:
            self.tape.notices.remove(event.text)
        else:
            self.write(event)

    def _write_beyond(self, event: PartOfStep, name: str, now: object) -> None:
        """Write an event that the record of its step lacks. Raises `RecordDiverged` if the step is whole."""
        if self.tape.has_ended(event.step):
            self.write(event)
        else:
            self.tape.differs(event.step, name, "nothing", now)


STEP_FIELDS: Final = ("output", "error", "ending", "scratchpad")
"""The fields of a step that running it again makes anew."""


def _at(recorded: Sequence[Recorded], number: int) -> Recorded | None:
    """Return what stands on the tape at a number; None where the tape has ended."""
    return recorded[number] if number < len(recorded) else None


def _is_same_stop(recorded: CallStopped, place: CallStopped) -> bool:
    """Say whether a recorded event stopped the call of `place`."""
    return (
        recorded.then == NOT_DONE
        and recorded.by == place.by
        and recorded.number == place.number
        and recorded.operation == place.operation
        and recorded.arguments == place.arguments
    )


@dataclass(slots=True)
class TapedCalls:
    """Calls of a trial: answered from the tape, else made in its environment."""

    tape: Tape
    live: LiveCalls

    def clock(self) -> datetime | None:
        """Return the clock that scripts see at the start: the recorded one, or that of the environment."""
        if self.tape.record.has_begun:
            return self.tape.record.now
        return self.live.clock()

    def begin_ahead(self, operation: str, arguments: Mapping[str, Plain]) -> None:
        """Begin an initial call early, unless the tape has the initial prompt and its calls."""
        if self.tape.record.initial_prompt is None:
            self.live.begin_ahead(operation, arguments)

    def begin(
        self, call: CallRecord, recorded: CallRecord | None, *, is_beside: bool
    ) -> Callable[[], CallRecord]:
        """Return what waits for the outcome of a call: the recorded one, or that of the environment, in which the call
        is begun beside others if that is allowed."""
        if recorded is None:
            return self.live.begin(call, is_beside=is_beside)
        return lambda: recorded

    def recorded(self, step: int, number: int, call: CallRecord) -> CallRecord | None:
        """Return a call as it is recorded, and what became of one that was cut off; None for a call to be made now.

        Raises `CallError` if a replay makes another call than the recorded one, and `RecordDiverged` if a resumed
        trial does.
        """
        recorded = _at(self.tape.step(step).calls, number)
        if recorded is None:
            if not self.tape.has_ended(step):
                self._refuse(step, number, "no further call", call)
            return None
        request = call.operation, call.arguments, call.in_verify
        if request != (recorded.operation, recorded.arguments, recorded.in_verify):
            recorded_text = f"{recorded.operation}({recorded.arguments})"
            self._refuse(step, number, recorded_text, call)
        if recorded.state != "under_way":
            return recorded
        tool_schema = self.live.tool_schema
        is_elsewhere = "." in call.operation  # A tool of a server, whose effects remain.
        may_have_happened = tool_schema.may_change(call.operation, call.arguments) and (
            is_elsewhere or not self.tape.is_rebuilt
        )
        if may_have_happened or self.tape.is_replay:
            failure = CallFailure(code=error_codes.UNKNOWN, message=LOST)
            return recorded.model_copy(update={"state": "lost", "error": failure})
        del self.tape.step(step).calls[number + 1 :]  # A function makes its calls again.
        return None

    def _refuse(self, step: int, number: int, recorded: str, call: CallRecord) -> None:
        now = f"{call.operation}({call.arguments})"
        self.tape.differs(step, f"calls[{number}]", recorded, now)
        raise CallError(error_codes.INTERNAL, OTHER_CALL)

    def compute(
        self,
        call: CallRecord,
        recorded: CallRecord | None,
        reads: Sequence[CallRecord],
        compute: Callable[[], dict[str, Plain]],
        repeat_read: Callable[[CallRecord], object],
    ) -> CallRecord:
        """Return the call of a function with its outcome: the one that `compute` returns or raises now.

        If the outcome is recorded, `compute` is not called: the recorded `reads` that the function
        made are repeated, and the recorded outcome is returned.
        """
        if recorded is None:
            return with_outcome(call, compute)
        for read in reads:
            repeat_read(read)
        return recorded

    def inner_calls(self, step: int, number: int) -> list[CallRecord]:
        """Return the recorded calls that a function made, by the number of its own call."""
        return self.tape.step(step).inner_calls.get(number, [])

    def calls_of_verify(self, step: int, number: int) -> list[CallRecord]:
        """Return the recorded calls of a `verify` from a number on, which nobody made now."""
        calls: list[CallRecord] = []
        for call in self.tape.step(step).calls[number:]:
            if not call.in_verify:
                break
            calls.append(call)
        return calls

    def answer(self, event: AnswerSent, position: int) -> bool:
        """Have the environment take an answer, and return True; False if the tape says that it was taken.

        `position` counts the answers of the step. The environment may be a new one that knows nothing of an answer that
        was taken: who ends the trial sends that again. Raises `CallError` if the answer is not taken.
        """
        if self.tape.is_replay:
            return False
        recorded = None
        if not event.late:
            recorded = _at(self.tape.step(event.step).answers, position)
        if recorded is None:
            self.live.answer(event.message, event.outcome, event.refs)
            return True
        error = recorded.error
        if error is not None and error.code != error_codes.ALREADY_EXISTS:
            raise CallError(error.code, error.message)
        return False


@dataclass(slots=True)
class TapedModels:
    """Replies of models: those on the tape, else what the models reply."""

    tape: Tape

    def reply(
        self, step: int, number: int, role: str, ask: Callable[[], ModelReplied]
    ) -> ModelReplied:
        """Return the reply to a request of a step. Raises `ModelError`, also if the recorded request had failed."""
        replies = self.tape.step(step).replies
        recorded = _at(replies, number)
        if recorded is not None and recorded.role == role:
            return recorded
        if recorded is not None or not self.tape.has_ended(step):
            msg = f"the record holds no reply in the role {role}: the request had failed"
            raise ModelError(msg)
        return ask()

    def side_reply(self, role: str, texts: tuple[SaidMessage, ...]) -> ModelReplied | None:
        """Take the next recorded reply to a side request of this role; None if it has to be asked.

        In a replay the reply holds even if it is now asked in other words, which is noted.
        """
        for place, side in enumerate(self.tape.side_replies):
            if side.replied.role != role:
                continue
            if side.texts != texts and not self.tape.is_replay:
                return None
            self.tape.note(side.replied.step, f"request {role}", side.texts, texts)
            del self.tape.side_replies[place]
            return side.replied
        return None

    def review(self, step: int, number: int, ask: Callable[[], Verdict | None]) -> Verdict | None:
        """Return the second reader's verdict on a submission of a step; None if it was not asked."""
        recorded = _at(self.tape.step(step).submissions, number)
        if recorded is None:
            return ask()
        for verdict in recorded.verdicts:
            if verdict.key == REVIEW:
                return Verdict(**verdict.model_dump())
        return None


@dataclass(slots=True)
class TapedUser:
    """What the user decides about calls: as on the tape, else as the user says now."""

    tape: Tape

    def approves(
        self, step: int, position: int, text: str, ask: Callable[[str], bool] | None
    ) -> bool:
        """Say whether the user approves of a call; `position` counts the approvals of the step."""
        recorded = _at(self.tape.step(step).approvals, position)
        if recorded is not None:
            self.tape.note(step, "approvals", recorded.text, text)
            return recorded.answer == "approved"
        if ask is None or not self.tape.has_ended(step):
            return False
        return ask(text)

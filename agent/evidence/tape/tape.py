"""The tape: what the journal has of a trial, which a new process repeats.

A process was killed in step 3 of a trial, and the next one *resumes* it. On its tape are

    step 1, step 2    complete: each reply of the model and each result of a call comes from here
    step 3            cut off after two calls: these come from here, the third is made
    step 4            empty: the trial asks the model and the environment

So nothing is paid for or changed twice. A *replay* repeats a whole recorded trial, to compare
the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum, auto
from typing import Final

from controlplane.agent.events import (
    AnswerSent,
    CallRecord,
    Emit,
    ModelReplied,
    Noticed,
    SaidMessage,
)
from controlplane.agent.evidence.calls import LiveCalls
from controlplane.agent.model import REVIEWER
from controlplane.agent.record.trial_record import SideReply, TrialRecord
from controlplane.agent.record.trial_step import TrialStep
from controlplane.sandbox.interface import CallError, Plain, ToolSchema, guarded

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
#     NextEnvironment.SAME.may_repeat(write, tool_schema)      -> False
#     NextEnvironment.REBUILT.may_repeat(write, tool_schema)   -> True


class NextEnvironment(Enum):
    """The environment in which a resumed trial goes on. An earlier attempt wrote `/a.md`."""

    SAME = auto()
    """That of the earlier attempt, such as a container that still runs. It has `/a.md`."""
    NEW = auto()
    """A new one, in which `/a.md` may exist all the same: it may be a platform on the
    network, whose state outlives the process."""
    REBUILT = auto()
    """A new one in its initial state, without `/a.md`. The recorded changes are made again."""

    def may_repeat(self, call: CallRecord, tool_schema: ToolSchema) -> bool:
        """Return True if a call during which the process was killed may be made again here.

        | call | may be made again |
        |---|---|
        | `read("/a.md")` | in each environment |
        | `write("/a.md", ...)` | only in a rebuilt one, which has lost the change |
        | `wiki.edit(...)`, a tool of an MCP server | in none: the wiki is not a part of them |
        """
        if not call.changes(tool_schema):
            return True
        return self is NextEnvironment.REBUILT and not call.is_of_mcp_server


@dataclass(slots=True)
class Tape:
    """What one trial repeats. Used by one thread at a time.

    | trial | its tape has | if the trial does something else |
    |---|---|---|
    | new | nothing | |
    | resumed | the steps of an attempt that was cut off | it ends with `RecordDiverged` |
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

    def may_repeat(self, call: CallRecord, tool_schema: ToolSchema) -> bool:
        """Return True if a call that was cut off, as the process was killed, may be made again."""
        return not self.is_replay and self.next_environment.may_repeat(
            call, tool_schema
        )


# Returns the recorded replies to side requests: those outside of the solver's conversation.
#
# A benchmark may ask a model to play the user (role `user`), and another model may review answers
# (role `reviewer`). A trial whose process was killed is *resumed*: it repeats its recorded steps (its
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
        next one. A *replay*, which repeats a finished trial and asks no model, takes it all the
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
# If the process of the trial was killed, the next one repeats the recorded steps, and may notice the
# same again. A notice belongs to no step, so a repeated one is recognised by its text:
#
#     recorded                 "main is slow"
#     write("main is slow")    is not written again
#     write("main is slow")    is written: it was recorded only once


class TrialNotices:
    """Writes the notices of one trial that are not on its tape."""

    def __init__(self, tape: Tape, emit: Emit) -> None:
        self._unrepeated = list(tape.record.notices)
        """The texts of the recorded notices that the trial has not repeated yet."""
        self._emit = emit
        """Writes an event to the journal."""

    def write(self, event: Noticed) -> None:
        """Write a notice, unless it is recorded."""
        if event.text in self._unrepeated:
            self._unrepeated.remove(event.text)
        else:
            self._emit(event)


# Asks the environment for what a trial needs first, unless an earlier attempt has recorded it.
#
# A trial first needs the time of its environment's clock, and the results of the calls that the
# initial prompt shows. Both may take long, so the calls are started before the clock is asked:
#
#     start.begin_early("read", {"path": "/docs/fees.md"})     the call is sent, and runs
#     start.clock()                                            asks the environment, and waits
#     the initial prompt makes the same call                   and gets the result of the first line
#
# If the trial is resumed after its process was killed, both are on the *tape*, its recorded steps.
# Then nothing is asked, and scripts see the same time as before.


@dataclass(frozen=True, slots=True)
class TrialStart:
    """Gets the start time of one trial, and starts the calls of its initial prompt early."""

    tape: Tape
    """The recorded steps. Empty in a new trial."""
    live: LiveCalls
    """Reaches the environment."""

    def clock(self) -> datetime | None:
        """Return the time that scripts see at the start: recorded, or from the environment.

        None if the environment has no clock. A time without a time zone is in UTC.
        """
        if self.tape.record.has_begun:
            return self.tape.record.start_time
        with suppress(CallError):
            # `guarded` turns any exception of the environment into a `CallError`.
            now = guarded("now", self.live.environment.now)
            if isinstance(now, datetime):
                return now if now.tzinfo else now.replace(tzinfo=UTC)
        return None

    def begin_early(self, operation: str, arguments: Mapping[str, Plain]) -> None:
        """Start a call of the initial prompt before its turn, so that it runs beside other work.

        `CallSender.send` takes over the started call, once the initial prompt makes the same one.
        Does nothing if the initial prompt is recorded: then the results of its calls are
        recorded, too.
        """
        if self.tape.record.initial_prompt is None:
            self.live.begin_early(operation, arguments)

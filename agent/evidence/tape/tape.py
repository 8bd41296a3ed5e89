"""The record of a trial's steps, by step number, and the differences that a replay finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, TypeVar

from controlplane.agent.events import AnswerSent
from controlplane.agent.model import REVIEWER
from controlplane.agent.trial_record import SideReply, TrialRecord, TrialStep

Entry = TypeVar("Entry")

MAX_DIFFERENCE_CHARS: Final = 2_000
"""Characters of the message about a difference: it may quote whole scripts and results."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Something in a step that is not as recorded."""

    step: int
    field: str
    """What differs: the field of a step, or one item of a list, such as `calls[3]`."""
    recorded: object
    now: object


class RecordDiverged(Exception):
    """A resumed trial does not repeat what it did before, so its record is that of another trial."""


@dataclass(slots=True)
class Tape:
    """The recorded steps that a trial goes through again. Used by one thread at a time.

    A trial that is played for the first time has an empty tape. A resumed trial goes through the steps
    of an earlier attempt, and then on beyond them. Its environment is still the one of that attempt
    (`is_fresh` is false), or a new one in which the recorded changes are made again (`is_fresh`). A
    replay (`is_replay`) goes through all steps, stops where the record ends, and has no environment.
    """

    record: TrialRecord = field(default_factory=TrialRecord)
    is_replay: bool = False
    """True if nothing outside may be reached, not even where the record ends."""
    is_fresh: bool = True
    """False if the environment is still that of the attempt before."""
    is_rebuilt: bool = False
    """True if a fresh environment began in its first state. Then a call that was cut off has had no
    effect in it."""
    differences: list[Difference] = field(default_factory=list)
    """What a replay finds to be different from the record."""
    side_replies: list[SideReply] = field(init=False)
    """The recorded replies to side requests, those of the benchmark and of the second reader, that
    have not been asked for again yet."""
    notices: list[str] = field(init=False)
    """The recorded notices that have not been given again yet."""
    _steps: dict[int, TrialStep] = field(init=False)
    """The recorded steps by number, with the one that was cut off."""

    def __post_init__(self) -> None:
        self.side_replies = []
        for side in self.record.side_replies:
            # The environment of the attempt before goes on where it was, so a benchmark does not make
            # its recorded requests again.
            if self.is_fresh or side.replied.role == REVIEWER:
                self.side_replies.append(side)
        self.notices = list(self.record.notices)

        self._steps = {step.number: step for step in self.record.whole_steps}
        open_step = self.record.open_step
        # Step 0, which prepares the initial prompt, is repeated as a whole or not at all.
        if open_step.number > 0:
            # Its calls are copied, because `drop_calls_from` shortens the list.
            self._steps[open_step.number] = replace(open_step, calls=list(open_step.calls))

    @property
    def sent_answer(self) -> AnswerSent | None:
        """The answer that an earlier attempt sent; None in a replay, which submits it again."""
        if self.is_replay:
            return None
        return self.record.answer

    @property
    def is_solved(self) -> bool:
        """True if an earlier attempt sent the answer, so that no work on the trial is left."""
        return self.record.is_solved and not self.is_replay

    @property
    def start_time(self) -> datetime | None:
        """The clock that scripts saw when the trial started; None without a record or a clock."""
        return self.record.now

    def step(self, number: int) -> TrialStep:
        """Return the record of a step; an empty step if nothing of it is recorded."""
        return self._steps.get(number, _EMPTY_STEP)

    def may_go_on(self, number: int) -> bool:
        """Return True if a step may go beyond its record, because it was not recorded to its end.

        In a replay no step may.
        """
        return not self.is_replay and self.step(number).done is None

    def drop_calls_from(self, step: int, number: int) -> None:
        """Forget the recorded calls of a step from a number on, because they are made again."""
        del self.step(step).calls[number:]

    def diverge(self, step: int, name: str, recorded: object, now: object) -> None:
        """Note that a step asks for something else than recorded, such as another call.

        What the record has from there on does not fit. A replay only notes this. A resumed trial
        cannot go on: raises `RecordDiverged`.
        """
        if not self.is_replay:
            msg = f"step {step} does not go as recorded: {name} was {recorded}, and is now {now}"
            raise RecordDiverged(msg[:MAX_DIFFERENCE_CHARS])
        self.differences.append(Difference(step, name, recorded, now))

    def note_if_different(self, step: int, name: str, recorded: object, now: object) -> None:
        """Note a difference if an outcome, such as a verdict, is not as recorded.

        The trial goes on with the recorded outcome, so the rest of the record still fits.
        """
        if recorded != now:
            self.differences.append(Difference(step, name, recorded, now))


_EMPTY_STEP: Final = TrialStep()


def given_or_empty(tape: Tape | None) -> Tape:
    """Return a tape, or an empty one if there is none."""
    if tape is None:
        return Tape()
    return tape


def entry_at(entries: Sequence[Entry], number: int) -> Entry | None:
    """Return the entry with a number; None if the record ends before it."""
    return entries[number] if number < len(entries) else None

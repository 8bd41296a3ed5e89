"""The tape: the recorded steps of a trial, which it repeats.

A process was killed in step 3 of a trial, and `resume` starts the trial again. On its tape are

    step 1, step 2    complete: each reply of the model and each result of a call comes from here
    step 3            cut off after two calls: these come from here, the third is made
    step 4            empty: the trial asks the model and the environment

So nothing is paid for or changed twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Final, TypeVar

from controlplane.agent.events import AnswerSent
from controlplane.agent.evidence.tape.comparison import Comparison, Difference
from controlplane.agent.record.recorded_answer import is_solved
from controlplane.agent.record.step_calls import StepCalls
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.agent.record.trial_step import TrialStep

Entry = TypeVar("Entry")
"""An item of a list in the record, such as a call."""


class NextEnvironment(Enum):
    """The environment in which a resumed trial goes on. An earlier attempt wrote `/a.md`."""

    SAME = auto()
    """That of the earlier attempt, such as a container that still runs. It has `/a.md`."""
    NEW = auto()
    """A new one, in which `/a.md` may exist all the same: it may be a platform on the
    network, whose state outlives the process."""
    REBUILT = auto()
    """A new one in its initial state, without `/a.md`. The recorded changes are made again."""


@dataclass(slots=True)
class Tape:
    """The recorded steps that a trial repeats. Used by one thread at a time.

    There are three kinds of trials:

    - A new trial has an empty tape.
    - A resumed trial repeats the steps of an earlier attempt that was cut off, and then
      goes on. If it does something else than recorded, it fails with `RecordDiverged`.
    - A replay repeats a whole recorded trial to compare the two. It has no environment,
      and notes each difference.
    """

    record: TrialRecord = field(default_factory=TrialRecord)
    """What the journal has of the trial. Empty for a new trial."""
    is_replay: bool = False
    """True in a replay. False in a new or resumed trial."""
    next_environment: NextEnvironment = NextEnvironment.NEW
    """Where a resumed trial goes on. A replay does not."""
    comparison: Comparison = field(init=False)
    """Compares what the trial does now with the record."""
    _steps: dict[int, TrialStep] = field(init=False)
    """The recorded steps by number, including a last one that was cut off."""

    def __post_init__(self) -> None:
        self.comparison = Comparison(self.is_replay)
        self._steps = {step.number: step for step in self.record.all_steps}
        cut_off = self.record.all_steps.cut_off
        if cut_off is not None:
            # `drop_calls_from` shortens the list of its calls, which must not change the record.
            own_calls = StepCalls(list(cut_off.calls))
            self._steps[cut_off.number] = replace(cut_off, step_calls=own_calls)

    @property
    def differences(self) -> list[Difference]:
        """The differences from the record that a replay has found."""
        return self.comparison.differences

    # --- The whole trial ---

    @property
    def sent_answer(self) -> AnswerSent | None:
        """The answer that an earlier attempt sent. None in a replay, which submits it again."""
        return None if self.is_replay else self.record.answer

    @property
    def is_solved(self) -> bool:
        """True if an earlier attempt sent the answer, so that no work on the trial is left."""
        return is_solved(self.record) and not self.is_replay

    # --- A step ---

    def step(self, number: int) -> TrialStep:
        """Return a recorded step; an empty step if it is not recorded."""
        return self._steps.get(number, _EMPTY_STEP)

    def may_go_on(self, number: int) -> bool:
        """Return True if a step may do more than is recorded: if it is new, or was cut off.

        If three calls of a complete step are recorded, it may not make a fourth one. In a
        replay, no step may do more.
        """
        return not self.is_replay and self.step(number).done is None

    def accepts_new(self, number: int, name: str, new: object) -> bool:
        """Return True if a step may go on with something that is not recorded: `new`.

        If it may not, the trial does something else than recorded. A resumed trial then ends
        with `RecordDiverged`. A replay notes the difference, and gets False. `name` is the
        field of the step that is different: `approvals`, `citations[2]`.
        """
        if self.may_go_on(number):
            return True
        self.comparison.note_or_raise(number, name, "nothing", new)
        return False

    def drop_calls_from(self, step: int, number: int) -> None:
        """Drop the recorded calls of a step from `number` on, because they are made again."""
        del self.step(step).calls[number:]


_EMPTY_STEP: Final = TrialStep()


def given_or_empty(tape: Tape | None) -> Tape:
    """Return a tape, or the empty one of a new trial if there is none."""
    if tape is None:
        return Tape()
    return tape


def entry_at(entries: Sequence[Entry], number: int) -> Entry | None:
    """Return the entry at an index, such as the third call; None if the record ends before."""
    return entries[number] if number < len(entries) else None

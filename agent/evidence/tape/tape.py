"""The tape: what the journal has of a trial, which a new process repeats.

A process was killed in step 3 of a trial, and the next one *resumes* it. On its tape are

    step 1, step 2    complete: each reply of the model and each result of a call comes from here
    step 3            cut off after two calls: these come from here, the third is made
    step 4            empty: the trial asks the model and the environment

So nothing is paid for or changed twice. A *replay* repeats a whole recorded trial, to compare
the two.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from controlplane.agent.events import AnswerSent, CallRecord
from controlplane.agent.evidence.tape.difference import Difference, RecordDiverged
from controlplane.agent.evidence.tape.next_environment import NextEnvironment
from controlplane.agent.record.recorded_answer import is_solved
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.agent.record.trial_step import TrialStep
from controlplane.sandbox.interface import ToolSchema


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
        return is_solved(self.record) and not self.is_replay

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

"""Attempts of the second solver at a trial in the library, with a model whose replies are given.

    model = ModelByTurn([[FIND_BOOKS_BY_AUSTEN], [completion_call()]])
    assert run_attempt(model).reason == ""  # The trial has an answer.

A trial that was interrupted may be resumed from its recorded events, by another attempt.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from controlplane.agent.events import Judged, StepDone, TrialEvent
from controlplane.agent.evidence import Tape, new_recorder
from controlplane.agent.exoskeleton import Exoskeleton, Part, SolverBindings
from controlplane.agent.loop import (
    BudgetLimits,
    LoopSettings,
    TrialContext,
    TrialSession,
    new_session,
)
from controlplane.agent.model import Message
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.sandbox.interface import CallError, Plain
from tests.support.books.library import Library
from tests.support.books.model_by_turn import ModelByTurn, from_instruction
from tests.support.books.solver_bindings import BINDINGS, TOOL_SCHEMA
from tests.support.functions_here import with_functions_in_process
from tests.support.journals.read_events import trial_records_of

NOW = datetime(2031, 5, 4, tzinfo=UTC)
"""The time in the world of the trials."""


class Shelf(Library):
    """The library, with a tool `/bin/lend` that lends a book, and with files nobody may write."""

    def __init__(self) -> None:
        super().__init__(TOOL_SCHEMA)
        self.lent = 0
        """How many books were lent."""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if operation == "exec":  # There is no other tool than /bin/lend.
            self.lent += 1
            return {"stdout": "lent\n", "stderr": "", "exit_code": 0}
        if operation == "write":
            raise CallError("permission_denied", "nobody writes here")
        return super().call(operation, arguments)


@dataclass
class AttemptResult:
    """How one attempt at a trial ended, and what happened in it."""

    reason: str
    """Why the trial has no answer; empty if it has one."""
    events: list[TrialEvent]
    model: ModelByTurn
    shelf: Shelf
    session: TrialSession

    @property
    def steps(self) -> list[StepDone]:
        """Return the steps: each is a reply of the model, with the results of its calls."""
        return [event for event in self.events if isinstance(event, StepDone)]

    @property
    def judged_answers(self) -> list[Judged]:
        """Return each answer that the model handed in, with the gates' verdicts on it."""
        return [judged for step in self.steps for judged in step.verdicts]

    @property
    def last_request(self) -> Sequence[Message]:
        """Return the messages of the last request to the main model."""
        return self.model.main_requests[-1].messages

    @property
    def shown_to_model(self) -> str:
        """Return the texts behind the instruction in the last request to the main model."""
        later_messages = from_instruction(self.last_request)[1:]
        return "\n".join(message["content"] for message in later_messages)


def run_attempt(
    model: ModelByTurn,
    *,
    instruction: str = "Which books are by Austen?",
    parts: Iterable[Part] = tuple(Part),
    recorded: Sequence[TrialEvent] = (),
    bindings: SolverBindings | None = BINDINGS,
    is_stopped: bool = False,
    events: list[TrialEvent] | None = None,
    **limits: Any,
) -> AttemptResult:
    """Run a trial to its end: `run_attempt(ModelByTurn([...]), parts=[Part.CLASSIFIER])`.

    - `parts` of the solver are switched on; by default all of them.
    - `recorded` events of an earlier attempt are resumed from; their steps are not made again.
    - `is_stopped` asks the trial to stop before it begins.
    - `events` gets the new events, also if the trial raises an error.
    - `limits` are fields of `BudgetLimits`.
    """
    if events is None:
        events = []
    shelf = Shelf()
    session = _session_over(shelf, instruction, recorded=recorded, new_events=events)
    if is_stopped:
        session.stop.set()
    solver = Exoskeleton(
        model,
        LoopSettings(budget=BudgetLimits(**limits), patience_s=0.5),
        parts=frozenset(parts),
        bindings=bindings,
    )

    reason = solver.solve(session)

    return AttemptResult(reason, events, model, shelf, session)


def _session_over(
    shelf: Shelf,
    instruction: str,
    *,
    recorded: Sequence[TrialEvent],
    new_events: list[TrialEvent],
) -> TrialSession:
    """Return the trial "t" as a solver uses it.

    Its calls go to `shelf`, and what happens in it is added to `new_events`. The steps in
    `recorded`, of an earlier attempt, are repeated from there (a *tape*) without a new call.
    """
    earlier_record = trial_records_of(recorded).get("t", TrialRecord())
    recorder = new_recorder("t", shelf, new_events.append, tape=Tape(earlier_record))
    context = TrialContext(
        trial_id="t", task_id="books.0", instruction=instruction, now=NOW
    )
    return new_session(context, with_functions_in_process(recorder))

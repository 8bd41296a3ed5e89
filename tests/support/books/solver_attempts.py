"""Attempts of the second solver at a trial in the library, with a model whose replies are given.

    model = ModelByTurn([[FIND_BOOKS_BY_AUSTEN], [completion_call()]])
    assert run_attempt(model).reason == ""  # The trial has an answer.

A trial that was interrupted may be resumed from its recorded events, by another attempt.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from controlplane.agent.events import TrialEvent
from controlplane.agent.evidence import Tape, new_recorder
from controlplane.agent.exoskeleton import Exoskeleton, Part, SolverBindings
from controlplane.agent.loop import (
    BudgetLimits,
    LoopSettings,
    TrialContext,
    TrialSession,
    new_session,
)
from controlplane.agent.record.trial_record import TrialRecord
from tests.support.books.attempt_result import AttemptResult
from tests.support.books.model_by_turn import ModelByTurn
from tests.support.books.shelf import Shelf
from tests.support.books.solver_bindings import BINDINGS
from tests.support.functions_here import with_functions_in_process
from tests.support.journals.read_events import trial_records_of

NOW = datetime(2031, 5, 4, tzinfo=UTC)
"""The time in the world of the trials."""


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

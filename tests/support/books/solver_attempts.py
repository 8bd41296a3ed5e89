"""Attempts of the second solver at a trial in the library, with a model whose replies are given.

    model = ModelByTurn([[FIND_BOOKS_BY_AUSTEN], [completion_call()]])
    assert run_attempt(model).reason == ""  # The trial has an answer.

A trial that was interrupted may be resumed from its recorded events, by another attempt.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from controlplane.agent.events import TrialEvent
from controlplane.agent.exoskeleton import Exoskeleton, Part, SolverBindings
from controlplane.agent.limits.trial_limits import TrialLimits
from controlplane.agent.loop import (
    LoopSettings,
)
from tests.support.books.attempt_result import AttemptResult, ModelByTurn
from tests.support.books.library import BINDINGS, session_over
from tests.support.books.shelf import Shelf


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
    - `limits` are fields of `TrialLimits`.
    """
    if events is None:
        events = []
    shelf = Shelf()
    session = session_over(
        shelf,
        instruction,
        recorded=recorded,
        new_events=events,
        limits=TrialLimits(**limits),
    )
    if is_stopped:
        session.stop.set()
    solver = Exoskeleton(
        model,
        LoopSettings(),
        parts=frozenset(parts),
        bindings=bindings,
    )

    reason = solver.solve(session)

    return AttemptResult(reason, events, model, shelf, session)

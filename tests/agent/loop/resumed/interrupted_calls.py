"""A trial whose model calls tools, and that is interrupted when its model has no more replies.

    interrupted = play([[LEND_BOOK]])                             # its model replies once, with a call
    resumed = play([[LEND_BOOK]], journal=interrupted.events)     # has that reply from the journal

The model gives its first reply to the first request, and so on. A resumed trial would ask for the second
reply, which is missing here, so it ends with what it knows from the journal.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from controlplane.agent.events import StepDone, TrialEvent
from controlplane.agent.exoskeleton.exoskeleton import Preparation, ToolTurns
from controlplane.agent.loop.step_limit import LoopSettings
from controlplane.agent.model import ToolCall
from controlplane.agent.retry import RunBudget
from tests.support.books.attempt_sessions import session_over
from tests.support.books.model_by_turn import ModelByTurn
from tests.support.books.shelf import Shelf
from tests.support.books.solver_bindings import BINDINGS

Turn = list[ToolCall] | str


@dataclass
class InterruptedTrial:
    """One attempt at a trial, which ended when its model had no further reply."""

    turns: ToolTurns
    """What plays the trial. It has the conversation, and all that the trial knows."""
    events: list[TrialEvent]
    """What this attempt has written into the journal."""
    lent_books: int
    """How often this attempt has called /bin/lend."""

    @property
    def steps(self) -> list[TrialEvent]:
        return [event for event in self.events if isinstance(event, StepDone)]


def play(
    replies: Sequence[Turn], journal: Sequence[TrialEvent] = ()
) -> InterruptedTrial:
    """Play a trial, resumed from a journal, until its model has no more of these replies."""
    shelf = Shelf()
    events: list[TrialEvent] = []
    session = session_over(
        shelf, "Lend emma. What else is by Austen?", recorded=journal, new_events=events
    )
    # The classifier is a small model. It says that the request wants a change, so that a book may
    # be lent. The preflight is what the library checks before the model is asked.
    parts = frozenset({"classifier", "preflight"})
    preparation = Preparation(
        session, LoopSettings(), parts=parts, bindings=BINDINGS.limited_to(parts)
    )
    model = ModelByTurn(replies, {"classify": '{"change": true, "who": ""}'})
    turns = ToolTurns(model, RunBudget(), preparation)
    with pytest.raises(IndexError):  # of the list of replies, which has no further one
        turns.run()
    return InterruptedTrial(turns, events, shelf.lent)

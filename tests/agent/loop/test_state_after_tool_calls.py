"""A trial whose model calls tools knows, once resumed from its journal, what it knew before.

A reply of the model is a list of calls, or a text. The resumed trial gets the recorded replies and
results from the journal. It asks no model and makes no call for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from controlplane.agent.events import StepDone, TrialEvent
from controlplane.agent.exoskeleton.preparation import Preparation
from controlplane.agent.exoskeleton.tool_turns import ToolTurns
from controlplane.agent.loop.loop_settings import LoopSettings
from controlplane.agent.model import ToolCall
from controlplane.agent.retry.run_budget import RunBudget
from tests.agent.loop.trial_state import state_of
from tests.support.books.attempt_sessions import session_over
from tests.support.books.library_calls import completion_call, tool_call
from tests.support.books.model_by_turn import ModelByTurn
from tests.support.books.shelf import Shelf
from tests.support.books.solver_bindings import BINDINGS

READ_EMMA = tool_call("read", path="/books/emma.txt", start_line=0, end_line=0)
LEND_BOOK = tool_call("exec", path="/bin/lend")
FIND_BOOKS = tool_call("books_by", author="Austen")
ANSWER_FROM_A_MISSING_FILE = completion_call(
    records=[{"path": "/books/none.txt", "reason": "it says by nobody"}]
)
Turn = list[ToolCall] | str


@dataclass
class InterruptedTrial:
    """A trial that ended in the middle, since its model had no reply for one more turn."""

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
    parts = frozenset({"classifier", "preflight"})
    preparation = Preparation(
        session, LoopSettings(), parts=parts, bindings=BINDINGS.limited_to(parts)
    )
    # Without this reply of the classifier, no book may be lent.
    model = ModelByTurn(replies, {"classify": '{"change": true, "who": ""}'})
    turns = ToolTurns(model, RunBudget(), preparation)
    with pytest.raises(IndexError):  # There is no reply for one more turn.
        turns.run()
    return InterruptedTrial(turns, events, shelf.lent)


def test_a_resumed_trial_has_the_recorded_result_without_calling_again() -> None:
    interrupted = play([[LEND_BOOK]])
    resumed = play([[LEND_BOOK]], journal=interrupted.events)

    assert (interrupted.lent_books, resumed.lent_books) == (1, 0)
    assert resumed.turns.conversation[-1] == {
        "role": "tool",
        "tool_call_id": "id_exec",
        "content": '{"stderr":"","exit_code":0}\nlent\n',
    }


@pytest.mark.parametrize(
    "replies",
    [
        pytest.param([[READ_EMMA, FIND_BOOKS]], id="two calls in one reply"),
        pytest.param(["I think I know."], id="a text without a call"),
        pytest.param([[LEND_BOOK]], id="a change"),
        pytest.param(
            [[ANSWER_FROM_A_MISSING_FILE, READ_EMMA]],
            id="a rejected answer, and a call behind it",
        ),
        pytest.param([[FIND_BOOKS], [FIND_BOOKS]], id="a repeated call"),
        pytest.param(
            [
                [READ_EMMA, FIND_BOOKS],
                "I think I know.",
                [LEND_BOOK],
                [ANSWER_FROM_A_MISSING_FILE, READ_EMMA],
                [FIND_BOOKS],
            ],
            id="all of these",
        ),
    ],
)
def test_a_resumed_trial_knows_the_same_without_a_new_step(replies: list[Turn]) -> None:
    interrupted = play(replies)
    resumed = play(replies, journal=interrupted.events)

    assert resumed.steps == []
    assert resumed.lent_books == 0
    assert state_of(resumed.turns) == state_of(interrupted.turns)

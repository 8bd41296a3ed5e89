"""A trial whose model calls tools knows, once resumed from its journal, what it knew before.

A reply of the model is a list of calls, or a text. The resumed trial gets the recorded replies and
results from the journal. It asks no model and makes no call for them.
"""

from __future__ import annotations

from collections.abc import Sequence

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
FIND_BOOKS = tool_call("books_by", author="Austen")
LEND_BOOK = tool_call("exec", path="/bin/lend")
ANSWER_FROM_A_MISSING_FILE = completion_call(
    records=[{"path": "/books/none.txt", "reason": "it says by nobody"}]
)
Turn = list[ToolCall] | str


def interrupted_turns(
    replies: Sequence[Turn],
    events: list[TrialEvent],
    recorded: Sequence[TrialEvent] = (),
) -> ToolTurns:
    """Play a trial until its model has no reply for the next turn, and return its turns.

    Its events are added to `events`. With the events `recorded` by an earlier trial, it is resumed.
    """
    session = session_over(
        Shelf(), "Which books are by Austen?", recorded=recorded, new_events=events
    )
    preparation = Preparation(
        session,
        LoopSettings(),
        parts=frozenset({"preflight"}),
        bindings=BINDINGS.limited_to({"preflight"}),
    )
    turns = ToolTurns(ModelByTurn(replies), RunBudget(), preparation)
    with pytest.raises(IndexError):  # There is no reply for one more turn.
        turns.run()
    return turns


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
def test_a_resumed_trial_knows_the_same_without_taking_a_step_again(
    replies: list[Turn],
) -> None:
    recorded: list[TrialEvent] = []
    interrupted = interrupted_turns(replies, recorded)

    new_events: list[TrialEvent] = []
    resumed = interrupted_turns(replies, new_events, recorded=recorded)

    assert [event for event in new_events if isinstance(event, StepDone)] == []
    assert state_of(resumed) == state_of(interrupted)

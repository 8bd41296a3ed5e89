"""A trial whose model calls tools is resumed from its journal, and knows what the interrupted one knew.

    interrupted = play([[LEND_BOOK]])                               # one reply, with one call
    resumed = play([[LEND_BOOK]], journal=interrupted.events)

Both end when the model has no more replies. The resumed trial takes the reply and the result of the call
from the journal. `state_of(turns)` is all that a trial knows: read texts, used limits, the conversation.
"""

import pytest

from tests.agent.loop.resumed.interrupted_calls import Turn, play
from tests.agent.loop.resumed.trial_state import state_of
from tests.support.books.library_calls import completion_call, tool_call

READ_EMMA = tool_call("read", path="/books/emma.txt", start_line=0, end_line=0)
LEND_BOOK = tool_call("exec", path="/bin/lend")
FIND_BOOKS = tool_call("books_by", author="Austen")
ANSWER_FROM_A_MISSING_FILE = completion_call(
    records=[{"path": "/books/none.txt", "reason": "it names the author"}]
)


def test_a_resumed_trial_has_the_recorded_result_without_calling_again() -> None:
    """The model is shown the errors and the exit code of the program, and then its output, "lent"."""
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
            id="a rejected answer, and a call after it",
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

    assert resumed.steps == []  # All steps are in the journal.
    assert resumed.lent_books == 0
    assert state_of(resumed.turns) == state_of(interrupted.turns)

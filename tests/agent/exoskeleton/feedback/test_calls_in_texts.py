"""A call of a tool that a model writes into the text of its reply is made, if it is certain.

Some models write their calls into the text, where the API has a field for calls. `feedback_on(text)`
is what the model is told in a trial in which this text is its first reply.
"""

import pytest

from controlplane.agent.model import Reply
from tests.agent.exoskeleton.feedback.first_feedback import feedback_on
from tests.support.books.library_calls import FIND_BOOKS_BY_AUSTEN


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            '{"calls": [{"name": "books_by", "arguments": {"author": "Austen"}}]}',
            id="JSON",
        ),
        pytest.param(
            '```json\n[{"name": "books_by", "arguments": {"author": "Austen"}}]\n```',
            id="JSON in a code block",
        ),
    ],
)
def test_a_call_written_as_text_is_made(text: str) -> None:
    """Its result is shown as a text, too."""
    assert '<result of="books_by">' in feedback_on(text)


def test_an_unknown_tool_in_calls_written_as_text_is_named() -> None:
    text = (
        '{"calls": [{"name": "books_by", "arguments": {}},'
        ' {"name": "fly", "arguments": {}}]}'
    )

    assert "no tool 'fly'" in feedback_on(text)


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param("The books are emma and persuasion.", id="a text without a call"),
        pytest.param(
            "{'name': 'books_by', 'arguments': {'author': {'Austen', 'Eliot'}}}",
            id="a call in Python's spelling, with a set in it",
        ),
        pytest.param(
            Reply(text="", tool_calls=(FIND_BOOKS_BY_AUSTEN,), finish_reason="length"),
            id="a reply cut off by the length limit",
        ),
    ],
)
def test_a_reply_without_a_usable_call_is_named_as_such(reply: str | Reply) -> None:
    """JSON has no sets, so the second text is not read as a call. The last reply may lack
    further calls, so the one that it has is not made."""
    assert "That reply called no tool" in feedback_on(reply)

"""A model's call with wrong arguments is not made, and the model is told which ones are wrong.

The arguments of a call are a JSON object: `{"path": "/books/emma.txt"}`. `feedback_on([call])` is
what the model is told in a trial whose first reply makes this call.
"""

import pytest

from controlplane.agent.model import ToolCall
from tests.agent.exoskeleton.feedback.first_feedback import feedback_on
from tests.support.books.library_calls import tool_call


@pytest.mark.parametrize(
    ("call", "feedback"),
    [
        pytest.param(tool_call("read"), "needs 'path'", id="a missing argument"),
        pytest.param(
            tool_call("read", path=7),
            "path is str, not int 7",
            id="an argument of a wrong type",
        ),
        pytest.param(
            tool_call("read", path="/x", colour="red"),
            "has no argument 'colour'",
            id="an unknown argument",
        ),
        pytest.param(
            ToolCall(name="read", arguments="[1]"),
            "error: its arguments are no JSON object: [1]",
            id="arguments in a list",
        ),
        pytest.param(
            ToolCall(name="read", arguments="{"),
            "error: its arguments are no JSON",
            id="arguments that are cut off",
        ),
        pytest.param(
            ToolCall(name="read", arguments="{'path': {'/books/emma.txt'}}"),
            "error: its arguments are no JSON object",
            id="a set as an argument",
        ),
    ],
)
def test_a_call_with_wrong_arguments_gets_a_message_that_says_so(
    call: ToolCall, feedback: str
) -> None:
    assert feedback in feedback_on([call])

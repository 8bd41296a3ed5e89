"""A model ends its trial by a call, and is told if its answer is not accepted.

`completion_call` makes this call, `report_completion`. The *gates*, which are checks of answers, may
reject the answer. `feedback_on([call])` is what the model is told after it.
"""

import pytest

from controlplane.agent.model import ToolCall
from tests.agent.exoskeleton.feedback.first_feedback import feedback_on
from tests.support.books.library_calls import completion_call, tool_call


@pytest.mark.parametrize(
    ("completion", "feedback"),
    [
        pytest.param(
            completion_call(outcome="FINE"),
            "gate 6",
            id="an outcome that does not exist",
        ),
        pytest.param(
            completion_call(
                records=[{"path": "/books/none.txt", "reason": "it says by nobody"}]
            ),
            "gate 4",
            id="a reference to a missing file",
        ),
    ],
)
def test_an_answer_that_a_gate_rejects_is_followed_by_its_objection(
    completion: ToolCall, feedback: str
) -> None:
    """Gate 6 looks at the answer and its outcome, and gate 4 at the files that are cited."""
    assert feedback in feedback_on([completion])


@pytest.mark.parametrize(
    ("completion", "feedback"),
    [
        pytest.param(
            tool_call("report_completion", outcome="OK"),
            "the completion does not fit: message: Field required",
            id="a completion without a message",
        ),
        pytest.param(
            completion_call(records="all"),
            "the completion does not fit: records",
            id="a completion with a wrong field",
        ),
    ],
)
def test_a_malformed_completion_gets_a_message_that_names_the_field(
    completion: ToolCall, feedback: str
) -> None:
    assert feedback in feedback_on([completion])

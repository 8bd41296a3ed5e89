"""A model calls tools, and is told the result of each call, or the error with which it failed.

`feedback_on([call])` is what the model is told in a trial whose first reply makes this call:
`books_by(author="Austen")` -> `"/books/emma.txt","/books/persuasion.txt"`.
"""

import pytest

from controlplane.agent.model import ToolCall
from tests.agent.exoskeleton.feedback.first_feedback import feedback_on
from tests.support.books.library_calls import tool_call


@pytest.mark.parametrize(
    ("call", "feedback"),
    [
        pytest.param(
            tool_call("books_by", author="Austen"),
            '"/books/emma.txt","/books/persuasion.txt"',
            id="a function with a result",
        ),
        pytest.param(
            tool_call("books_by", author="nobody"),
            "error: failed_precondition: nobody is no author",
            id="a function that declines",
        ),
        pytest.param(
            tool_call("read", path="/books/none.txt"),
            "error: not_found: there is no /books/none.txt",
            id="a missing file",
        ),
        pytest.param(
            tool_call("fly", to="the moon"),
            "error: there is no tool 'fly'; there are books_by, exec, find",
            id="an unknown tool",
        ),
    ],
)
def test_a_call_is_followed_by_its_result_or_its_error(
    call: ToolCall, feedback: str
) -> None:
    assert feedback in feedback_on([call])

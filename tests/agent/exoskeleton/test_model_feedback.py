"""What the model of the second solver is told after each kind of reply.

The solver makes the calls of tools in a reply, and shows the model the results. A reply may also be
unusable: `read(colour="red")` -> "read has no argument 'colour'". Whatever the first reply was, the
model can go on and answer. The end of a trial is a call, too: `report_completion`.
"""

from collections.abc import Sequence

import pytest

from controlplane.agent.exoskeleton import Part
from controlplane.agent.model import Reply, ToolCall
from tests.support.books.library_calls import (
    FIND_BOOKS_BY_AUSTEN,
    completion_call,
    tool_call,
)
from tests.support.books.model_by_turn import ModelByTurn
from tests.support.books.solver_attempts import run_attempt


def feedback_on(first_reply: Sequence[ToolCall] | str | Reply) -> str:
    """Return what the model is told in a trial in which this is its first reply.

    Its next two replies find the books by Austen, and complete the trial.
    """
    model = ModelByTurn([first_reply, [FIND_BOOKS_BY_AUSTEN], [completion_call()]])

    trial = run_attempt(model, parts=[Part.PREFLIGHT])

    assert trial.shelf.answers == ["emma and persuasion"]
    return trial.shown_to_model


class TestCalls:
    """The model is told the result of each call, or the error with which it failed.

    `feedback_on(reply)` is what the model is told in a trial whose first reply is this one.
    """

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
        self, call: ToolCall, feedback: str
    ) -> None:
        assert feedback in feedback_on([call])


class TestWrongArguments:
    """A call with wrong arguments is not made, and the model is told which ones are wrong.

    The arguments of a call are a JSON object: `{"path": "/books/emma.txt"}`. `feedback_on` returns
    what the model is told after its first reply.
    """

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
        self, call: ToolCall, feedback: str
    ) -> None:
        assert feedback in feedback_on([call])


class TestCompletions:
    """The model ends its trial by a call, and is told if its answer is not accepted.

    `completion_call` makes this call. The gates, which are checks of answers, may reject it.
    """

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
        self, completion: ToolCall, feedback: str
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
        self, completion: ToolCall, feedback: str
    ) -> None:
        assert feedback in feedback_on([completion])


class TestCallsThatAreNotMade:
    """Calls behind a completion, and more than 32 of a reply, are not made."""

    def test_a_call_behind_a_completion_is_not_made(self) -> None:
        """The completion ends the step. It cites a missing file, so it does not end the trial."""
        rejected_completion = completion_call(
            records=[{"path": "/books/none.txt", "reason": "it says by nobody"}]
        )

        feedback = feedback_on([rejected_completion, FIND_BOOKS_BY_AUSTEN])

        assert "not run: it stands behind a completion" in feedback

    def test_calls_beyond_the_most_calls_of_a_reply_are_not_made(self) -> None:
        feedback = feedback_on([FIND_BOOKS_BY_AUSTEN] * 33)

        assert "not run: a reply makes at most 32 calls" in feedback


class TestCallsInTexts:
    """A call that is written into the text of a reply is made, if it is certain.

    Some models write their calls into the text, where the API has a field for calls.
    """

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
    def test_a_call_written_as_text_is_made(self, text: str) -> None:
        """Its result is shown as a text, too."""
        assert '<result of="books_by">' in feedback_on(text)

    def test_an_unknown_tool_in_calls_written_as_text_is_named(self) -> None:
        text = (
            '{"calls": [{"name": "books_by", "arguments": {}},'
            ' {"name": "fly", "arguments": {}}]}'
        )

        assert "no tool 'fly'" in feedback_on(text)

    @pytest.mark.parametrize(
        "reply",
        [
            pytest.param(
                "The books are emma and persuasion.", id="a text without a call"
            ),
            pytest.param(
                "{'name': 'books_by', 'arguments': {'author': {'Austen', 'Eliot'}}}",
                id="a call in Python's spelling, with a set in it",
            ),
            pytest.param(
                Reply(
                    text="", tool_calls=(FIND_BOOKS_BY_AUSTEN,), finish_reason="length"
                ),
                id="a reply cut off by the length limit",
            ),
        ],
    )
    def test_a_reply_without_a_usable_call_is_named_as_such(
        self, reply: str | Reply
    ) -> None:
        """JSON has no sets, so the second text is not read as a call. The last reply may lack
        further calls, so the one that it has is not made."""
        assert "That reply called no tool" in feedback_on(reply)

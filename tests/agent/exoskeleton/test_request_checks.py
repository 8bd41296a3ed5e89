"""Checks of a request before the main model of the second solver is asked.

A benchmark may declare functions that look at the request first. A small model, the classifier, has
said what the request wants: `{"change": false, "who": "Austen"}`. The library of these tests has
three checks:

| check        | what it does                                                                    |
| ------------ | ------------------------------------------------------------------------------- |
| `may_change` | lets the trial change something only if the classifier says `"change": true`    |
| `theft`      | refuses a request with the word "steal"                                         |
| `newest`     | adds "The newest is of Austen." to the prompt; fails at the word "unreadable"   |
"""

import pytest

from controlplane.agent.exoskeleton import Part
from tests.support.books.attempt_result import AttemptResult
from tests.support.books.library_calls import (
    FIND_BOOKS_BY_AUSTEN,
    completion_call,
    tool_call,
)
from tests.support.books.model_by_turn import ModelByTurn
from tests.support.books.solver_attempts import run_attempt


def attempt_with_checks(instruction: str, classification: str) -> AttemptResult:
    """Play a trial whose request is checked. `classification` is the reply of the classifier."""
    model = ModelByTurn(
        [[FIND_BOOKS_BY_AUSTEN], [completion_call("emma and persuasion")]],
        other_models={"classify": classification},
    )
    return run_attempt(
        model,
        instruction=instruction,
        parts=[Part.CLASSIFIER, Part.PREFLIGHT, Part.EVIDENCE_STORE],
    )


@pytest.fixture(scope="module")
def refused_trial() -> AttemptResult:
    """A trial whose request is refused by the check `theft`, which reads `/books/notes.txt`
    first."""
    return attempt_with_checks(
        "I want to steal emma.", classification='{"change": false, "who": "Austen"}'
    )


class TestAnsweringChecks:
    """A check may answer the request itself. Then nobody else is asked.

    The user wants to steal a book. The check `theft` reads `/books/notes.txt`, and refuses.
    """

    def test_the_answer_of_a_check_is_sent(self, refused_trial: AttemptResult) -> None:
        (step,) = refused_trial.steps

        assert refused_trial.shelf.answers == ["Books are lent, not stolen."]
        assert step.state == "answered by theft"

    def test_the_answer_of_a_check_cites_what_the_check_has_read(
        self, refused_trial: AttemptResult
    ) -> None:
        (judged,) = refused_trial.judged_answers

        assert judged.refs == ("/books/notes.txt",)

    def test_the_main_model_is_not_asked_if_a_check_answers(
        self, refused_trial: AttemptResult
    ) -> None:
        """Only the classifier was asked. The role of the main model is "solve"."""
        roles_asked = [request.role for request in refused_trial.model.requests]

        assert roles_asked == ["classify"]

    def test_no_further_check_is_made_if_one_answers(
        self, refused_trial: AttemptResult
    ) -> None:
        """`newest` would be next. Calls inside of a check, such as `read`, have it as their `outer`
        call."""
        (step,) = refused_trial.steps
        checks = [call.operation for call in step.calls if call.outer is None]

        assert checks == ["may_change", "theft"]


class TestAddedSentences:
    """A check may add a sentence to the request that the model reads.

    The check `newest` adds "The newest is of Austen." if the classifier has named an author.
    """

    def test_a_sentence_of_a_check_is_added_to_the_request(self) -> None:
        trial = attempt_with_checks(
            "a readable question", classification='{"change": false, "who": "Austen"}'
        )

        *_first_messages, request, _call, _result = trial.last_request
        assert "The newest is of Austen." in request["content"]

    @pytest.mark.parametrize(
        ("instruction", "classification"),
        [
            pytest.param(
                "a readable question", "", id="the classifier's reply is empty"
            ),
            pytest.param(
                "an unreadable question",
                '{"change": false, "who": "Austen"}',
                id="the check fails",
            ),
        ],
    )
    def test_a_check_that_knows_nothing_leaves_the_request_to_the_model(
        self, instruction: str, classification: str
    ) -> None:
        """The check `newest` names no author, since it fails, or nobody has told it one."""
        trial = attempt_with_checks(instruction, classification)

        *_first_messages, request, _call, _result = trial.last_request
        assert "The newest" not in request["content"]
        assert trial.shelf.answers == ["emma and persuasion"]


class TestUnwantedChanges:
    """The model may change nothing if nobody says that the request wants a change.

    The classifier, which would say so, is switched off here. So the check `may_change` permits
    nothing.
    """

    def test_calls_that_change_files_are_not_offered_without_a_permission(self) -> None:
        model = ModelByTurn([[FIND_BOOKS_BY_AUSTEN], [completion_call()]])

        trial = run_attempt(model, parts=[Part.PREFLIGHT])

        first_request = trial.model.main_requests[0]
        offered_tools = {tool.name for tool in first_request.tools}
        assert "write" not in offered_tools
        assert "delete" not in offered_tools

    def test_a_call_that_was_not_offered_is_an_unknown_tool(self) -> None:
        delete = tool_call("delete", path="/books/emma.txt")
        model = ModelByTurn([[delete], [FIND_BOOKS_BY_AUSTEN], [completion_call()]])

        trial = run_attempt(model, parts=[Part.PREFLIGHT])

        assert "there is no tool 'delete'" in trial.shown_to_model

    def test_a_program_that_changes_something_is_not_run_without_a_permission(
        self,
    ) -> None:
        """The model is offered `exec`, by which it may run other programs than `/bin/lend`."""
        lend = tool_call("exec", path="/bin/lend", args=[], stdin="")
        model = ModelByTurn([[lend], [FIND_BOOKS_BY_AUSTEN], [completion_call()]])

        trial = run_attempt(model, parts=[Part.PREFLIGHT])

        assert trial.shelf.lent == 0
        assert "not run: the request asks for no such change" in trial.shown_to_model

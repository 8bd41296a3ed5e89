"""A model may change nothing if nobody says that the request wants a change.

A small model, the classifier, would say so, but is switched off here. So the tools that change files
are not offered to the model, and calls of them are not made.
"""

import pytest

from controlplane.agent.exoskeleton import Part
from tests.support.books.attempt_result import (
    FIND_BOOKS_BY_AUSTEN,
    AttemptResult,
    ModelByTurn,
    completion_call,
    tool_call,
)
from tests.support.books.solver_attempts import run_attempt

# A trial whose request is checked by functions before the main model is asked.
#
#     attempt_with_checks("Which books are by Austen?", classification='{"change": false, "who": "Austen"}')
#
# A small model, the classifier, has said what the request wants: `classification`. The library of these
# trials has three checks:
#
# | check        | what it does                                                                    |
# | ------------ | ------------------------------------------------------------------------------- |
# | `may_change` | lets the trial change something only if the classifier says `"change": true`    |
# | `theft`      | refuses a request with the word "steal"                                         |
# | `newest`     | adds "The newest is of Austen." to the prompt; fails at the word "unreadable"   |


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


# A check of the request may add a sentence to the request, which the model reads.
#
# A benchmark may declare checks, functions that look at a request before the main model. A small model,
# the classifier, has described the request: `{"who": "Austen"}`. The check `newest` then adds "The newest is
# of Austen." to the request. It fails for a request with the word "unreadable".


def request_to_model(trial: AttemptResult) -> str:
    """Return the request as the main model reads it, before its call and the result of the call."""
    *_first_messages, request, _call, _result = trial.last_request
    return request["content"]


def test_a_sentence_of_a_check_is_added_to_the_request() -> None:
    trial = attempt_with_checks(
        "a readable question", classification='{"change": false, "who": "Austen"}'
    )

    assert "The newest is of Austen." in request_to_model(trial)


@pytest.mark.parametrize(
    ("instruction", "classification"),
    [
        pytest.param("a readable question", "", id="the classifier's reply is empty"),
        pytest.param(
            "an unreadable question",
            '{"change": false, "who": "Austen"}',
            id="the check fails",
        ),
    ],
)
def test_a_check_that_adds_nothing_leaves_the_request_to_the_model(
    instruction: str, classification: str
) -> None:
    """The model answers the request as it is."""
    trial = attempt_with_checks(instruction, classification)

    assert "The newest" not in request_to_model(trial)
    assert trial.reason == ""  # The trial has an answer,
    assert trial.shelf.answers == ["emma and persuasion"]  # that of the model.


# A check of the request may answer it itself. Then nobody else is asked.
#
# A benchmark may declare functions that look at a request before the main model. Here the user wants to
# steal a book. The check `theft` reads `/books/notes.txt`, and refuses. Before it comes `may_change`,
# behind it `newest`.


@pytest.fixture(scope="module")
def refused_trial() -> AttemptResult:
    """A trial whose request is refused by the check `theft`, which reads `/books/notes.txt`
    first."""
    return attempt_with_checks(
        "I want to steal emma.", classification='{"change": false, "who": "Austen"}'
    )


def test_the_answer_of_a_check_is_sent(refused_trial: AttemptResult) -> None:
    (step,) = refused_trial.steps

    assert refused_trial.shelf.answers == ["Books are lent, not stolen."]
    assert step.state == "answered by theft"


def test_the_answer_of_a_check_cites_what_the_check_has_read(
    refused_trial: AttemptResult,
) -> None:
    (judged,) = refused_trial.judged_answers

    assert judged.refs == ("/books/notes.txt",)


def test_the_main_model_is_not_asked_if_a_check_answers(
    refused_trial: AttemptResult,
) -> None:
    """Only the classifier was asked. The role of the main model is "solve"."""
    roles_asked = [request.role for request in refused_trial.model.requests]

    assert roles_asked == ["classify"]


def test_no_further_check_is_made_if_one_answers(refused_trial: AttemptResult) -> None:
    """`newest` would be next. Calls inside of a check, such as `read`, have it as their `outer`
    call."""
    (step,) = refused_trial.steps
    checks = [call.operation for call in step.calls if call.outer is None]

    assert checks == ["may_change", "theft"]


def test_calls_that_change_files_are_not_offered_without_a_permission() -> None:
    model = ModelByTurn([[FIND_BOOKS_BY_AUSTEN], [completion_call()]])

    trial = run_attempt(model, parts=[Part.PREFLIGHT])

    first_request = trial.model.main_requests[0]
    offered_tools = {tool.name for tool in first_request.tools}
    assert "write" not in offered_tools
    assert "delete" not in offered_tools


def test_a_call_that_was_not_offered_is_an_unknown_tool() -> None:
    delete = tool_call("delete", path="/books/emma.txt")
    model = ModelByTurn([[delete], [FIND_BOOKS_BY_AUSTEN], [completion_call()]])

    trial = run_attempt(model, parts=[Part.PREFLIGHT])

    assert "there is no tool 'delete'" in trial.shown_to_model


def test_a_program_that_changes_something_is_not_run_without_a_permission() -> None:
    """The model is offered `exec`, by which it may run other programs than `/bin/lend`."""
    lend = tool_call("exec", path="/bin/lend", args=[], stdin="")
    model = ModelByTurn([[lend], [FIND_BOOKS_BY_AUSTEN], [completion_call()]])

    trial = run_attempt(model, parts=[Part.PREFLIGHT])

    assert trial.shelf.lent == 0
    assert "not run: the request asks for no such change" in trial.shown_to_model

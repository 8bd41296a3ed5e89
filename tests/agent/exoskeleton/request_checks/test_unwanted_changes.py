"""A model may change nothing if nobody says that the request wants a change.

A small model, the classifier, would say so, but is switched off here. So the tools that change files
are not offered to the model, and calls of them are not made.
"""

from controlplane.agent.exoskeleton import Part
from tests.support.books.library_calls import (
    FIND_BOOKS_BY_AUSTEN,
    completion_call,
    tool_call,
)
from tests.support.books.model_by_turn import ModelByTurn
from tests.support.books.solver_attempts import run_attempt


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

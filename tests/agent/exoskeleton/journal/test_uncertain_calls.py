"""A call that may have been made before a trial was interrupted is not made again.

The journal announces a call before it is made, and has its result behind that. If only the
announcement is there, nobody knows whether the call was made.
"""

from collections.abc import Sequence

from controlplane.agent.events import CallEvent, TrialEvent
from controlplane.agent.exoskeleton import Part
from tests.support.books.attempt_result import AttemptResult
from tests.support.books.library_calls import (
    FIND_BOOKS_BY_AUSTEN,
    completion_call,
    tool_call,
)
from tests.support.books.model_by_turn import ModelByTurn
from tests.support.books.solver_attempts import run_attempt


def attempt_to_lend(recorded: Sequence[TrialEvent] = ()) -> AttemptResult:
    """Play a trial whose model first lends a book by the tool `/bin/lend`, or resume it.

    `shelf.lent` is the number of books that this attempt lends; an earlier one is not counted.
    """
    model = ModelByTurn(
        [
            [tool_call("exec", path="/bin/lend")],
            [FIND_BOOKS_BY_AUSTEN],
            [completion_call()],
        ],
        # The classifier says that the request wants a change, so the model may lend.
        other_models={"classify": '{"change": true, "who": ""}'},
    )
    return run_attempt(
        model,
        instruction="Lend emma, and say which books are by Austen.",
        parts=[Part.CLASSIFIER, Part.PREFLIGHT, Part.EVIDENCE_STORE],
        recorded=recorded,
    )


def events_up_to_announced_lending(attempt: AttemptResult) -> Sequence[TrialEvent]:
    """Return the events up to the one that announces the run of `/bin/lend`."""
    for position, event in enumerate(attempt.events):
        if not isinstance(event, CallEvent):
            continue
        if event.is_announcement and event.operation == "exec":
            return attempt.events[: position + 1]
    raise AssertionError("nothing was lent")


def test_a_call_that_may_have_happened_is_not_made_again() -> None:
    """1. The process announces the lending, and lends the book.
    2. It is killed before it writes the result down.
    3. The resumed trial does not lend a second time, and tells the model why."""
    killed_attempt = attempt_to_lend()
    assert killed_attempt.shelf.lent == 1
    recorded = events_up_to_announced_lending(killed_attempt)

    resumed = attempt_to_lend(recorded)

    assert resumed.shelf.lent == 0
    assert "whether it happened is not known" in resumed.shown_to_model

"""An answer leaves a trial once, and only if the gates let it out."""

import pytest

from agent.events import AgentEvent, AnswerDone, CallFailure, SubmissionJudged
from agent.evidence import Environment, Recorder
from agent.submission import GatedExit
from gates.submission import Submission
from sandbox.interface import CallError
from tests.support.library import Library
from tests.support.phonebook import Desk

RIGHT = Submission(answer="42", outcome="OUTCOME_OK", refs=())
WRONG = Submission(answer="42", outcome="OUTCOME_FINE", refs=())


class RefusingDesk(Desk):
    """Refuses every answer with a code."""

    def __init__(self, code: str) -> None:
        super().__init__(0)
        self.code = code

    def answer(self, message: str, outcome: str, refs: object) -> None:
        raise CallError(self.code, "no")


def gated(desk: Environment) -> tuple[GatedExit, list[AgentEvent]]:
    events: list[AgentEvent] = []
    return GatedExit(Recorder("t", desk, events.append), "What is the number? Answer with `%d` only."), events


def test_a_rejected_answer_stays_inside_and_another_may_follow() -> None:
    desk = Desk(0)
    way_out, events = gated(desk)
    assert not way_out.submit(WRONG).accepted
    assert [type(event) for event in events] == [SubmissionJudged]
    assert (way_out.is_closed, desk.answers) == (False, [])
    assert way_out.submit(RIGHT).accepted
    assert desk.answers == [("42", "OUTCOME_OK")]


@pytest.mark.parametrize(("code", "is_taken"), [("already_exists", True), ("unavailable", False)])
def test_an_answer_that_was_given_before_counts_as_taken_and_a_failure_does_not(code: str, is_taken: bool) -> None:
    way_out, events = gated(RefusingDesk(code))
    if is_taken:
        way_out.submit(RIGHT)
    else:
        with pytest.raises(CallError, match="no"):
            way_out.submit(RIGHT)
    assert (way_out.is_closed, way_out.is_answered) == (is_taken, is_taken)
    assert way_out.accepted is not None
    done = events[-1]
    assert isinstance(done, AnswerDone)
    assert done.error == CallFailure(code=code, message="no")


WITH_UNREAD = {"/books/dune.txt": "it says by Herbert", "/never/read.txt": "it says by nobody"}
UNSENDABLE = {
    "no text": {"answer": "  "},
    "an unknown outcome": {"outcome": "OUTCOME_FINE"},
    "giving up": {"outcome": "OUTCOME_ERR_INTERNAL"},
}


def test_the_fallback_is_the_last_sendable_submission_without_what_was_never_accessed() -> None:
    way_out, events = gated(Library())
    way_out.recorder.call("read", {"path": "/books/dune.txt"})
    for changed in ({"answer": "41"}, {}, *UNSENDABLE.values()):
        given = {"answer": "42", "outcome": "OUTCOME_OK", "refs_why": WITH_UNREAD} | changed
        way_out.recorder.begin_step(len(events) + 1)
        assert not way_out.submit(Submission(**given)).accepted
    last = way_out.fallback("the time is up")
    assert (last.message, last.outcome, last.refs) == ("42", "OUTCOME_OK", ("/books/dune.txt",))
    assert (last.fallback, last.failed) == (True, ("4",))
    internal = way_out.fallback("the time is up", repeats_last=False)
    assert (internal.message, internal.outcome) == ("No answer was reached: the time is up.", "OUTCOME_ERR_INTERNAL")
    assert (internal.fallback, internal.failed, internal.refs) == (True, (), ())

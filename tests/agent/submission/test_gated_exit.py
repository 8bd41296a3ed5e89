"""An answer leaves a trial once, and only if the gates let it out."""

import pytest

from agent.events import AgentEvent, AnswerDone
from agent.events.trial_events import CallFailure, SubmissionJudged
from agent.evidence import Environment, Recorder, StepRecord
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


def test_an_environment_that_breaks_over_an_answer_does_not_take_it() -> None:
    desk = Desk(0)
    way_out, events = gated(desk)
    desk.answer = lambda *parts: [][0]
    with pytest.raises(CallError, match="internal: answer broke: IndexError"):
        way_out.submit(RIGHT)
    assert (way_out.is_closed, way_out.is_answered) == (False, False)
    assert events[-1].error.code == "internal"
    del desk.answer
    assert way_out.submit(RIGHT).accepted


def test_an_exit_that_does_not_deliver_is_closed_all_the_same() -> None:
    desk = Desk(0)
    way_out, events = gated(desk)
    way_out.delivers = False
    assert way_out.submit(RIGHT).accepted
    assert (way_out.is_closed, way_out.is_answered, desk.answers) == (True, False, [])
    assert [type(event) for event in events] == [SubmissionJudged]


def test_a_judgement_of_the_record_is_given_though_todays_is_another() -> None:
    judged = gated(Desk(0))[0].submit(RIGHT)
    rejected = judged.model_copy(update={"accepted": False, "message": "as it was said then"})
    way_out, events = gated(Desk(0))
    way_out.recorder.begin_step(1, StepRecord(submissions=(rejected,)))
    assert way_out.submit(RIGHT) == rejected
    (difference,) = way_out.recorder.trace.differences
    assert (difference.field, difference.recorded, difference.now) == ("verdicts", rejected, judged)
    assert events == []


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

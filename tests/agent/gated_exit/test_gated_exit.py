"""The exit of a trial: answers leave through it, once, and only if the gates accept them.

A script submits an answer. Eight gates judge it, for example whether its outcome is one of those
that exist. An accepted answer is sent to the environment. If time is up and nothing was accepted,
the last submission is sent as a fallback.
"""

from __future__ import annotations

import pytest

from controlplane.agent.events import (
    AnswerDone,
    CallFailure,
    SubmissionJudged,
    TrialEvent,
)
from controlplane.agent.evidence import Environment, Recorder, Tape
from controlplane.agent.gated_exit import GatedExit
from controlplane.gates.submission import Submission
from controlplane.sandbox.interface import CallError
from tests.support.library import Library
from tests.support.phonebook import LOOKUP, look_up
from tests.support.scored_journal import trial_records_of
from tests.support.small_benchmark import OneToolEnvironment

ACCEPTABLE = Submission(answer="42", outcome="OUTCOME_OK", refs=())
WITH_UNKNOWN_OUTCOME = Submission(answer="42", outcome="OUTCOME_FINE", refs=())
"""A submission that gate 6 rejects."""


class RefusingEnvironment(OneToolEnvironment):
    """Refuses every answer: `answer` fails with an error of this code, and the message "no"."""

    def __init__(self, code: str) -> None:
        super().__init__(LOOKUP, look_up)
        self.code = code

    def answer(self, message: str, outcome: str, refs: object) -> None:
        raise CallError(self.code, "no")


def gated_exit_of(environment: Environment) -> tuple[GatedExit, list[TrialEvent]]:
    """Return the exit of a trial in this environment, and the list that gets its events."""
    events: list[TrialEvent] = []
    recorder = Recorder("t", environment, events.append)
    gated_exit = GatedExit(recorder, "What is the number? Answer with `%d` only.")
    return gated_exit, events


def test_a_rejected_answer_is_not_sent_and_another_may_follow() -> None:
    """The first answer has an outcome that does not exist, so gate 6 rejects it."""
    environment = OneToolEnvironment(LOOKUP, look_up)
    gated_exit, events = gated_exit_of(environment)

    assert not gated_exit.submit(WITH_UNKNOWN_OUTCOME).accepted
    assert [type(event) for event in events] == [SubmissionJudged]
    assert not gated_exit.is_closed
    assert environment.answers == []

    assert gated_exit.submit(ACCEPTABLE).accepted
    assert environment.answers == [("42", "OUTCOME_OK")]


# An accepted answer that the environment refuses
#
# The exit's `outlet` sends accepted answers. It knows the answer that the gates `accepted`, and whether
# the environment took one (`is_answered`). The exit `is_closed` if nothing more can be sent.
# --------------------------------------------------------------------------------------------------------------


def test_an_answer_that_the_environment_already_has_counts_as_sent() -> None:
    """An answer may be sent a second time, if the reply to the first sending was lost. The environment
    then refuses it with the code `already_exists`."""
    gated_exit, events = gated_exit_of(RefusingEnvironment("already_exists"))

    gated_exit.submit(ACCEPTABLE)

    assert gated_exit.outlet.accepted is not None
    assert gated_exit.is_answered
    assert gated_exit.is_closed
    last_event = events[-1]
    assert isinstance(last_event, AnswerDone)
    assert last_event.error == CallFailure(code="already_exists", message="no")


def test_an_answer_that_could_not_be_sent_does_not_count_as_sent() -> None:
    """The gates accept the answer, but the environment is out of order. The exit stays open, so that
    the answer can be sent again."""
    gated_exit, events = gated_exit_of(RefusingEnvironment("unavailable"))

    with pytest.raises(CallError, match="no"):
        gated_exit.submit(ACCEPTABLE)

    assert gated_exit.outlet.accepted is not None
    assert not gated_exit.is_answered
    assert not gated_exit.is_closed
    last_event = events[-1]
    assert isinstance(last_event, AnswerDone)
    assert last_event.error == CallFailure(code="unavailable", message="no")


class BrokenEnvironment(OneToolEnvironment):
    """Its own code has a bug, which raises whenever an answer is sent."""

    def __init__(self) -> None:
        super().__init__(LOOKUP, look_up)

    def answer(self, message: str, outcome: str, refs: object) -> None:
        raise ZeroDivisionError


def test_a_bug_of_the_environment_is_told_from_a_passing_failure() -> None:
    """`host_broke` keeps the end of a trial from sending the answer again and again."""
    gated_exit, _events = gated_exit_of(BrokenEnvironment())

    with pytest.raises(CallError) as caught:
        gated_exit.submit(ACCEPTABLE)

    assert caught.value.host_broke


def test_a_replay_repeats_the_recorded_refusal_of_an_answer() -> None:
    """A replay runs the trial again, but takes all results from the record, its `Tape`, and does not
    ask the environment. In the record the environment refused the answer. The environment of the
    replay would take it, but does not get it."""
    recorded_exit, events = gated_exit_of(RefusingEnvironment("unavailable"))
    recorded_exit.recorder.step_log.begin(1)
    with pytest.raises(CallError, match="no"):
        recorded_exit.submit(ACCEPTABLE)

    tape = Tape(trial_records_of(events)["t"], is_replay=True)
    willing_environment = OneToolEnvironment(LOOKUP, look_up)
    replay_recorder = Recorder("t", willing_environment, events.append, tape=tape)
    replayed_exit = GatedExit(replay_recorder, "")
    replayed_exit.recorder.step_log.begin(1)
    with pytest.raises(CallError, match="no"):
        replayed_exit.submit(ACCEPTABLE)

    assert not replayed_exit.is_closed
    assert willing_environment.answers == []


# The fallback: an answer that is sent at the end of a trial whose submissions were all rejected
# --------------------------------------------------------------------------------------------------------------


def exit_after_rejected_submissions() -> GatedExit:
    """Return the exit of a trial that read one book and submitted five times in vain.

    All submissions cite a file that was not read, so gate 4 rejects them. The last three could
    not be sent in any case: one is blank, one has an unknown outcome, and one gives up.
    """
    gated_exit, events = gated_exit_of(Library())
    gated_exit.recorder.calls.make("read", {"path": "/books/dune.txt"})
    citations = {
        "/books/dune.txt": "it says by Herbert",
        "/never/read.txt": "it says by nobody",
    }
    answers_and_outcomes = [
        ("41", "OUTCOME_OK"),
        ("42", "OUTCOME_OK"),
        ("  ", "OUTCOME_OK"),  # blank
        ("42", "OUTCOME_FINE"),  # an outcome that does not exist
        ("42", "OUTCOME_ERR_INTERNAL"),  # gives up
    ]
    for answer, outcome in answers_and_outcomes:
        gated_exit.recorder.step_log.begin(len(events) + 1)
        submission = Submission(answer=answer, outcome=outcome, refs_why=citations)
        assert not gated_exit.submit(submission).accepted
    return gated_exit


def test_the_fallback_is_the_last_sendable_submission_without_unread_files() -> None:
    """The trial submitted five answers, of which the first two, "41" and "42", could be sent. All were
    rejected by gate 4, because they cite `/never/read.txt`. This citation is left out."""
    gated_exit = exit_after_rejected_submissions()

    sent = gated_exit.fallback("the time is up")

    assert sent.message == "42"
    assert sent.outcome == "OUTCOME_OK"
    assert sent.refs == ("/books/dune.txt",)
    assert sent.fallback
    gate_of_unread_files = "4"
    rejected_by = sent.failed
    assert rejected_by == (gate_of_unread_files,)


def test_the_user_may_want_an_error_instead_of_a_rejected_answer() -> None:
    """With the option `--fallback internal` (`repeats_last` is False), the fallback is not one of the
    submissions: it says that there is no answer, and why."""
    gated_exit = exit_after_rejected_submissions()

    sent = gated_exit.fallback("the time is up", repeats_last=False)

    assert sent.message == "No answer was reached: the time is up."
    assert sent.outcome == "OUTCOME_ERR_INTERNAL"
    assert sent.refs == ()
    assert sent.fallback
    assert sent.failed == ()

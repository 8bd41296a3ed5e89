"""The exit of a trial: answers leave through it, once, and only if the gates accept them.

A script submits an answer. Eight gates judge it: an answer with the outcome OUTCOME_FINE, for
example, is rejected by gate 6, since there is no such outcome. An accepted answer is sent to the
environment, which may refuse it or be out of order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest

from controlplane.agent.events import (
    AnswerDone,
    CallFailure,
    SubmissionJudged,
    TrialEvent,
)
from controlplane.agent.evidence import Environment, Tape, new_recorder
from controlplane.agent.gated_exit import GatedExit
from controlplane.agent.submission import GateSettings
from controlplane.gates.submission import Submission
from controlplane.sandbox.interface import CallError, Operation, Plain
from tests.support.journals.read_events import trial_records_of
from tests.support.phonebook import LOOKUP, look_up
from tests.support.small_benchmark import OneToolEnvironment

INSTRUCTION = "What is the number? Answer with `%d` only."
ACCEPTABLE = Submission(answer="42", outcome="OUTCOME_OK", refs=())


def willing_environment() -> OneToolEnvironment:
    """Return an environment that takes every answer, and keeps it in `answers`.

    Its one tool, a phone book, is not used here.
    """
    return OneToolEnvironment(LOOKUP, look_up)


def exit_of(environment: Environment, events: list[TrialEvent]) -> GatedExit:
    """Return the exit of a trial in this environment, which adds its events to the list."""
    recorder = new_recorder("t", environment, events.append, tape=Tape())
    return GatedExit(recorder, INSTRUCTION, GateSettings(), now="")


class TestSubmissions:
    """An answer that the gates accept is sent, and another one is not.

    `gated_exit.submit` judges an answer, and sends it if it is accepted. The environment keeps what
    it is sent in `answers`.
    """

    def test_an_accepted_answer_is_sent(self) -> None:
        environment = willing_environment()
        gated_exit = exit_of(environment, [])

        judgement = gated_exit.submit(ACCEPTABLE)

        assert judgement.accepted
        assert environment.answers == [("42", "OUTCOME_OK")]

    def test_a_rejected_answer_is_not_sent(self) -> None:
        """The journal records only that it was judged."""
        environment = willing_environment()
        events: list[TrialEvent] = []
        gated_exit = exit_of(environment, events)

        judgement = gated_exit.submit(Submission(answer="42", outcome="OUTCOME_FINE"))

        assert not judgement.accepted
        assert [type(event) for event in events] == [SubmissionJudged]
        assert environment.answers == []

    def test_another_answer_may_follow_a_rejected_one(self) -> None:
        environment = willing_environment()
        gated_exit = exit_of(environment, [])
        gated_exit.submit(Submission(answer="42", outcome="OUTCOME_FINE"))
        assert not gated_exit.outlet.is_closed

        gated_exit.submit(ACCEPTABLE)

        assert environment.answers == [("42", "OUTCOME_OK")]


class RefusingEnvironment(OneToolEnvironment):
    """Refuses every answer: `answer` fails with an error of this code, and the message "no"."""

    def __init__(
        self,
        code: str,
        operation: Operation = LOOKUP,
        result_of: Callable[[Mapping[str, Plain]], dict[str, Plain]] = look_up,
    ) -> None:
        super().__init__(operation, result_of)
        self.code = code

    def answer(self, message: str, outcome: str, refs: object) -> None:
        raise CallError(self.code, "no")


def recorded_error(events: Sequence[TrialEvent]) -> CallFailure | None:
    """Return the error of the answer that was sent last, as the journal has it."""
    last_event = events[-1]
    assert isinstance(last_event, AnswerDone)
    return last_event.error


class TestRefusingEnvironments:
    """The gates accept the answer, and the environment refuses it.

    The exit's `outlet` is what sends the answer. It keeps the answer that the gates `accepted`, and
    whether the environment has one (`is_answered`). It `is_closed` if nothing more can be sent.
    """

    def test_an_answer_that_the_environment_already_has_counts_as_sent(self) -> None:
        """An answer is sent a second time if the reply to the first sending was lost. The
        environment then refuses it with the code `already_exists`."""
        events: list[TrialEvent] = []
        gated_exit = exit_of(RefusingEnvironment("already_exists"), events)

        gated_exit.submit(ACCEPTABLE)

        assert gated_exit.outlet.accepted is not None
        assert gated_exit.outlet.is_answered
        assert gated_exit.outlet.is_closed
        assert recorded_error(events) == CallFailure(
            code="already_exists", message="no"
        )

    def test_an_answer_that_could_not_be_sent_does_not_count_as_sent(self) -> None:
        """The gates accept the answer, but the environment is out of order. The exit stays open, so
        that the answer can be sent again."""
        events: list[TrialEvent] = []
        gated_exit = exit_of(RefusingEnvironment("unavailable"), events)

        with pytest.raises(CallError, match="no"):
            gated_exit.submit(ACCEPTABLE)

        assert gated_exit.outlet.accepted is not None
        assert not gated_exit.outlet.is_answered
        assert not gated_exit.outlet.is_closed
        assert recorded_error(events) == CallFailure(code="unavailable", message="no")

    def test_a_bug_of_the_environment_is_told_from_a_passing_failure(self) -> None:
        """Its code raises an error of its own whenever an answer is sent. `host_broke` says so, and
        keeps the end of the trial from sending the answer again and again."""

        class BrokenEnvironment(OneToolEnvironment):
            def answer(self, message: str, outcome: str, refs: object) -> None:
                raise ZeroDivisionError

        gated_exit = exit_of(BrokenEnvironment(LOOKUP, look_up), [])

        with pytest.raises(CallError) as caught:
            gated_exit.submit(ACCEPTABLE)

        assert caught.value.host_broke


class TestReplay:
    """A replay runs a trial again, and takes all results from its record (a *tape*).

    It never calls the environment.
    """

    def test_a_replay_repeats_the_recorded_refusal_of_an_answer(self) -> None:
        """1. In the record, the environment has refused the answer.
        2. The replay submits the same answer. Its environment would take every answer, but is not
        asked."""
        events: list[TrialEvent] = []
        recorded_exit = exit_of(RefusingEnvironment("unavailable"), events)
        recorded_exit.recorder.step_log.begin(1)
        with pytest.raises(CallError, match="no"):
            recorded_exit.submit(ACCEPTABLE)

        environment = willing_environment()
        tape = Tape(trial_records_of(events)["t"], is_replay=True)
        recorder = new_recorder("t", environment, events.append, tape=tape)
        replayed_exit = GatedExit(recorder, INSTRUCTION, GateSettings(), now="")
        recorder.step_log.begin(1)
        with pytest.raises(CallError, match="no"):
            replayed_exit.submit(ACCEPTABLE)

        assert not replayed_exit.outlet.is_closed
        assert environment.answers == []


HANG_UP = LOOKUP._replace(name="hang_up", parameters=(), ends_trial="over")


def hang_up(arguments: Mapping[str, Plain]) -> dict[str, Plain]:
    """Return the result of the operation `hang_up`, which ends the trial."""
    return {"over": True}


class TestRestoredSteps:
    """A resumed trial restores a recorded step: nothing is judged, sent or called again."""

    def test_a_call_that_ended_the_trial_after_a_refused_answer_leaves_an_empty_answer(
        self,
    ) -> None:
        """1. The gates accept an answer, but the environment refuses it.
        2. A call of the same step ends the trial, so that no answer is needed any more.
        3. The trial is resumed. It must not take the refused answer for the last one."""
        events: list[TrialEvent] = []
        environment = RefusingEnvironment("invalid_argument", HANG_UP, hang_up)
        recorded_exit = exit_of(environment, events)
        recorded_exit.recorder.step_log.begin(1)
        with pytest.raises(CallError, match="no"):
            recorded_exit.submit(ACCEPTABLE)
        result = recorded_exit.recorder.calls.make("hang_up", {})
        recorded_exit.outlet.learn_call("hang_up", result)

        resumed_exit = exit_of(environment, [])
        resumed_exit.recorder.step_log.begin(1)
        (recorded_step,) = trial_records_of(events)["t"].all_steps
        resumed_exit.restore(recorded_step)

        for gated_exit in (recorded_exit, resumed_exit):
            assert gated_exit.outlet.is_closed
            assert gated_exit.outlet.accepted is not None
            assert gated_exit.outlet.accepted.ended_by_environment

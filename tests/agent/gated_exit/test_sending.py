"""Answers leave a trial once, and only if the gates accept them, or else as its fallback.

An answer that could not be sent does not count as sent, and one that the environment has does. The
fallback is the last submission that can be sent, and cites only what was read; the user may want an
error instead. A call may end a trial itself. A replay repeats recorded refusals.
"""

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
from controlplane.agent.trial_gates import GateSettings
from controlplane.gates.submission import Submission
from controlplane.sandbox.interface import CallError, Operation, Plain
from tests.support.books.library import Library
from tests.support.journals import trial_records_of
from tests.support.many_trials import OneToolEnvironment
from tests.support.phonebook import LOOKUP, look_up

# A trial whose answers are all rejected by the gates, which check each answer before it is sent.
#
#     trial = TrialWithoutAnswer()
#     trial.submit_in_vain("41")
#     trial.submit_in_vain("42")
#
# When the trial ends, `trial.gated_exit.fallback("the time is up").message` is "42".


class TrialWithoutAnswer:
    """A trial that has read one book, and whose answers are all rejected.

    Each of them also cites `/never/read.txt`. Gate 4 rejects an answer that cites a file which
    no call has read.
    """

    def __init__(self) -> None:
        recorder = new_recorder("t", Library(), [].append, tape=Tape())
        recorder.calls.make("read", {"path": "/books/dune.txt"})
        self.gated_exit = GatedExit(
            recorder, "What is the number?", GateSettings(), now=""
        )
        self._step = 0

    def submit_in_vain(self, answer: str, outcome: str = "OUTCOME_OK") -> None:
        """Submit an answer in a step of its own."""
        self._step += 1
        self.gated_exit.recorder.step_log.begin(self._step)
        citations = {
            "/books/dune.txt": "it says by Herbert",
            "/never/read.txt": "it says by nobody",
        }
        submission = Submission(answer=answer, outcome=outcome, refs_why=citations)
        assert not self.gated_exit.submit(submission).accepted


# The exit of a trial: answers leave through it, once, and only if the gates accept them.
#
#     environment = willing_environment()
#     gated_exit = exit_of(environment, events=[])
#     gated_exit.submit(Submission(answer="42", outcome="OUTCOME_OK"))
#     environment.answers == [("42", "OUTCOME_OK")]
#
# An accepted answer is sent to the environment, which may refuse it (`RefusingEnvironment`).

ACCEPTABLE = Submission(answer="42", outcome="OUTCOME_OK", refs=())
"""A submission that the gates accept: it has the form that the request wants, and a known outcome."""


def willing_environment() -> OneToolEnvironment:
    """Return an environment that takes every answer, and keeps it in `answers`.

    Its one tool, a phone book, is not used here.
    """
    return OneToolEnvironment(LOOKUP, look_up)


def exit_of(
    environment: Environment, events: list[TrialEvent], tape: Tape | None = None
) -> GatedExit:
    """Return the exit of a trial in this environment, in its first step.

    The events of the trial are added to `events`. If it is resumed or replayed, its `tape` has the
    recorded events of the earlier attempt.
    """
    nothing_recorded = Tape()
    recorder = new_recorder(
        "t", environment, events.append, tape=tape or nothing_recorded
    )
    recorder.step_log.begin(1)
    instruction = "What is the number? Answer with `%d` only."  # a number, and no more
    return GatedExit(recorder, instruction, settings=GateSettings(), now="")


class RefusingEnvironment(OneToolEnvironment):
    """Refuses every answer, with an error of this code and the message "refused"."""

    def __init__(
        self,
        code: str,
        operation: Operation = LOOKUP,
        result_of: Callable[[Mapping[str, Plain]], dict[str, Plain]] = look_up,
    ) -> None:
        super().__init__(operation, result_of)
        self.code = code

    def answer(self, message: str, outcome: str, refs: object) -> None:
        raise CallError(self.code, "refused")


# The fallback: what is sent if a trial ends and the gates have accepted none of its answers.
#
# It is the last submission that can be sent at all: "41" was rejected, "42" was rejected, the time is up
# -> "42" is sent. Each submission here cites a file that was not read, so it is rejected.


def test_the_fallback_is_the_last_submission() -> None:
    trial = TrialWithoutAnswer()
    trial.submit_in_vain("41")
    trial.submit_in_vain("42")

    sent = trial.gated_exit.fallback("the time is up")

    assert sent.fallback
    assert sent.message == "42"
    assert sent.outcome == "OUTCOME_OK"


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        pytest.param("  ", "OUTCOME_OK", id="a blank answer"),
        pytest.param("43", "OUTCOME_FINE", id="an outcome that does not exist"),
        pytest.param("43", "OUTCOME_ERR_INTERNAL", id="the script gives up"),
    ],
)
def test_a_submission_that_cannot_be_sent_is_not_the_fallback(
    answer: str, outcome: str
) -> None:
    """The one before it is sent."""
    trial = TrialWithoutAnswer()
    trial.submit_in_vain("42")
    trial.submit_in_vain(answer, outcome)

    sent = trial.gated_exit.fallback("the time is up")

    assert sent.message == "42"
    assert sent.outcome == "OUTCOME_OK"


def test_several_submissions_that_cannot_be_sent_are_passed_over() -> None:
    trial = TrialWithoutAnswer()
    trial.submit_in_vain("41")
    trial.submit_in_vain("42")
    trial.submit_in_vain("  ")
    trial.submit_in_vain("42", "OUTCOME_FINE")
    trial.submit_in_vain("42", "OUTCOME_ERR_INTERNAL")

    sent = trial.gated_exit.fallback("the time is up")

    assert sent.message == "42"
    assert sent.outcome == "OUTCOME_OK"


# An answer that is sent although it was rejected has only what something supports.
#
# Such a *fallback* is sent if a trial ends without an accepted answer. The submission "42" cites
# `/books/dune.txt`, which was read, and `/never/read.txt`, which was not.


def test_the_fallback_does_not_cite_a_file_that_was_not_read() -> None:
    trial = TrialWithoutAnswer()
    trial.submit_in_vain("42")

    sent = trial.gated_exit.fallback("the time is up")

    assert sent.refs == ("/books/dune.txt",)


def test_the_record_says_which_gate_had_rejected_the_fallback() -> None:
    """It is gate 4, which rejects citations of files that were not read."""
    trial = TrialWithoutAnswer()
    trial.submit_in_vain("42")

    sent = trial.gated_exit.fallback("the time is up")

    assert sent.failed == ("4",)


def test_the_user_may_want_an_error_instead_of_a_rejected_answer() -> None:
    """With `--fallback internal`, no submission is repeated. The answer says that there is
    none, and why."""
    trial = TrialWithoutAnswer()
    trial.submit_in_vain("42")

    sent = trial.gated_exit.fallback("the time is up", repeats_last=False)

    assert sent.fallback
    assert sent.message == "No answer was reached: the time is up."
    assert sent.outcome == "OUTCOME_ERR_INTERNAL"
    assert sent.refs == ()
    assert sent.failed == ()


# A bug of the environment to which a trial sends its answer is told from a passing failure.
#
# Its own code fails whenever an answer is sent. `host_broke` says so, and keeps the end of the trial from
# sending the answer again and again.


class BrokenEnvironment(OneToolEnvironment):
    """An environment whose own code fails whenever an answer is sent."""

    def answer(self, message: str, outcome: str, refs: object) -> None:
        raise ZeroDivisionError


def test_a_bug_of_the_environment_is_told_from_a_passing_failure() -> None:
    gated_exit = exit_of(BrokenEnvironment(LOOKUP, look_up), [])

    with pytest.raises(CallError) as caught:
        gated_exit.submit(ACCEPTABLE)

    assert caught.value.host_broke


# The gates, which check each answer, accept an answer, and the environment refuses it.
#
# An answer is submitted to the *exit* of the trial, which sends an accepted answer:
#
#     accepted         the answer that the gates have accepted
#     is_answered   True if the environment has an answer now
#     is_closed     True if no further answer can be submitted


def recorded_error(events: Sequence[TrialEvent]) -> CallFailure | None:
    """Return the error of the answer that was sent last, as the journal has it."""
    last_event = events[-1]
    assert isinstance(last_event, AnswerDone)
    return last_event.error


def test_an_answer_that_the_environment_already_has_counts_as_sent() -> None:
    """An answer is sent a second time if the reply to the first sending was lost. The
    environment then refuses it with the code `already_exists`."""
    events: list[TrialEvent] = []
    gated_exit = exit_of(RefusingEnvironment("already_exists"), events)

    gated_exit.submit(ACCEPTABLE)

    assert gated_exit.accepted is not None
    assert gated_exit.is_answered
    assert gated_exit.is_closed
    assert recorded_error(events) == CallFailure(
        code="already_exists", message="refused"
    )


def test_an_answer_that_could_not_be_sent_does_not_count_as_sent() -> None:
    """The environment is out of order. The exit stays open, and the answer can be sent again."""
    events: list[TrialEvent] = []
    gated_exit = exit_of(RefusingEnvironment("unavailable"), events)

    with pytest.raises(CallError, match="refused"):
        gated_exit.submit(ACCEPTABLE)

    assert gated_exit.accepted is not None
    assert not gated_exit.is_answered
    assert not gated_exit.is_closed
    assert recorded_error(events) == CallFailure(code="unavailable", message="refused")


# A replay runs a trial again, and takes all results from the events of its journal (the *tape*).
#
# The environment is not called, so that it does not get the trial's answer a second time.


def test_a_replay_repeats_the_recorded_refusal_of_an_answer() -> None:
    """1. The environment of the trial refuses the answer.
    2. The environment of the replay would take every answer, but is not asked."""
    journal: list[TrialEvent] = []
    recorded_exit = exit_of(RefusingEnvironment("unavailable"), journal)
    with pytest.raises(CallError, match="refused"):
        recorded_exit.submit(ACCEPTABLE)
    (record,) = trial_records_of(journal).values()

    willing = willing_environment()
    replayed_exit = exit_of(willing, events=[], tape=Tape(record, is_replay=True))
    with pytest.raises(CallError, match="refused"):
        replayed_exit.submit(ACCEPTABLE)

    assert not replayed_exit.is_closed
    assert willing.answers == []


# A call may end a trial: it then needs no answer, and keeps an empty one, `ended_by_environment`.
#
# Here, the environment has refused an answer before. The refused answer must not be kept, also if the
# trial is resumed after its process was killed, and restores the step from its journal.

HANG_UP = LOOKUP._replace(
    name="hang_up",
    parameters=(),
    ends_trial="over",  # the field of the result that says whether the trial has ended
)


def hang_up(arguments: Mapping[str, Plain]) -> dict[str, Plain]:
    """Return the result of the operation `hang_up`, which ends the trial."""
    return {"over": True}


def test_a_call_that_ends_the_trial_replaces_a_refused_answer() -> None:
    events: list[TrialEvent] = []
    environment = RefusingEnvironment("invalid_argument", HANG_UP, hang_up)
    recorded_exit = exit_of(environment, events)
    with pytest.raises(CallError, match="refused"):
        recorded_exit.submit(ACCEPTABLE)
    result = recorded_exit.recorder.calls.make("hang_up", {})
    # A trial's session makes calls so, and tells the exit of each result.
    recorded_exit.learn_call("hang_up", {}, result)

    resumed_exit = exit_of(environment, [])
    (recorded_step,) = trial_records_of(events)["t"].all_steps
    resumed_exit.restore(recorded_step)

    for gated_exit in (recorded_exit, resumed_exit):
        kept_answer = gated_exit.accepted
        assert gated_exit.is_closed
        assert kept_answer is not None
        assert kept_answer.message == ""
        assert kept_answer.ended_by_environment


# An answer that the gates accept is sent to the environment of the trial, and another one is not.
#
# The gates are checks of answers: gate 6 rejects the outcome "OUTCOME_FINE", since there is no
# such outcome. `gated_exit.submit` judges an answer, and sends it if it is accepted.


def test_an_accepted_answer_is_sent() -> None:
    environment = willing_environment()
    gated_exit = exit_of(environment, [])

    judgement = gated_exit.submit(ACCEPTABLE)

    assert judgement.accepted
    assert environment.answers == [("42", "OUTCOME_OK")]


def test_a_rejected_answer_is_not_sent() -> None:
    """The journal records only that it was judged."""
    environment = willing_environment()
    events: list[TrialEvent] = []
    gated_exit = exit_of(environment, events)

    judgement = gated_exit.submit(Submission(answer="42", outcome="OUTCOME_FINE"))

    assert not judgement.accepted
    assert [type(event) for event in events] == [SubmissionJudged]
    assert environment.answers == []


def test_another_answer_may_follow_a_rejected_one() -> None:
    environment = willing_environment()
    gated_exit = exit_of(environment, [])
    gated_exit.submit(Submission(answer="42", outcome="OUTCOME_FINE"))
    assert not gated_exit.is_closed

    gated_exit.submit(ACCEPTABLE)

    assert environment.answers == [("42", "OUTCOME_OK")]

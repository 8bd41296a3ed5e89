"""What happens to an answer that a script leaves in its scratchpad, and does not submit.

A script submits its answer by `harness.answer(scratchpad, verify)`. Some only set
`scratchpad["answer"]`: when the trial ends, this answer is submitted for them.
"""

from __future__ import annotations

from controlplane.agent.events import AnswerSent, Noticed, TrialEvent
from controlplane.agent.evidence import Tape, new_recorder
from controlplane.agent.loop import BudgetLimits, TrialContext, TrialSession
from controlplane.agent.loop.script.unsubmitted_answer import submit_left_answer
from controlplane.gates.submission import Submission
from controlplane.sandbox import ForkServer
from tests.support.phonebook import Phonebook
from tests.support.single_trial import solve_trial, step_reply


def new_session(events: list[TrialEvent]) -> TrialSession:
    """Return the session of a trial that asks for Ada's phone number. It adds its events to a list."""
    trial = Phonebook(0.0).start_trial("ada-0")
    recorder = new_recorder("ada-0", trial.environment, events.append, tape=Tape())
    return TrialSession(TrialContext("ada-0", "ada", trial.instruction, None), recorder)


def test_an_answer_that_the_last_script_only_sets_is_submitted(
    server: ForkServer,
) -> None:
    script = (
        'scratchpad["answer"] = harness.lookup("ada").number\n'  # 17
        'scratchpad["outcome"] = "OUTCOME_OK"'
    )
    one_step = BudgetLimits(max_steps=1, extra_steps=0)

    trial = solve_trial(
        Phonebook(0.0), "ada-0", [step_reply(script)], server, budget=one_step
    )

    assert trial.session.is_over
    (answer,) = [event for event in trial.events if isinstance(event, AnswerSent)]
    assert answer.message == "17"
    assert not answer.fallback


def test_an_answer_is_not_judged_while_a_later_script_may_correct_it(
    server: ForkServer,
) -> None:
    sets_answer = (
        'scratchpad["answer"] = harness.lookup("ada").number\n'
        'scratchpad["outcome"] = "OUTCOME_OK"'
    )
    submits_answer = 'harness.answer(scratchpad, lambda sp: sp["answer"] == "17")'
    replies = [step_reply(sets_answer), step_reply(submits_answer)]

    trial = solve_trial(Phonebook(0.0), "ada-0", replies, server)

    first_step, second_step = trial.steps
    assert first_step.verdicts == ()
    assert len(second_step.verdicts) == 1
    assert trial.reason == ""


def test_a_left_answer_that_the_gates_reject_is_not_sent() -> None:
    """The gates, which are checks of answers, reject an outcome in the text of an answer."""
    events: list[TrialEvent] = []
    session = new_session(events)

    with session.step() as step:
        session.call("lookup", {"name": "ada"})
        submit_left_answer(
            session, {"answer": "OUTCOME_OK: 17", "outcome": "OUTCOME_OK"}
        )

    (submission,) = step.submissions
    assert not submission.accepted
    assert not session.is_over
    assert not [event for event in events if isinstance(event, AnswerSent)]


def test_the_user_is_told_that_a_left_answer_was_judged() -> None:
    events: list[TrialEvent] = []
    session = new_session(events)

    with session.step():
        session.call("lookup", {"name": "ada"})
        submit_left_answer(session, {"answer": "17", "outcome": "OUTCOME_OK"})

    (notice,) = [event.text for event in events if isinstance(event, Noticed)]
    assert "the gates judged it" in notice


def test_the_user_is_not_told_so_if_the_script_had_no_submission_left() -> None:
    """A script may submit three times. This one has used them up for answers without a text."""
    events: list[TrialEvent] = []
    session = new_session(events)

    with session.step() as step:
        for _ in range(3):
            session.submit(Submission(answer="", outcome="OUTCOME_OK"))
        submit_left_answer(session, {"answer": "17", "outcome": "OUTCOME_OK"})

    assert len(step.submissions) == 3
    assert not [event for event in events if isinstance(event, Noticed)]


def test_the_model_is_told_of_a_rejection_that_its_script_swallowed(
    server: ForkServer,
) -> None:
    """The first script catches the exception of the rejection, and prints nothing."""
    swallows_rejection = (
        'scratchpad["answer"] = "OUTCOME_OK: " + harness.lookup("ada").number\n'
        'scratchpad["outcome"] = "OUTCOME_OK"\n'
        "try:\n"
        "    harness.answer(scratchpad, lambda sp: '17' in sp['answer'])\n"
        "except GateRejection:\n"
        "    pass"
    )
    submits_answer = (
        'scratchpad["answer"] = "17"\n'
        'harness.answer(scratchpad, lambda sp: sp["answer"] == "17")'
    )
    replies = [step_reply(swallows_rejection), step_reply(submits_answer)]

    trial = solve_trial(Phonebook(0.0), "ada-0", replies, server)

    assert trial.reason == ""
    _first_request, second_request = trial.model.requests
    last_message = second_request[-1]["content"]
    assert "<gates>" in last_message
    assert "gate 6" in last_message  # It judges the outcome of an answer.

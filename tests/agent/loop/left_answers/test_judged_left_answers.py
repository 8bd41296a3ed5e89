"""An answer that a script has left in its scratchpad is judged, and sent if the gates accept it.

The gates are checks of answers. The trial asks for Ada's phone number, 17. `submit_left_answer(session,
scratchpad)` submits the answer of a script that only set `scratchpad["answer"]`.
"""

from controlplane.agent.events import AnswerSent, Noticed, TrialEvent
from controlplane.agent.evidence import Tape, new_recorder
from controlplane.agent.loop import TrialContext, TrialSession
from controlplane.agent.loop.cited_loop import submit_left_answer
from controlplane.gates.submission import Submission
from tests.support.phonebook import Phonebook


def new_session(events: list[TrialEvent]) -> TrialSession:
    """Return the session of a trial that asks for Ada's phone number. It adds its events to a list."""
    trial = Phonebook(0.0).start_trial("ada-0")
    recorder = new_recorder("ada-0", trial.environment, events.append, tape=Tape())
    return TrialSession(TrialContext("ada-0", "ada", trial.instruction, None), recorder)


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

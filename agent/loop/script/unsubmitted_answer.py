"""Submits the answer that the last script of a trial left, but did not submit.

A script leaves it in the *scratchpad*, the data for the next scripts. At a limit of the
trial, there is no next script, and an answer is better than none.
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.gated_exit import NotJudged
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.gates.submission import OUTCOMES, Submission
from controlplane.sandbox.interface import CallError, Plain


def submit_left_answer(session: TrialSession, scratchpad: Mapping[str, Plain]) -> None:
    """Submit the answer in a scratchpad, unless a script has submitted one.

        {"answer": "14:30", "outcome": "OUTCOME_OK"}    is submitted
        {"answer": "14:30"}                             is not: it lacks the outcome

    The gates judge the answer once, and the model cannot correct it.
    """
    # A submission with an answer, even a rejected one, can be sent at the end of the trial.
    has_sendable = session.gated_exit.history.last_sendable is not None
    if session.is_over or has_sendable:
        return
    submission = Submission.from_scratchpad(scratchpad, None, from_script=False)
    is_whole = bool(submission.answer_text) and submission.outcome in OUTCOMES
    if not is_whole:
        return
    try:
        session.submit(submission)
    except NotJudged:
        return  # The trial has no submission left. It ends without an answer.
    except CallError:
        pass  # The gates accepted it, but the environment did not. The trial ends, too.
    session.notice(
        "the last step left an answer that no script submitted; the gates judged it"
    )

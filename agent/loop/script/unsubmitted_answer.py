"""Submits the answer that the last script of a trial left, but did not submit."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from controlplane.agent.gated_exit import NotJudged
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.gates.submission import OUTCOMES, Submission
from controlplane.sandbox.interface import CallError, Plain


def submit_left_answer(session: TrialSession, scratchpad: Mapping[str, Plain]) -> None:
    """Submit the answer in a scratchpad, unless a script has submitted one.

    The scratchpad is the data that the last script left. The gates judge the answer once,
    and the model cannot correct it.
    """
    if session.is_over or session.exit.history.has_sendable:
        return
    submission = Submission.from_scratchpad(scratchpad, None, from_script=False)
    is_whole = bool(submission.answer_text) and submission.outcome in OUTCOMES
    if not is_whole:
        return
    # If the answer cannot be submitted, the trial ends without one.
    with suppress(NotJudged, CallError):
        session.submit(submission)
    session.notice(
        "the last step left an answer that no script submitted; the gates judged it"
    )

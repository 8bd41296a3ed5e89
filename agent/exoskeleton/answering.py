"""Submits an answer with its references through the gates."""

from __future__ import annotations

from collections.abc import Mapping

from agent.events.call_records import Judged
from agent.loop.trial_session import TrialSession
from gates import Submission


def submit_answer(session: TrialSession, message: str, outcome: str, reasons: Mapping[str, str]) -> Judged:
    """Submit with references, each in the spelling that listings show; `reasons` are by path, in their order.

    What may not be cited stays as it is, for the gates to say so. Raises `CallError` if the environment refuses it.
    """
    refs: dict[str, str] = {}
    for path, reason in reasons.items():
        try:
            refs[session.cite(path, reason)] = reason
        except ValueError:
            refs[path] = reason
    return session.submit(Submission(answer=message, outcome=outcome, refs_why={**refs}))

"""Submits an answer with its references through the gates."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from agent.events.call_records import Judged
from agent.loop.trial_session import TrialSession
from gates.submission import Submission


def submit_answer(
    session: TrialSession,
    message: str,
    outcome: str,
    reasons: Mapping[str, str],
    quotes: Mapping[str, str] = MappingProxyType({}),
) -> Judged:
    """Submit with references, each in the spelling that listings show; `reasons` and `quotes` are by path.

    What may not be cited stays as it is, for the gates to say so; a note tells which quotation is not there. Raises
    `CallError` if the environment refuses it.
    """
    refs: dict[str, str] = {}
    for path, reason in reasons.items():
        for quotation in dict.fromkeys((quotes.get(path, ""), "")):
            try:
                refs[session.cite(path, reason, quotation)] = reason
                break
            except ValueError as error:
                session.trace.notes.extend([str(error)] if quotation else [])
        else:
            refs[path] = reason
    return session.submit(Submission(answer=message, outcome=outcome, refs_why={**refs}))

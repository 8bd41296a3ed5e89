"""The parent's side of a script: its calls, citations and answers, passed to the trial's session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from agent.findings.ordered_answer import AnswerToOrder, order_arguments, ordered_answer
from agent.loop.trial_session import TrialSession
from agent.submission.gated_exit import NotJudged
from gates.submission import Submission
from sandbox import ForkServer, Limits, Refusal, Sandbox, Verify, Wall
from sandbox.interface import CallError, Plain


class ScriptHost:
    """Implements `sandbox.interface.Host` for one trial."""

    def __init__(self, session: TrialSession, order_by: str = "") -> None:
        """`order_by` names the check that puts the references of submissions in order; empty if none does."""
        self._session = session
        self._order_by = order_by

    def call(self, operation: str, arguments: dict[str, Plain], *, in_verify: bool) -> dict[str, Plain]:
        """Make a declared call. Raises `CallError`."""
        return self._session.call(operation, arguments, in_verify=in_verify)

    def cite(self, path: str, reason: str, quote: str = "") -> str:
        """Return the spelling under which `path` may be cited. Raises `Refusal`."""
        try:
            return self._session.cite(path, reason, quote)
        except ValueError as error:
            raise Refusal(str(error)) from None

    def answer(self, scratchpad: Mapping[str, Plain], verify: Verify) -> None:
        """Submit through the gates. Raises `Refusal` with the fix-it text if one rejects."""
        try:
            judged = self._session.submit(self._ordered(Submission.from_scratchpad(scratchpad, verify)))
        except NotJudged as error:
            raise Refusal(str(error)) from None
        except CallError as error:
            message = f"The gates accepted the answer, but the environment did not take it ({error})."
            raise Refusal(message) from None
        if not judged.accepted:
            raise Refusal(judged.message)

    def _ordered(self, submission: Submission) -> Submission:
        """Return a submission with its references in order, if that is asked for, or was when it was recorded."""
        check = self._order_by or self._session.recorded_check
        given, message, outcome = submission.refs_why, submission.answer, submission.outcome
        if not check or not isinstance(given, dict) or not (isinstance(message, str) and isinstance(outcome, str)):
            return submission
        answer = AnswerToOrder(outcome, message, "other", (), tuple(map(str, given)))
        ordered = ordered_answer(self._session.call, check, order_arguments(self._session.instruction, answer))
        if ordered is None:
            return submission
        return replace(submission, refs_why={path: given.get(path) or why for path, why in ordered.reasons.items()})


def sandbox_of(
    session: TrialSession, server: ForkServer, limits: Limits, walls: frozenset[Wall], *, order_by: str = ""
) -> Sandbox:
    """Return the sandbox in which the trial's scripts run; it starts when it is entered. See `ScriptHost`."""
    trial, host = session.trial, ScriptHost(session, order_by)
    return Sandbox(session.surface, host, now=trial.now, seed=trial.seed, limits=limits, walls=walls, server=server)

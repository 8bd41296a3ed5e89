"""The parent's side of a script: its calls, citations and answers, passed to the trial's session."""

from __future__ import annotations

from collections.abc import Mapping

from agent.loop.trial_session import TrialSession
from gates import Submission
from sandbox import ForkServer, Limits, Refusal, Sandbox, Verify, Wall
from sandbox.interface import CallError, Plain


class ScriptHost:
    """Implements `sandbox.interface.Host` for one trial."""

    def __init__(self, session: TrialSession) -> None:
        self._session = session

    def call(self, operation: str, arguments: dict[str, Plain], *, in_verify: bool) -> dict[str, Plain]:
        """Make a declared call. Raises `CallError`."""
        return self._session.call(operation, arguments, in_verify=in_verify)

    def cite(self, path: str, reason: str) -> str:
        """Return the spelling under which `path` may be cited. Raises `Refusal`."""
        try:
            return self._session.cite(path, reason)
        except ValueError as error:
            raise Refusal(str(error)) from None

    def answer(self, scratchpad: Mapping[str, Plain], verify: Verify) -> None:
        """Submit through the gates. Raises `Refusal` with the fix-it text if one rejects."""
        try:
            judged = self._session.submit(Submission.from_scratchpad(scratchpad, verify))
        except CallError as error:
            message = f"The gates accepted the answer, but the environment did not take it ({error})."
            raise Refusal(message) from None
        if not judged.accepted:
            raise Refusal(judged.message)


def sandbox_of(session: TrialSession, server: ForkServer, limits: Limits, walls: frozenset[Wall]) -> Sandbox:
    """Return the sandbox in which the trial's scripts run; it starts when it is entered."""
    trial, host = session.trial, ScriptHost(session)
    return Sandbox(session.surface, host, now=trial.now, seed=trial.seed, limits=limits, walls=walls, server=server)

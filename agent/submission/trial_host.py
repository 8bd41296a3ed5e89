"""The parent's side of a script: answers its calls from the environment, its citations from the evidence."""

from __future__ import annotations

from collections.abc import Mapping

from agent.evidence.recorder import Recorder
from agent.submission.gated_exit import GatedExit
from gates import Submission
from sandbox import Refusal, Verify
from sandbox.interface import CallError, Plain


class TrialHost:
    """Implements `sandbox.interface.host.Host` for one trial."""

    def __init__(self, recorder: Recorder, gated_exit: GatedExit) -> None:
        self._recorder = recorder
        self._exit = gated_exit

    def call(self, operation: str, arguments: dict[str, Plain], *, in_verify: bool) -> dict[str, Plain]:
        """Make a declared call. Raises `CallError`."""
        return self._recorder.call(operation, arguments, in_verify=in_verify)

    def cite(self, path: str, reason: str) -> str:
        """Return the spelling under which `path` may be cited. Raises `Refusal`."""
        try:
            return self._recorder.evidence_log.cite(path, reason)
        except ValueError as error:
            raise Refusal(str(error)) from None

    def answer(self, scratchpad: Mapping[str, Plain], verify: Verify) -> None:
        """Submit through the gates. Raises `Refusal` with the fix-it text where one rejects."""
        try:
            judgement = self._exit(Submission.from_scratchpad(scratchpad, verify))
        except CallError as error:
            message = f"The gates accepted the answer, but the environment did not take it ({error})."
            raise Refusal(message) from None
        self._recorder.notes.extend(judgement.hints)
        if not judgement.accepted:
            raise Refusal(judgement.message)

"""The side of a trial that its scripts see: their calls, citations and answers.

A script runs in a process without any access. What it asks for arrives here:

    harness.read("/docs/fees.md")                  `call("read", {"path": "/docs/fees.md"})`
    scratchpad.cite("/docs/fees.md", "the fee")    `cite("/docs/fees.md", "the fee")`
    harness.answer(scratchpad, verify)             `answer({"answer": "7 EUR", ...}, verify)`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from controlplane.agent.loop.script.submitted_scratchpad import submit_scratchpad
from controlplane.agent.loop.session.call_notes import call_notes
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.sandbox import Refusal, Verify
from controlplane.sandbox.interface import CallError, Plain


class ScriptHost:
    """Does what the scripts of one trial ask for (the sandbox's interface `Host`)."""

    def __init__(self, session: TrialSession) -> None:
        self._session = session

    def call(
        self, operation: str, arguments: Mapping[str, Plain], *, in_verify: bool = False
    ) -> dict[str, Plain]:
        """Make a declared call, and return its result. Raises `CallError`.

        The model gets notes about the call, such as that its result is cut off.
        """
        session = self._session
        result = session.calls.make(
            operation, arguments, in_script=True, in_verify=in_verify
        )
        notes = call_notes(session.tool_schema, operation, arguments, result)
        session.recorder.step_log.add_new_notes(notes)
        return result

    def call_all(
        self, calls: Sequence[tuple[str, Mapping[str, Plain]]]
    ) -> list[Mapping[str, Plain] | CallError]:
        """Make the calls that a function of the benchmark asks for, and return their outcomes.

        They may only read, and are not calls of the script: they are neither checked nor limited.
        """
        return self._session.recorder.calls.inner_calls.make_all(calls)

    def cite(self, path: str, reason: str, quote: str = "") -> str:
        """Return the spelling with which `path` must be cited. Raises `Refusal`."""
        try:
            return self._session.check_citation(path, reason, quote)
        except ValueError as error:
            raise Refusal(str(error)) from None

    def answer(self, scratchpad: Mapping[str, Plain], verify: Verify) -> None:
        """Submit the answer in the scratchpad. `verify` is the script's own check of it.

        Raises `Refusal` with the objections of the gates.
        """
        submit_scratchpad(self._session, scratchpad, verify)

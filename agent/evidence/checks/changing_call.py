"""A call that may change something, with the origins of its arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.evidence.checks.held_values import HeldValues
from controlplane.agent.evidence.origins.argument_origin import (
    ArgumentOrigin,
    Finding,
    Origin,
)
from controlplane.agent.evidence.origins.call_origins import CallOrigins
from controlplane.sandbox.interface import Plain


@dataclass(frozen=True, slots=True)
class ChangingCall:
    """A call that may change something, while it is judged."""

    operation: str
    arguments: dict[str, Plain]
    """The arguments. A path is in the spelling that listings show."""
    origins: Mapping[str, ArgumentOrigin]
    """Where the values of each argument come from, by the argument's name."""
    mode: str
    """The user's setting for this operation: `off`, `ask`, `approve`, `block` or `strict`."""

    @property
    def described_origins(self) -> dict[str, str]:
        """The origins in the form of the journal: `{"amount": "asked"}`."""
        return {name: argument.describe() for name, argument in self.origins.items()}

    def untrusted_values(
        self, accepted: HeldValues, before_step: int
    ) -> dict[str, list[Finding]]:
        """Return the untrusted values by argument.

        Values are left out that are in `accepted` since before the step `before_step`.
        """
        untrusted: dict[str, list[Finding]] = {}
        for name, argument in self.origins.items():
            for finding in self._untrusted_findings(argument):
                if not accepted.accepts(
                    self.operation, name, finding, self.origins, before_step=before_step
                ):
                    untrusted.setdefault(name, []).append(finding)
        return untrusted

    def _untrusted_findings(self, argument: ArgumentOrigin) -> list[Finding]:
        """Return the untrusted values of an argument: those that are only in running text.

        In the mode `strict`, values that no text contains are untrusted, too:
        the script made them. A value that the script composed of several parts is not,
        but its parts are judged.
        """
        findings = argument.findings_of(Origin.PROSE)
        if self.mode == "strict":
            for finding in argument.findings_of(Origin.MADE):
                is_composed = bool(finding.value.parts)
                if not is_composed:
                    findings.append(finding)
        return findings


def changing_call(
    operation: str, arguments: Mapping[str, Plain], call_origins: CallOrigins
) -> ChangingCall:
    """Return a call with the origins of its arguments, and the user's setting (`mode`).

    Origins do not matter to an operation that only talks to the user.
    """
    mode = call_origins.policy.mode_of(operation)
    origins: dict[str, ArgumentOrigin] = {}
    if mode != "off" and not call_origins.is_talk(operation):
        origins = call_origins.origins_of(operation, arguments)
    return ChangingCall(operation, dict(arguments), origins, mode)

"""A call that may change something, with the origins of its arguments.

The call `send_money(to="DE12", amount=30)` may have the account `DE12` from a mail, whose
author may be an attacker. So each value has an origin: the user's request, a record, a
running text such as a mail, or none. Values without a trusted origin are *untrusted*.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.evidence.checks.accepted_values import (
    AcceptedValues,
    untrusted_value,
)
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
    """The user's setting for this operation (`--provenance`). It says what happens to the
    call if it has an untrusted value:

    - `off`: it is sent.
    - `ask`: the model is asked. The call is sent if the model makes it again.
    - `approve`: the user is asked, and may approve the call.
    - `block`: it is never sent.
    - `strict`: it is never sent, and values that no text has are untrusted, too."""

    @property
    def described_origins(self) -> dict[str, str]:
        """The origins as the journal has them: `{"amount": "asked"}`."""
        return {name: argument.describe() for name, argument in self.origins.items()}

    def untrusted_values(
        self, accepted: AcceptedValues, last_step: int
    ) -> dict[str, list[Finding]]:
        """Return the untrusted values by argument.

        Those are left out that were accepted by the step `last_step`.
        """
        untrusted: dict[str, list[Finding]] = {}
        for name, argument in self.origins.items():
            for finding in self._untrusted_findings(argument):
                value = untrusted_value(self.operation, name, finding, self.origins)
                if not accepted.accepts(value, last_step):
                    untrusted.setdefault(name, []).append(finding)
        return untrusted

    def _untrusted_findings(self, argument: ArgumentOrigin) -> list[Finding]:
        """Return the untrusted values of an argument: those that are only in running text.

        In the mode `strict`, values that no text contains are untrusted, too: the script
        made them. But if it composed a value of parts, such as a greeting of `Dear` and a
        name, only the parts are judged.
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

    The origins are left out if nobody needs them: in the mode `off`, and for an operation
    that only talks to the user.
    """
    mode = call_origins.policy.mode_of(operation)
    origins: dict[str, ArgumentOrigin] = {}
    if mode != "off" and not call_origins.is_talk(operation):
        origins = call_origins.origins_of(operation, arguments)
    return ChangingCall(operation, dict(arguments), origins, mode)

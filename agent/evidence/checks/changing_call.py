"""A call that may change something, and the values for which it is stopped.

A mail's author may be an attacker, so a value that only a mail has must not decide what a call
changes. The user asked to pay 30, and only a mail has the account:

    call = changing_call("send_money", {"to": "DE12", "amount": 30}, call_origins)
    call.described_origins       -> {"to": "prose: 'DE12' is only in ...", "amount": "asked"}
    call.unaccepted_values(...)  -> {"to": [the value DE12, found in running text]}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.evidence.checks.accepted_uses import AcceptedUses
from controlplane.agent.evidence.checks.untrusted_uses import untrusted_uses
from controlplane.agent.evidence.checks.value_use import ValueUse
from controlplane.agent.evidence.origins.argument_origin import ArgumentOrigin
from controlplane.agent.evidence.origins.call_origins import CallOrigins
from controlplane.agent.evidence.origins.finding import Finding
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.sandbox.interface import Plain


@dataclass(frozen=True, slots=True)
class ChangingCall:
    """A call that may change something, while it is judged."""

    operation: str
    arguments: dict[str, Plain]
    """The arguments. A path is in the spelling that listings show."""
    origins: Mapping[str, ArgumentOrigin]
    """Where the values of each argument come from. Empty in the mode `off`, which needs none."""
    mode: str
    """What happens to the call if it has an untrusted value, such as `ask` (see `MODES`)."""

    @property
    def described_origins(self) -> dict[str, str]:
        """The origins as the journal has them: `{"amount": "asked"}`."""
        return {name: argument.describe() for name, argument in self.origins.items()}

    def uses_to_accept(self) -> list[ValueUse]:
        """Return what later calls may do if this call is accepted: use its untrusted values."""
        return [use for _, use in untrusted_uses(self.operation, self.origins)]

    def unaccepted_values(
        self, accepted: AcceptedUses, last_step: int
    ) -> dict[str, list[Finding]]:
        """Return the values that stop the call, by argument.

        These are its untrusted values, except for those that were accepted in the step `last_step`
        or before.
        """
        unaccepted: dict[str, list[Finding]] = {}
        for finding, use in untrusted_uses(self.operation, self.origins):
            if self._may_stop(finding) and not accepted.accepts(use, last_step):
                unaccepted.setdefault(use.parameter, []).append(finding)
        return unaccepted

    def _may_stop(self, finding: Finding) -> bool:
        """Return True if the mode stops calls with an untrusted value of this kind."""
        is_in_no_text = finding.origin is Origin.MADE
        if not is_in_no_text:
            return True  # It is only in running text.
        # The script has made it up. If it has parts, as a URL has, these are judged instead.
        return self.mode == "strict" and not finding.value.parts


def changing_call(
    operation: str, arguments: Mapping[str, Plain], call_origins: CallOrigins
) -> ChangingCall:
    """Return a call with the origins of its arguments, and the user's setting (`mode`)."""
    origins = call_origins.origins_of(operation, arguments)
    mode = call_origins.policy.mode_of(operation)
    return ChangingCall(operation, dict(arguments), origins, mode)

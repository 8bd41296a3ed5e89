"""A call that may change something, with the origins of its values, before it is sent.

A mail's author may be an attacker, so a value that only a mail has must not decide what a call
changes. The user asked to pay 30, and only a mail has the account:

    call = changing_call("send_money", {"to": "DE12", "amount": 30}, call_origins)
    call.mode                 -> "ask", the user's setting for such a call
    call.described_origins    -> {"to": "prose: 'DE12' is only in ...", "amount": "asked"}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.evidence.checks.untrusted_uses import untrusted_uses
from controlplane.agent.evidence.checks.value_use import ValueUse
from controlplane.agent.evidence.origins.argument_origin import ArgumentOrigin
from controlplane.agent.evidence.origins.call_origins import CallOrigins
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


def changing_call(
    operation: str, arguments: Mapping[str, Plain], call_origins: CallOrigins
) -> ChangingCall:
    """Return a call with the origins of its arguments, and the user's setting (`mode`)."""
    origins = call_origins.origins_of(operation, arguments)
    mode = call_origins.policy.mode_of(operation)
    return ChangingCall(operation, dict(arguments), origins, mode)

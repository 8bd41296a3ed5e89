"""A call that may change something, with the origins of its arguments.

Each value of an argument has an origin: the user's request, a record, a running text such as a
mail, or none. A mail's author may be an attacker, so a value that only running text has is
*untrusted*. It may be sent only if it is *accepted*: by the model, which insists on it, or by the
user. Example, where the user asked for 30, and only a mail has the account:

    call = changing_call("send_money", {"to": "DE12", "amount": 30}, call_origins)
    call.described_origins       -> {"to": "prose: 'DE12' is only in ...", "amount": "asked"}
    call.unaccepted_values(...)  -> {"to": [the value DE12, found in running text]}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from controlplane.agent.evidence.checks.accepted_values import AcceptedValues
from controlplane.agent.evidence.checks.untrusted_value import (
    UntrustedValue,
    ValueBeside,
)
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
    """Where the values of each argument come from, by the argument's name. Empty if nobody
    needs them, such as in the mode `off`."""
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

    def unaccepted_values(
        self, accepted: AcceptedValues, last_step: int
    ) -> dict[str, list[Finding]]:
        """Return the values for which the call is stopped, by the name of the argument.

        `{"to": [DE12, from running text]}`. Values that were accepted in the step `last_step`
        or before are left out.
        """
        unaccepted: dict[str, list[Finding]] = {}
        for finding, value in self._untrusted_values():
            if self._stops_for(finding) and not accepted.accepts(value, last_step):
                unaccepted.setdefault(value.parameter, []).append(finding)
        return unaccepted

    def values_to_accept(self) -> list[UntrustedValue]:
        """Return the values that later calls may have if this call is accepted.

        Values that no text has are among them: a mail that is read later may have them.
        """
        return [value for _, value in self._untrusted_values()]

    def _stops_for(self, finding: Finding) -> bool:
        """Return True if an untrusted value stops the call, unless it is accepted.

        | the value | stops the call |
        |---|---|
        | `DE12`, which only running text has | in every mode |
        | `DE12`, which no text has: the script made it | in the mode `strict` |
        | `Dear Ann`, which no text has, with the part `Ann` | never: its parts are judged |
        """
        if finding.origin is Origin.PROSE:
            return True
        has_parts = bool(finding.value.parts)
        return self.mode == "strict" and not has_parts

    def _untrusted_values(self) -> Iterator[tuple[Finding, UntrustedValue]]:
        """Yield the values that no trusted text has, each also in the form to compare it.

        In this form, `DE12` in `send_money(to="DE12", amount=30)` has `("amount", "30")` beside
        it: an account that was accepted with 30 is not accepted with 9,000.
        """
        for parameter, argument in self.origins.items():
            values_beside = self._values_beside(parameter)
            for finding in argument.untrusted_findings:
                value = UntrustedValue(
                    self.operation,
                    parameter,
                    finding.value.main_key,
                    values_beside=values_beside,
                    is_copied_text=finding.is_copied_text,
                )
                yield finding, value

    def _values_beside(self, parameter: str) -> frozenset[ValueBeside]:
        """Return the untrusted numbers, dates and ids of all arguments except `parameter`.

        `send_money(to="DE12", amount=30)` has `("amount", "30")` beside `to`.
        """
        values: set[ValueBeside] = set()
        for name, argument in self.origins.items():
            if name != parameter:
                for key in argument.untrusted_number_keys:
                    values.add((name, key))
        return frozenset(values)


def changing_call(
    operation: str, arguments: Mapping[str, Plain], call_origins: CallOrigins
) -> ChangingCall:
    """Return a call with the origins of its arguments, and the user's setting (`mode`)."""
    origins = call_origins.origins_of(operation, arguments)
    mode = call_origins.policy.mode_of(operation)
    return ChangingCall(operation, dict(arguments), origins, mode)

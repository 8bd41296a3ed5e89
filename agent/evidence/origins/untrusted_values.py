"""The untrusted values that earlier changing calls had in their arguments.

A value is untrusted if only running text has it (`PROSE`), such as a mail, or no text at
all (`MADE`): the script made it. A tool may store such a value. `list_transfers` may then
return it in a field of data, as if it were a record, which is trusted. So an untrusted
value keeps the origin that it had in the earlier call.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from controlplane.agent.evidence.origins.argument_origin import (
    ArgumentOrigin,
    Finding,
    Origin,
)
from controlplane.agent.evidence.origins.values.argument_value import (
    ArgumentValue,
    ValueSet,
)
from controlplane.sandbox.interface import bounds


@dataclass(slots=True)
class UntrustedValues:
    """The untrusted values of one trial."""

    _findings: dict[str, Finding] = field(default_factory=dict)
    """The values with the origins that they had first, by their `identity`."""

    def add(self, origins: Iterable[ArgumentOrigin]) -> None:
        """Add the untrusted values in the arguments of a changing call."""
        for argument in origins:
            for finding in argument.findings_of(Origin.MADE, Origin.PROSE):
                identity = finding.value.identity
                # A value beyond the first 2,000 of an argument has no identity.
                if identity and len(self._findings) < bounds.MOST_TRACED_KEYS:
                    self._findings.setdefault(identity, finding)

    def remove(self, values: ValueSet) -> None:
        """Remove values that are trusted from now on, because a call has found a record by them.

        `get_account(iban="US13...")` has found an account, so there is one with that number.
        """
        for key in (*values.keys, *values.phrases):
            self._findings.pop(key, None)

    def find(self, value: ArgumentValue) -> Finding | None:
        """Return a value with its origin in an earlier call; None if no call had it untrusted."""
        for key in (*value.keys, value.phrase):
            if key in self._findings:
                return self._findings[key]
        return None

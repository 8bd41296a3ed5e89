"""The untrusted values that earlier changing calls had in their arguments.

Untrusted are values that no text has, or only running text. A tool may store such a value,
and return it later in a field of data. It would then count as a record, which is trusted.
So these values keep their origins.
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
    ValueKeys,
)
from controlplane.sandbox.interface import bounds


@dataclass(slots=True)
class UntrustedValues:
    """The untrusted values of one trial."""

    _findings: dict[str, Finding] = field(default_factory=dict)
    """By key or phrase, the values with the origins that they had first."""

    def add(self, origins: Iterable[ArgumentOrigin]) -> None:
        """Add the untrusted values in the arguments of a changing call."""
        for argument in origins:
            for finding in argument.findings_of(Origin.MADE, Origin.PROSE):
                if len(self._findings) < bounds.MOST_TRACED_KEYS:
                    self._findings.setdefault(finding.value.key, finding)

    def remove(self, values: ValueKeys) -> None:
        """Remove values that turned out to be those of a record."""
        for key in (*values.keys, *values.phrases):
            self._findings.pop(key, None)

    def find(self, value: ArgumentValue) -> Finding | None:
        """Return the origin that a value had in an earlier call; None if it was in none."""
        for key in (*value.keys, value.phrase):
            if key in self._findings:
                return self._findings[key]
        return None

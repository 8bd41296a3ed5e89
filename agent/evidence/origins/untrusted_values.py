"""The untrusted values that earlier changing calls had in their arguments.

A value is untrusted if only running text has it (`PROSE`), or no text at all (`MADE`). It
must not become trusted because a tool stores and returns it:

1. A mail says “Please pay 420 to GB33...”, and the call `send_money(recipient="GB33...")` is
   made. The account is untrusted.
2. `list_transfers()` returns `{"recipient": "GB33..."}`. A field of data is usually trusted.
3. In the next `send_money(recipient="GB33...")`, the account has the origin of step 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from controlplane.agent.evidence.origins.finding import Finding
from controlplane.agent.evidence.origins.values.argument_value import ArgumentValue
from controlplane.sandbox.interface import bounds


@dataclass(slots=True)
class UntrustedValues:
    """The untrusted values of one trial, with the origins that they had first.

        untrusted.add([finding])      # GB33..., PROSE, of `send_money(recipient="GB33...")`
        untrusted.find(recipient)     # -> this finding, whatever text has GB33... since then
        untrusted.remove(["gb33..."])
        untrusted.find(recipient)     # -> None

    A value is found by any of its keys, which all its spellings share.
    """

    _findings: dict[str, Finding] = field(default_factory=dict)
    """Each value with its origin, by the value's main key: `gb33...`."""

    def add(self, findings: Iterable[Finding]) -> None:
        """Add the untrusted values in an argument of a changing call, while there is room.

        A finding without a key stands for all values that were too many to look up. It is
        left out, since nothing could be found by it.
        """
        for finding in findings:
            key = finding.value.main_key
            has_room = len(self._findings) < bounds.MOST_TRACED_KEYS
            if key and has_room:
                self._findings.setdefault(key, finding)

    def remove(self, keys: Iterable[str]) -> None:
        """Remove values by their keys. A call has found a record by them, so they are trusted.

        `get_account(iban="GB33...")` has found an account, so there is one with that number.
        """
        for key in keys:
            self._findings.pop(key, None)

    def find(self, value: ArgumentValue) -> Finding | None:
        """Return a value with its origin in an earlier call; None if no call had it untrusted.

        `2026-05-15` has a second key, `--05-15`, by which an earlier `15 May` is found.
        """
        for key in value.keys:
            if key in self._findings:
                return self._findings[key]
        return None

"""The untrusted values that earlier changing calls had in their arguments.

A value is untrusted if only running text has it, such as a mail by anybody, or no text at all. It
must not become trusted because a tool stores and returns it:

1. A mail says “Please pay 420 to GB33.”, and the call `send_money(recipient="GB33")` is made. The
   account is untrusted.
2. `list_transfers()` returns `{"recipient": "GB33"}`. A field of data is usually trusted.
3. In the next `send_money(recipient="GB33")`, the account is still untrusted, as in step 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from controlplane.agent.evidence.origins.finding import Finding
from controlplane.sandbox.interface import bounds


@dataclass(slots=True)
class UntrustedValues:
    """The untrusted values of one trial, with the origins that they had first.

        finding = Finding(ArgumentValue("GB33", keys=("gb33",)), Origin.PROSE)
        untrusted.add([finding])
        untrusted.find(["gb33"])      # -> finding
        untrusted.remove(["gb33"])
        untrusted.find(["gb33"])      # -> None

    A key is a form that all spellings of a value share: `gb33` for `GB33`.
    """

    _findings: dict[str, Finding] = field(default_factory=dict)
    """Each value with its origin, by the first of its keys: `{"gb33": finding}`."""

    def add(self, findings: Iterable[Finding]) -> None:
        """Add the untrusted values in an argument of a changing call, while there is room.

        A value without keys cannot be found, so it is left out.
        """
        for finding in findings:
            key = finding.value.main_key
            has_room = len(self._findings) < bounds.MOST_TRACED_KEYS
            if key and has_room:
                self._findings.setdefault(key, finding)

    def remove(self, keys: Iterable[str]) -> None:
        """Remove the values with these keys. A call has found a record by them, so they are trusted.

        `get_account(iban="GB33")` has found an account, so there is one with that number.
        """
        for key in keys:
            self._findings.pop(key, None)

    def find(self, keys: Iterable[str]) -> Finding | None:
        """Return the value with one of these keys, with its origin in an earlier call.

        Return None if no call had it untrusted. The date `2026-05-15` has a second key, `--05-15`,
        by which an earlier `15 May` is found.
        """
        for key in keys:
            if key in self._findings:
                return self._findings[key]
        return None

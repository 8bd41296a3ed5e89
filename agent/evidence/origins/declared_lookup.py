"""Finds the origins of a call's arguments, with what the declaration of its operation allows.

`write("/fees.md", "Rent 850, heating 90")` is to change the rent in `/fees.md`, and writes the 90
again, which was read there. As a value of a mail, the 90 would stop the call. But `write` is
declared as an operation that writes a file, so it may have what this file already has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.allowed_keys import AllowedKeys
from controlplane.agent.evidence.origins.argument_lookup import find_origins
from controlplane.agent.evidence.origins.argument_origin import ArgumentOrigin
from controlplane.agent.evidence.origins.listed_values import keys_of_listed_values
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.texts.text_keys import all_keys
from controlplane.sandbox.interface import Effect, Operation, Plain

_EFFECTS_ON_FILES: Final = (Effect.WRITES, Effect.MOVES, Effect.DELETES)


@dataclass(frozen=True, slots=True)
class DeclaredLookup:
    """Looks up the arguments of one trial's calls."""

    evidence_log: EvidenceLog
    """Knows the spelling in which listings show a path."""
    provenance: Provenance
    """The texts that were learnt so far, and the untrusted values of changing calls."""

    def origins_of(
        self, declared: Operation, arguments: Mapping[str, Plain], names: Iterable[str]
    ) -> dict[str, ArgumentOrigin]:
        """Return the origins of those arguments of a call that have these names."""
        allowed_keys = AllowedKeys(
            read_in_file=self._keys_of_changed_file(declared, arguments),
            listed=keys_of_listed_values(declared),
        )
        looked_up = {name: arguments.get(name) for name in names}
        return find_origins(self.provenance, looked_up, allowed_keys)

    def _keys_of_changed_file(
        self, declared: Operation, arguments: Mapping[str, Plain]
    ) -> set[str]:
        """Return the keys of all values that were read in the file that a call changes.

        If the file says `Pay 4 on 15 May 2026`, these are `4`, `2026-05-15` and the words.
        """
        keys = set[str]()
        if declared.effect in _EFFECTS_ON_FILES:
            # `subject` is the name of the argument that has the path.
            path = str(arguments.get(declared.subject, ""))
            listed_path = self.evidence_log.listed_path(path)
            for text in self.provenance.texts.of_file(listed_path):
                keys |= all_keys(text)
        return keys

"""The values that one call may have even if only a mail has them.

A call is usually stopped for a value that only a mail has, whose author may want to trick the
model. But some values do no harm in one call, wherever they are from:

| call | may have |
|---|---|
| `write("/fees.md", "Rent 850, heating 90")` | what was read in `/fees.md`: it is there already |
| `set(mode="START")` | `START` and `STOP`, if the declaration of `set` lists them for `mode` |
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.listed_values import keys_of_listed_values
from controlplane.agent.evidence.origins.texts.known_texts import KnownTexts
from controlplane.agent.evidence.origins.texts.text_keys import all_keys
from controlplane.sandbox.interface import Effect, Operation, Plain

_EFFECTS_ON_FILES: Final = (Effect.WRITES, Effect.MOVES, Effect.DELETES)


@dataclass(frozen=True, slots=True)
class AllowedKeys:
    """The keys of the values that one call may have. All spellings of a value share a key.

    AllowedKeys(listed={"mode": ["start", "stop"]}).of_argument("mode")   -> {"start", "stop"}
    """

    read_in_file: set[str] | frozenset[str] = frozenset()
    """The keys of all values that were read in the file that the call changes."""
    listed: Mapping[str, Collection[str]] = field(default_factory=dict)
    """The keys of the values that the declaration lists, by the argument that may have them."""

    def of_argument(self, name: str) -> set[str] | frozenset[str]:
        """Return the keys of the values that the argument of this name may have."""
        return self.read_in_file.union(self.listed.get(name, ()))


def allowed_keys_of(
    declared: Operation,
    arguments: Mapping[str, Plain],
    texts: KnownTexts,
    evidence_log: EvidenceLog,
) -> AllowedKeys:
    """Return the keys of the values that a call of a declared operation may have.

    `texts` are those that were read. `evidence_log` knows how listings spell their paths.
    """
    listed = keys_of_listed_values(declared)
    if declared.effect not in _EFFECTS_ON_FILES:
        return AllowedKeys(listed=listed)
    # `subject` is the name of the argument that has the path.
    path = evidence_log.listed_path(str(arguments.get(declared.subject, "")))
    read_in_file = set[str]()
    for text in texts.of_file(path):
        read_in_file |= all_keys(text)
    return AllowedKeys(read_in_file, listed)

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

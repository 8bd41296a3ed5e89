"""The expressions that the scripts of a trial stored in the scratchpad.

    scratchpad["n"] = len(rows)           assigns: the key `n` holds `len(rows)` alone
    scratchpad["rows"].append(row)        changes: the key `rows` also holds `row`
    scratchpad.update(values)             under any key

The scripts are only read, so it is unknown which of several assignments came last. All are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from controlplane.gates.support.scripts.script_expressions import ScriptExpression


@dataclass(eq=False)
class StoredExpressions:
    """The expressions that the scripts of a trial stored under each key of the scratchpad.

    Scripts are read one after the other (`assign`, `change`); then `of` and `all` are asked.
    """

    assigned: dict[str, list[ScriptExpression]] = field(default_factory=dict)
    """By key, the values of `scratchpad["key"] = value`. Each may be what the key holds now."""
    changed: dict[str, list[ScriptExpression]] = field(default_factory=dict)
    """By key, the values that were added to what it held: `scratchpad["key"].append(value)`."""
    under_any_key: list[ScriptExpression] = field(default_factory=list)
    """The values stored by `scratchpad.update(values)` or under a computed key."""

    def of(self, key: str) -> list[ScriptExpression]:
        """Return everything that a key may hold."""
        assigned = self.assigned.get(key, [])
        return assigned + self.changed.get(key, []) + self.under_any_key

    def whole_values_of(self, key: str) -> Sequence[ScriptExpression]:
        """Return the expressions, one of which gave all that a key holds.

        Empty if a script may also have changed a part: after `scratchpad["text"] = "a"` and
        `scratchpad["text"] += more`, the key holds neither `"a"` nor `more`.
        """
        if self.changed.get(key) or self.under_any_key:
            return ()
        return self.assigned.get(key, ())

    def all(self) -> list[ScriptExpression]:
        """Return everything that the scratchpad may hold."""
        expressions = list(self.under_any_key)
        for by_key in (self.assigned, self.changed):
            for stored in by_key.values():
                expressions += stored
        return expressions

    def assign(self, key: str, value: ScriptExpression) -> None:
        """Record that a key was set to a value."""
        self.assigned.setdefault(key, []).append(value)

    def change(self, key: str | None, values: Sequence[ScriptExpression]) -> None:
        """Record that values were added to what a key holds; None if it may be any key."""
        if key is None:
            self.under_any_key += values
        else:
            self.changed.setdefault(key, []).extend(values)

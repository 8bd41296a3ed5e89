"""The changes that the calls of a trial made, found by the names that a script may give them."""

from __future__ import annotations

from controlplane.gates.checks.change_spellings import (
    names_of_declared,
    names_of_made,
)
from controlplane.gates.checks.declared_change import DeclaredChange
from controlplane.gates.evidence import Evidence
from controlplane.gates.trial.changes import Change


class MadeChanges:
    """The changes of one trial. Its trace, the record of its calls, shows them."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self.all = list(evidence.changes)
        """All changes, and the runs of tools that may have changed something."""
        for tool in evidence.unclear_runs:
            self.all.append(Change(tool, "execute", is_optional=True))

        self._by_name: dict[str, list[Change]] = {}
        """By each name that may mean them. `send` may mean several."""
        for change in self.all:
            for name in names_of_made(change):
                self._by_name.setdefault(name, []).append(change)

    def named_by(self, declared: DeclaredChange) -> list[Change]:
        """Return the changes that a declared one may mean; empty if no such change was made."""
        named: list[Change] = []
        for name in names_of_declared(declared.name, self._evidence):
            for change in self._by_name.get(name, ()):
                if declared.action in ("", change.action):
                    named.append(change)
        return named

    def to_declare(self) -> list[Change]:
        """Return the changes that surely happened, and that no later change undid."""
        return [
            change
            for change in self.all
            if not change.is_optional and not self._evidence.is_undone(change)
        ]

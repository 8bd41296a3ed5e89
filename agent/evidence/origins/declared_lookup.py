"""Finds the origins of a call's arguments, as the declaration of its operation says.

Some values are trusted in one call, like fields of data:

- `set(mode="START")` may have each value that the declaration of `set` lists for `mode`.
- `write("/fees.md", "Rent 850, heating 90")` may have each value that was read in `/fees.md`: an
  edit of one value writes the others again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.argument_lookup import find_origins
from controlplane.agent.evidence.origins.argument_origin import ArgumentOrigin
from controlplane.agent.evidence.origins.declared_texts import declared_keys
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.sandbox.interface import Effect, Operation, Plain, ToolSchema


@dataclass(frozen=True, slots=True)
class DeclaredLookup:
    """Looks up the arguments of one trial's calls."""

    tool_schema: ToolSchema
    """The declarations of all operations."""
    evidence_log: EvidenceLog
    """Knows the spelling in which listings show a path."""
    provenance: Provenance
    """The texts that were learnt so far, and the untrusted values of changing calls."""

    def origins_of(
        self,
        declared: Operation,
        arguments: Mapping[str, Plain],
        *,
        names: Iterable[str],
    ) -> dict[str, ArgumentOrigin]:
        """Return the origins of the arguments of a call that have these names."""
        changed_path = None
        if declared.effect in (Effect.WRITES, Effect.MOVES, Effect.DELETES):
            path = str(arguments.get(declared.subject, ""))
            changed_path = self.evidence_log.listed_path(path)
        return find_origins(
            self.provenance,
            {name: arguments.get(name) for name in names},
            changed_path=changed_path,
            declared_keys=declared_keys(declared),
        )

    def with_listed_path(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> dict[str, Plain]:
        """Return the arguments of a call, with the path in the spelling that listings show.

        `{"path": "/DOCS/loans.md"}` -> `{"path": "/docs/Loans.md"}`
        """
        listed = dict(arguments)
        declared = self.tool_schema.operation(operation)
        if declared is None:
            return listed
        path = arguments.get(declared.subject)  # `subject` names the path argument.
        if isinstance(path, str):
            listed[declared.subject] = self.evidence_log.listed_path(path)
        return listed

"""Looks up the arguments of a declared operation in the texts that a trial has received.

The declaration of `write(path, content)` says that the call changes the file at `path`. A
script may change one line of a file, and write all others again. So values that the file had
already are trusted in such a call, wherever they came from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.argument_origin import ArgumentOrigin
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.results.declared_texts import declared_keys
from controlplane.sandbox.interface import Effect, Operation, Plain


@dataclass(frozen=True, slots=True)
class OriginLookup:
    """Looks up the arguments of one trial's calls, with what their operation declares.

    The declaration says which file a call changes, and which values an argument may have.
    """

    provenance: Provenance
    """The texts that the trial has received."""
    evidence_log: EvidenceLog
    """Knows the spelling in which listings show a path."""

    def origins(
        self,
        declared: Operation,
        arguments: Mapping[str, Plain],
        *,
        names: Iterable[str],
    ) -> dict[str, ArgumentOrigin]:
        """Return the origins of the arguments with these names.

        Two kinds of values are trusted in this call, like fields of data: those that the
        changed file has already, and those that the schema of the argument lists, in an enum.
        """
        changed_path = ""
        if declared.effect in (Effect.WRITES, Effect.MOVES, Effect.DELETES):
            path = str(arguments.get(declared.subject, ""))
            changed_path = self.evidence_log.listed_path(path)
        return self.provenance.origins(
            {name: arguments.get(name) for name in names},
            changed_path=changed_path,
            declared_keys=declared_keys(declared),
        )

    def with_listed_path(
        self, declared: Operation, arguments: Mapping[str, Plain]
    ) -> dict[str, Plain]:
        """Return the arguments of a call, with the path in the spelling that listings show.

        `{"path": "/DOCS/loans.md"}` -> `{"path": "/docs/Loans.md"}`
        """
        changed = dict(arguments)
        path = arguments.get(declared.subject)  # `subject` names the path argument.
        if isinstance(path, str):
            changed[declared.subject] = self.evidence_log.listed_path(path)
        return changed

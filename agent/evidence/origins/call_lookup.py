"""Finds where the values of a call come from, such as an account: a mail, or the user's request.

A call that changes something is stopped for a value that only a mail has: its author may want to
trick the model. Two kinds of values do no harm, even if a mail has them:

    write("/fees.md", "Rent 850")   850, if it was read in this file: it is there already
    set(mode="START")               START, if the declaration of `set` lists it for `mode`
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.argument_lookup import find_origins
from controlplane.agent.evidence.origins.argument_origin import ArgumentOrigin
from controlplane.agent.evidence.origins.listed_values import keys_of_listed_values
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.sandbox.interface import Effect, Operation, Plain

_EFFECTS_ON_FILES: Final = (Effect.WRITES, Effect.MOVES, Effect.DELETES)


@dataclass(frozen=True, slots=True)
class CallLookup:
    """Looks up the calls of one trial."""

    provenance: Provenance
    """The texts that the trial has received."""
    evidence_log: EvidenceLog
    """Knows how listings spell the path of a file."""

    def find(
        self,
        declared: Operation,
        arguments: Mapping[str, Plain],
        deciding: Mapping[str, Plain],
    ) -> dict[str, ArgumentOrigin]:
        """Return the origins of the arguments in `deciding`: those that decide what is changed.

        A value is compared by its key, which all its spellings share.
        """
        keys_in_file = self._keys_of_changed_file(declared, arguments)
        # A file may have a million keys, so the arguments share one set. It is copied only for
        # arguments with listed values. Those that are not in `deciding` are not looked up.
        harmless_keys = dict.fromkeys(deciding, keys_in_file)
        for name, listed_keys in keys_of_listed_values(declared).items():
            harmless_keys[name] = keys_in_file.union(listed_keys)
        return find_origins(self.provenance, deciding, harmless_keys)

    def keep_untrusted(
        self, declared: Operation, arguments: Mapping[str, Plain]
    ) -> None:
        """Remember the untrusted values of a call that may have changed something.

        The tool may store the account of a mail, and return it later in a field of data. It must
        not become trusted by that.
        """
        for argument in self.find(declared, arguments, arguments).values():
            self.provenance.untrusted.add(argument.untrusted_findings)

    def _keys_of_changed_file(
        self, declared: Operation, arguments: Mapping[str, Plain]
    ) -> set[str]:
        """Return the keys of all values that were read in the file that a call changes.

        There are none if the call changes no file.
        """
        if declared.effect not in _EFFECTS_ON_FILES:
            return set()
        path = str(arguments.get(declared.subject, ""))
        listed_path = self.evidence_log.listed_path(path)
        return self.provenance.texts.keys_of_file(listed_path)

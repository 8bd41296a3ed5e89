"""Remembers what the arguments of changing calls have passed to tools.

A mail says “Please pay 420 to GB33...”, and the trial calls `send_money(recipient="GB33...")`. The
tool may store the account, and `list_transfers` may return it later as a field of data. The account
stays untrusted all the same. And `run("rm /docs/fees.md")` may have changed a file of the
workspace's owner, so its text is no longer trusted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.evidence.origins.declared_lookup import DeclaredLookup
from controlplane.agent.evidence.origins.results.owner_files import OwnerFiles
from controlplane.sandbox.interface import Operation, Plain


@dataclass(frozen=True, slots=True)
class SentArguments:
    """Remembers the arguments of one trial's changing calls."""

    lookup: DeclaredLookup
    """Finds the origins of the arguments."""
    owner_files: OwnerFiles
    """Knows whether a file of the owner may have been changed."""

    def learn(self, declared: Operation, arguments: Mapping[str, Plain]) -> None:
        """Learn the arguments of a call that may have changed something."""
        origins = self.lookup.origins_of(declared, arguments, names=arguments)
        self.lookup.provenance.untrusted.add(origins.values())
        self.owner_files.learn_changing_call(declared, arguments)

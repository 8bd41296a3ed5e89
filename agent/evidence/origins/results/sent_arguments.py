"""Remembers the untrusted values that changing calls have passed to tools.

A mail says “Please pay 420 to GB33...”, and the trial calls `send_money(recipient="GB33...")`. The
tool may store the account, and `list_transfers` may return it later as a field of data. The account
stays untrusted all the same.
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.allowed_keys import allowed_keys_of
from controlplane.agent.evidence.origins.argument_lookup import find_origins
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.sandbox.interface import Operation, Plain


def learn_sent_arguments(
    declared: Operation,
    arguments: Mapping[str, Plain],
    provenance: Provenance,
    evidence_log: EvidenceLog,
) -> None:
    """Add the untrusted values of a call that may have changed something to `provenance`."""
    texts = provenance.texts
    allowed_keys = allowed_keys_of(declared, arguments, texts, evidence_log)
    for argument in find_origins(provenance, arguments, allowed_keys).values():
        provenance.untrusted.add(argument.untrusted_findings)

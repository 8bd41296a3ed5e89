"""Finds where the values of a call come from: the user's request, a mail, or another text.

Before a call that changes something is sent, this says which of its values the user has named,
and which only a mail has, whose author may want to trick the model:

    find_origins(provenance, {"recipient": "GB33...", "amount": 420})
        -> {"recipient": PROSE (only a mail has it), "amount": ASKED (by the user)}
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from types import MappingProxyType
from typing import Final

from controlplane.agent.evidence.origins.argument_origin import ArgumentOrigin
from controlplane.agent.evidence.origins.origin_search import OriginSearch
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.values.argument_values import argument_values
from controlplane.sandbox.interface import Plain

_NO_KEYS: Final[Mapping[str, Set[str]]] = MappingProxyType({})


def find_origins(
    provenance: Provenance,
    arguments: Mapping[str, Plain],
    allowed_keys: Mapping[str, Set[str]] = _NO_KEYS,
) -> dict[str, ArgumentOrigin]:
    """Return the origin of each argument of a call.

    An argument is left out if no value in it identifies anything, such as the word `restart`.
    `provenance` has the texts that were received so far. `allowed_keys` are those of the values
    that count as data in this call, wherever they are from.
    """
    origins: dict[str, ArgumentOrigin] = {}
    for name, argument in arguments.items():
        search = OriginSearch(provenance, allowed_keys.get(name, frozenset()))
        findings = search.findings_of(argument_values(argument))
        if findings:
            origins[name] = ArgumentOrigin(findings)
    return origins

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
from controlplane.agent.evidence.origins.finding import Finding
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.value_search import ValueSearch
from controlplane.agent.evidence.origins.values.argument_value import (
    ArgumentValue,
    ValueRole,
)
from controlplane.agent.evidence.origins.values.argument_values import argument_values
from controlplane.sandbox.interface import Plain, bounds

_NO_KEYS: Final[Mapping[str, Set[str]]] = MappingProxyType({})


def find_origins(
    provenance: Provenance,
    arguments: Mapping[str, Plain],
    harmless_keys: Mapping[str, Set[str]] = _NO_KEYS,
) -> dict[str, ArgumentOrigin]:
    """Return the origin of each argument of a call.

    An argument is left out if no value in it identifies anything, such as the word `restart`.
    `provenance` has the texts that were received so far. `harmless_keys` has, by argument, the
    keys of the values that count as data in this call, wherever they are from.
    """
    origins: dict[str, ArgumentOrigin] = {}
    for name, argument in arguments.items():
        search = ValueSearch(provenance, harmless_keys.get(name, frozenset()))
        findings = _findings_of(argument, search)
        if findings:
            origins[name] = ArgumentOrigin(findings)
    return origins


def _findings_of(argument: Plain, search: ValueSearch) -> tuple[Finding, ...]:
    """Return the values of an argument with their origins, each once.

    After `MOST_TRACED_VALUES`, the search stops: one finding stands for all that follow.
    """
    for number, value in enumerate(argument_values(argument)):
        if number == bounds.MOST_TRACED_VALUES:
            return (*search.findings.values(), _finding_of_rest(value, number))
        search.find(value)
    return tuple(search.findings.values())


def _finding_of_rest(value: ArgumentValue, number: int) -> Finding:
    """Return one finding for `value` and all that follow, after `number` values.

    They are not looked up. Any of them may say whom the call reaches, so the finding counts
    as a whole argument that is from a mail. It has no key, so no other value is the same.
    """
    unknown_value = ArgumentValue(value.text, role=ValueRole.WHOLE)
    return Finding.in_prose(unknown_value, f"what is beyond the first {number} values")

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
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.value_search import ValueSearch
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
    most_values = bounds.MOST_TRACED_PARTS  # in all arguments together
    for name, argument in arguments.items():
        harmless = harmless_keys.get(name, frozenset())
        search = ValueSearch(provenance, harmless, most_values)
        _search_argument(argument, search)
        most_values -= search.value_count
        if search.findings:
            origins[name] = ArgumentOrigin(tuple(search.findings.values()))
    return origins


def _search_argument(argument: Plain, search: ValueSearch) -> None:
    """Look up the values of an argument, as far as they may be looked up."""
    most_parts = search.most_values + 1
    for number, value in enumerate(argument_values(argument, most_parts)):
        if number == bounds.MOST_TRACED_VALUES:
            search.give_up(value)
        if search.has_given_up:
            return
        search.find(value)

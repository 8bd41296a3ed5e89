"""Finds the origins of a call's arguments: whose texts have their values.

Before a call that changes something is sent, this says which of its values the user has named,
and which only a mail has, whose author may want to trick the model:

    find_origins(provenance, {"recipient": "GB33...", "amount": 420})
        -> {"recipient": PROSE (only a mail has it), "amount": ASKED (by the user)}
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from controlplane.agent.evidence.origins.argument_origin import ArgumentOrigin
from controlplane.agent.evidence.origins.origin_search import OriginSearch
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.texts.text_keys import all_keys
from controlplane.agent.evidence.origins.values.argument_values import argument_values
from controlplane.sandbox.interface import Plain


def find_origins(
    provenance: Provenance,
    arguments: Mapping[str, Plain],
    *,
    changed_path: str | None = None,
    declared_keys: Mapping[str, Collection[str]] | None = None,
) -> dict[str, ArgumentOrigin]:
    """Return the origin of each argument of a call.

    An argument is left out if no value in it identifies anything, such as the word
    `restart`. Two more kinds of values count as records, only for this call:

    - what the trial has read in `changed_path`, the file that the call changes: an edit
      may keep what is in the file;
    - the values that an argument's schema lists, such as an enum: `declared_keys` has
      their keys by argument.
    """
    file_keys = _keys_of_file(provenance, changed_path) if changed_path else set()
    keys_by_argument = declared_keys or {}
    origins: dict[str, ArgumentOrigin] = {}
    for name, argument in arguments.items():
        allowed_keys = file_keys.union(keys_by_argument.get(name, ()))
        search = OriginSearch(provenance, allowed_keys)
        findings = search.findings_of(argument_values(argument))
        if findings:
            origins[name] = ArgumentOrigin(findings)
    return origins


def _keys_of_file(provenance: Provenance, path: str) -> set[str]:
    """Return the keys of all values that were read in a file.

    If the file says `Pay 4 on 15 May 2026`, these are `4`, `2026-05-15` and those of the
    words. A key is what all spellings of a value share.
    """
    keys = set[str]()
    for text in provenance.texts.of_file(path):
        keys |= all_keys(text)
    return keys

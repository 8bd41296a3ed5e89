"""Reads the values of a listing, for each of which an environment declares a call.

For example, `find` lists the paths `/docs/a.md` and `/docs/b.md`, and `read` is called for
each of them.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

from controlplane.agent.initial_calls.declared_calls import DeclaredCall
from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.loop.initial_prompt.listed_trees import FIND
from controlplane.agent.retrieval.listed_files import ListedFiles
from controlplane.gates.paths import base_name
from controlplane.sandbox.interface import EachOf, Plain


def listed_values(
    declared: DeclaredCall, calls: InitialCalls, listed: ListedFiles
) -> list[Plain]:
    """Return the values for which a call is made, such as the paths in a folder."""
    listing = declared.call.each_of
    if listing is None:
        return []
    known_files = _known_files(listing, listed)
    if known_files is not None:
        return list(known_files)

    call = calls.send(listing.operation, listing.arguments)
    entries = calls.result(call).get(listing.field)
    if not isinstance(entries, list):
        return []
    values: list[Plain] = []
    for entry in entries:
        # An entry is a value, such as a path, or an object: `{"path": "/a.md"}`.
        if not isinstance(entry, dict):
            values.append(entry)
        elif not entry.get("is_dir"):
            values.append(entry.get("path"))
    return values


def _known_files(listing: EachOf, listed: ListedFiles) -> list[str] | None:
    """Return the files of a listing if the listed trees already have them all; else None.

    Then the call of the listing need not be made.
    """
    arguments = listing.arguments
    wants_files = listing.operation == FIND and arguments.get("kind") == "files"
    wants_all = arguments.get("limit") == 0
    if not wants_files or not wants_all:
        return None
    files = listed.below(str(arguments.get("root")))
    if files is None:
        return None
    pattern = str(arguments.get("name")).lower()
    return [file for file in files if fnmatchcase(base_name(file).lower(), pattern)]

"""Reads the values of a listing, for each of which an environment wants a call to be made.

For example, its declaration says "`read` each file that `find("*.md", root="/docs")` lists".
The values are then `/docs/a.md` and `/docs/b.md`.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

from controlplane.agent.initial_calls.declared_call import DeclaredCall
from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.loop.initial_prompt.listed_trees import FIND
from controlplane.agent.retrieval.listing.listed_files import ListedFiles
from controlplane.gates.paths import base_name
from controlplane.sandbox.interface import EachOf, Plain


def listed_values(
    declared: DeclaredCall, calls: InitialCalls, listed: ListedFiles
) -> list[Plain]:
    """Return the values for which a call is made, such as the paths of all files in a folder.

    `listed` has the files of the trees that earlier calls have listed. If a listing asks
    only for such files, its call is not made.
    """
    listing = declared.listing
    if listing is None:
        return []
    known_files = _known_files(listing, listed)
    if known_files is not None:
        return list(known_files)

    call = calls.send(listing.operation, listing.arguments)
    return _values_in(calls.result(call).get(listing.field))


def _values_in(entries: Plain) -> list[Plain]:
    """Return the values of a listing's entries. An entry may be an object with a path.

    ["/a.md"]                                              -> ["/a.md"]
    [{"path": "/a.md"}, {"path": "/old", "is_dir": True}]  -> ["/a.md"]
    """
    if not isinstance(entries, list):
        return []
    values: list[Plain] = []
    for entry in entries:
        if not isinstance(entry, dict):
            values.append(entry)
        elif not entry.get("is_dir"):  # A folder cannot be read.
            values.append(entry.get("path"))
    return values


def _known_files(listing: EachOf, listed: ListedFiles) -> list[str] | None:
    """Return the files of a listing if the listed trees have them all; else None.

    find("*.md", root="/docs", kind="files", limit=0) -> ["/docs/a.md", "/docs/b.md"]
    """
    if not _finds_all_files(listing):
        return None
    root = listing.arguments.get("root")
    pattern = listing.arguments.get("name")
    if not isinstance(root, str) or not isinstance(pattern, str):
        return None
    files = listed.below(root)
    if files is None:
        return None
    # Like `find`, ignore whether letters are upper or lower case.
    pattern = pattern.lower()
    return [file for file in files if fnmatchcase(base_name(file).lower(), pattern)]


def _finds_all_files(listing: EachOf) -> bool:
    """Return True if a listing asks for all files of a folder whose names fit a pattern.

    The operation `find` has a limit, unless it gets the limit 0.
    """
    arguments = listing.arguments
    has_no_limit = arguments.get("limit") == 0
    finds_files = listing.operation == FIND and arguments.get("kind") == "files"
    return finds_files and has_no_limit

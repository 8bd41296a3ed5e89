"""Reads the values of a listing, for each of which an environment wants a call to be made.

For example, its declaration says "`read` each file that `find("*.md", root="/docs")` lists".
The values are then `/docs/a.md` and `/docs/b.md`.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

from controlplane.agent.initial_calls.declared_call import DeclaredCall
from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.loop.initial_prompt.listed_trees import FIND
from controlplane.agent.retrieval.listed_files import ListedFiles
from controlplane.gates.paths import base_name
from controlplane.sandbox.interface import EachOf, Plain


def listed_values(
    declared: DeclaredCall, calls: InitialCalls, listed: ListedFiles
) -> list[Plain]:
    """Return the values for which a call is made, such as the paths of all files in a folder.

    `listed` has the files of the trees that earlier calls have listed. If a listing asks
    only for such files, its call is not made.
    """
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
        # An entry is the value itself, or an object with a path: `{"path": "/a.md"}`.
        if not isinstance(entry, dict):
            values.append(entry)
        elif not entry.get("is_dir"):  # A folder cannot be read.
            values.append(entry.get("path"))
    return values


def _known_files(listing: EachOf, listed: ListedFiles) -> list[str] | None:
    """Return the files of a listing if the listed trees have them all; else None.

    That is so if the listing asks for all files of a listed folder whose names fit a
    pattern: `find("*.md", root="/docs", kind="files", limit=0)`.
    """
    arguments = listing.arguments
    finds_files = listing.operation == FIND and arguments.get("kind") == "files"
    has_limit = arguments.get("limit") != 0  # `find` has a limit unless it gets 0.
    if not finds_files or has_limit:
        return None
    root = arguments.get("root")
    pattern = arguments.get("name")
    if not isinstance(root, str) or not isinstance(pattern, str):
        return None
    files = listed.below(root)
    if files is None:
        return None
    # Like `find`, ignore whether letters are upper or lower case.
    pattern = pattern.lower()
    return [file for file in files if fnmatchcase(base_name(file).lower(), pattern)]

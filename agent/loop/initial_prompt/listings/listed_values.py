"""Reads the values of a listing, for each of which an environment wants a call to be made.

For example, its declaration says "`read` each file that `find("*.md", root="/docs")` lists".
The values are then `/docs/a.md` and `/docs/b.md`.
"""

from __future__ import annotations

from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.loop.initial_prompt.listings.known_listing import known_files
from controlplane.agent.retrieval.listing.listed_files import ListedFiles
from controlplane.sandbox.interface import EachOf, Plain


def listed_values(
    listing: EachOf, calls: InitialCalls, listed: ListedFiles
) -> list[Plain]:
    """Return the values of a listing, such as the paths of all files in a folder.

    `listed` has the files of the trees that earlier calls have listed. If a listing asks
    only for such files, its call is not made.
    """
    files = known_files(listing, listed)
    if files is not None:
        return list(files)

    call = calls.send(listing.operation, listing.arguments)
    return _values_in(call.result().get(listing.field))


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

"""How the first message of a question lists the files: as a tree, or only some of them.

A model has to know which files there are. A folder of 50 files is shown as a whole, one of
50,000 only in part, since its names alone would fill the message.
"""

from __future__ import annotations

from collections import Counter
from typing import Final, NamedTuple

from controlplane.benchmarks.files.sources.file_sources import SourceFiles
from controlplane.sandbox.interface import InitialCall, NamedFiles, Plain, bounds

MAX_DRAWN_ENTRIES: Final = 400
"""The most files and folders in the tree. It is drawn as deep as that allows."""
MAX_LISTED_FILES: Final = 20
"""The most files of one folder in the tree. A larger folder shows its first files and a count."""


class FileListing(NamedTuple):
    """How the first message lists the files of a question."""

    calls: list[InitialCall]
    """The calls whose results are the listing."""
    named_files: NamedFiles | None
    """Where to look for files that the question names, which are shown as well. None: nowhere."""


def listing_of(sources: SourceFiles) -> FileListing:
    """Return the listing as a tree, or that of the first files if even the root has too many."""
    tree_depth = _fitting_tree_depth(sources)
    if tree_depth > 0:
        tree: dict[str, Plain] = {"root": "/", "level": tree_depth}
        calls = [InitialCall("tree", tree, longest_listing=MAX_LISTED_FILES)]
        # The files that the question names are found by the paths in the tree.
        named_files = _named_files(sources)
    else:
        calls = [_find("*", bounds.SHOWN_FILES)]
        named_files = None
    # The citation `a.md#12` is line 12 of `a.md`. Files whose own names have a `#`, such
    # as `a#12.txt`, are listed, so that citations of them are not taken for such places.
    if any("#" in path for path in sources.paths):
        calls.append(_find("*#*", bounds.MOST_FILES_LOOKED_UP))
    return FileListing(calls, named_files)


def _find(name: str, limit: int) -> InitialCall:
    """Return the call that lists the files whose names match a glob."""
    return InitialCall(
        "find", {"name": name, "root": "/", "kind": "files", "limit": limit}
    )


def _fitting_tree_depth(sources: SourceFiles) -> int:
    """Return how many levels of folders and files the tree shows.

    Return 0 if already the first level has too many. Then there is no tree.
    """
    entries = set()
    for path in sources.paths:
        names = path.split("/")
        for length in range(2, len(names) + 1):
            entries.add("/".join(names[:length]))
    entries_at_depth = Counter(entry.count("/") for entry in entries)

    drawn = 0
    fitting_depth = 0  # the deepest level that still fits
    for depth in sorted(entries_at_depth):
        drawn += entries_at_depth[depth]
        if drawn > MAX_DRAWN_ENTRIES:
            break
        fitting_depth = depth
    return fitting_depth


def _named_files(sources: SourceFiles) -> NamedFiles | None:
    """Return the folders below the root, in which files that the question names are looked for.

    The initial prompt shows these files. Return None if there are no folders, or too many
    files to look for names.
    """
    if len(sources.paths) > bounds.MOST_FILES_LOOKED_UP:
        return None
    roots = set()
    for path in sources.paths:
        if path.count("/") > 1:
            roots.add("/" + path.split("/")[1])
    return NamedFiles(tuple(sorted(roots))) if roots else None

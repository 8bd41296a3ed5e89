"""Answers a listing of files from a tree that was listed before, without a call.

An environment may declare that each file of a listing is read, such as the `paths` that `find`
finds in `/docs`: `EachOf("find", {"name": "*.md", "root": "/docs", ...}, "paths")`. After `tree /`,
all files are known:

    find("*.md", root="/docs", kind="files", limit=0)   -> ["/docs/a.md", "/docs/b.md"]
    find("*.md", root="/docs", limit=20)                -> None: which 20 is not known
"""

from __future__ import annotations

from fnmatch import fnmatchcase

from controlplane.agent.loop.initial_prompt.listings.found_files import FIND
from controlplane.agent.retrieval.listing.listed_files import ListedFiles
from controlplane.gates.paths import base_name
from controlplane.sandbox.interface import EachOf


def known_files(listing: EachOf, listed: ListedFiles) -> list[str] | None:
    """Return the files of a listing if the listed trees have them all; else None."""
    if not _finds_all_files(listing):
        return None
    root = listing.arguments.get("root")
    pattern = listing.arguments.get("name")
    if not isinstance(root, str) or not isinstance(pattern, str):
        return None
    files = listed.below(root)
    if files is None:  # A tree may have shown only some of the files below this folder.
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

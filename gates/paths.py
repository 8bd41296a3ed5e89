"""Spellings of paths: their canonical form, their names, and which are alike.

A canonical path is absolute and has no needless parts: `/docs/b.md`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from posixpath import commonprefix


def canonical(path: str) -> str:
    """Return a path as an absolute one without needless parts: `docs//a/../b.md/` -> `/docs/b.md`.

    Keeps case, spaces and a fragment such as `#row=7`, because two files may differ in these.
    """
    # `/.` begins `/./`, `/../` and the names of hidden files.
    may_have_needless_parts = "//" in path or "/." in path or path.endswith("/")
    if path.startswith("/") and not may_have_needless_parts:
        return path
    parts: list[str] = []
    for part in path.split("/"):
        if part in ("", "."):
            continue
        if part != "..":
            parts.append(part)
        elif parts:
            parts.pop()
    return "/" + "/".join(parts)


def split_fragment(reference: str) -> tuple[str, str]:
    """Return path and fragment: `/a.csv#row=7` -> `/a.csv`, `#row=7`; `/a.csv` -> `/a.csv`, ``."""
    base, mark, fragment = reference.partition("#")
    return base, mark + fragment


@lru_cache(maxsize=8_192)
def spelling_key(path: str) -> str:
    """Return the key that all spellings of a path share: `Docs\\A.md ` -> `/docs/a.md`.

    It is not the name of a file: `A.md` and `a.md` have the same key.
    """
    folded = canonical(path.strip().replace("\\", "/")).casefold()
    if folded.isascii():
        return folded
    return unicodedata.normalize("NFC", folded)


def base_name(path: str) -> str:
    """Return the last name of a path: `/docs/a.md` -> `a.md`."""
    return path.rstrip("/").rpartition("/")[2]


def record_id(path: str) -> str:
    """Return the name of a file without extension, its record's id: `/FA-19.json` -> `FA-19`."""
    name = base_name(path)
    return name.rpartition(".")[0] or name


def _folder_of(path: str) -> str:
    """Return a path without its last name: `/docs/a.md` -> `/docs`."""
    return path.rpartition("/")[0]


def nearest(path: str, known: Iterable[str]) -> str:
    """Return the known path that is spelled most like a path, or an empty string.

    Only paths in the same folder are compared, and those with the same name except for
    the extension. The longest common beginning and end wins.
    """
    base, _ = split_fragment(path)
    wanted = spelling_key(base)
    best = ""
    best_likeness = -1
    for candidate in known:
        key = spelling_key(candidate)
        if _folder_of(key) != _folder_of(wanted) and record_id(key) != record_id(
            wanted
        ):
            continue
        likeness = _likeness(key, wanted)
        if likeness > best_likeness:
            best = candidate
            best_likeness = likeness
    return best


def _likeness(first: str, second: str) -> int:
    """Return how many characters two texts share at both ends: `loan`, `lawn` -> 2."""
    beginning = commonprefix([first, second])
    # The common end is the common beginning of the reversed texts.
    end = commonprefix([first[::-1], second[::-1]])
    return len(beginning) + len(end)

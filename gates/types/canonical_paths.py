"""What a path means: its one canonical spelling, its fragment, and the known path that is nearest to a wrong one."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable


def canonical(path: str) -> str:
    """Return the one spelling of `path`: absolute, no `//`, `.`, `..` or trailing slash.

    Case and spaces inside names are kept, because they can tell two files apart. A fragment is kept as part of the
    last name: split it off first (`split_fragment`).
    """
    if path.startswith("/") and "//" not in path and "/." not in path and not path.endswith("/"):
        return path
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return "/" + "/".join(parts)


def split_fragment(reference: str) -> tuple[str, str]:
    """Return base path and fragment of `reference`; the fragment keeps its `#` and is empty where there is none."""
    base, mark, fragment = reference.partition("#")
    return base, mark + fragment


def fold(path: str) -> str:
    """Return the key under which spellings of one path meet: case, slashes, outer blanks, composed Unicode levelled."""
    return unicodedata.normalize("NFC", canonical(path.strip().replace("\\", "/")).casefold())


def base_name(path: str) -> str:
    """Return the last name of `path`."""
    return path.rstrip("/").rpartition("/")[2]


def nearest(path: str, known: Iterable[str]) -> str:
    """Return the path of `known` most like `path`, by the ends of its last name and then of the whole; "" for none."""
    wanted = fold(split_fragment(path)[0])
    wanted_name = base_name(wanted)
    best, best_score = "", (0, 0)
    for each in known:
        folded = fold(each)
        score = (_shared_ends(wanted_name, base_name(folded)), _shared_ends(wanted, folded))
        if score > best_score:
            best, best_score = each, score
    return best


def _shared_ends(one: str, other: str) -> int:
    """Return in percent how much of the longer text the common beginning and the common end cover."""
    longest, shortest = max(len(one), len(other)), min(len(one), len(other))
    head = 0
    while head < shortest and one[head] == other[head]:
        head += 1
    tail = 0
    while tail < shortest - head and one[-1 - tail] == other[-1 - tail]:
        tail += 1
    return 100 * (head + tail) // max(longest, 1)

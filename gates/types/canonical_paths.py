"""The canonical spelling of a path, its fragment, and the known path nearest to a wrong one."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache


def canonical(path: str) -> str:
    """Return the canonical spelling of `path`: absolute, without `//`, `.`, `..` or a trailing slash.

    Case and spaces inside names stay, because two files may differ in them alone. A fragment stays as a part of the
    last name; `split_fragment` splits it off.
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
    """Return the base path and the fragment of `reference`; the fragment keeps its `#` and may be empty."""
    base, mark, fragment = reference.partition("#")
    return base, mark + fragment


@lru_cache(maxsize=8_192)
def spelling_key(path: str) -> str:
    """Return the key that all spellings of a path share: case, slashes, outer spaces and Unicode form level out."""
    folded = canonical(path.strip().replace("\\", "/")).casefold()
    return folded if folded.isascii() else unicodedata.normalize("NFC", folded)


def base_name(path: str) -> str:
    """Return the last name of `path`."""
    return path.rstrip("/").rpartition("/")[2]


def nearest(path: str, known: Iterable[str]) -> str:
    """Return the kin of `path` in `known` that shares the longest ends with it: of the last name first, then of all.

    Kin lies in the same folder or has the same name but for its extension. Returns an empty string if there is none.
    """
    wanted = spelling_key(split_fragment(path)[0])
    wanted_name = base_name(wanted)
    best, best_score = "", (0, 0)
    for each in known:
        key = spelling_key(each)
        name = base_name(key)
        if key.rpartition("/")[0] != wanted.rpartition("/")[0] and _stem(name) != _stem(wanted_name):
            continue
        score = (_shared_ends(wanted_name, name), _shared_ends(wanted, key))
        if score > best_score:
            best, best_score = each, score
    return best


def _stem(name: str) -> str:
    """Return a name without its extension."""
    return name.rpartition(".")[0] or name


def _shared_ends(one: str, other: str) -> int:
    """Return what percentage of the longer text the common prefix and suffix cover."""
    longest, shortest = max(len(one), len(other)), min(len(one), len(other))
    head = 0
    while head < shortest and one[head] == other[head]:
        head += 1
    tail = 0
    while tail < shortest - head and one[-1 - tail] == other[-1 - tail]:
        tail += 1
    return 100 * (head + tail) // max(longest, 1)

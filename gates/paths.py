"""Canonical spellings of paths, fragments, and the known path nearest to a wrong one."""

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
    """Return the key that all spellings of a path share, regardless of case, slashes, outer spaces and Unicode form."""
    folded = canonical(path.strip().replace("\\", "/")).casefold()
    return folded if folded.isascii() else unicodedata.normalize("NFC", folded)


def base_name(path: str) -> str:
    """Return the last name of `path`."""
    return path.rstrip("/").rpartition("/")[2]


def record_id(path: str) -> str:
    """Return the file's name without its extension: ids, SKUs and the like name the files of their records."""
    name = base_name(path)
    return name.rpartition(".")[0] or name


def nearest(path: str, known: Iterable[str]) -> str:
    """Return the known path that shares most of its beginning and end with `path`, or an empty string.

    Considers paths in the same folder, and files of the same name but for the extension.
    """
    wanted = spelling_key(split_fragment(path)[0])
    kin = {spelling_key(other): other for other in known}
    folder, name = wanted.rpartition("/")[0], record_id(wanted)
    near = [key for key in kin if key.rpartition("/")[0] == folder or record_id(key) == name]
    return kin[max(near, key=lambda key: _shared(key, wanted) + _shared(key[::-1], wanted[::-1]))] if near else ""


def _shared(one: str, other: str) -> int:
    return next((at for at, (char, its) in enumerate(zip(one, other, strict=False)) if char != its), len(one))

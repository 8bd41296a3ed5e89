"""The texts of a candidate, and the id that names it everywhere.

A candidate is a version of the files that a loop may change, such as
`{"hints.txt": "Look twice.\\n"}`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Final, TypeAlias

Texts: TypeAlias = Mapping[str, str]
"""The text of each edited file, by its name in a candidate's folder."""
ID_DIGITS: Final = 12
"""Hexadecimal digits of a candidate's id."""


def id_of(texts: Texts) -> str:
    """Return the id of a candidate: a hash of the names and texts of its files."""
    parts = []
    for name in sorted(texts):
        parts += [name, texts[name]]
    data = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest()[:ID_DIGITS]

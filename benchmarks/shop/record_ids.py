"""The ids of records, compared however they are written."""

from __future__ import annotations

import re
from typing import Final

from controlplane.gates.evidence import record_id

_NUMBERED: Final = re.compile(r"^(.*?)[_-]?0*(\d+)$")
"""An id that ends with a number, perhaps with leading zeros: `basket_057`."""


def folded_id(name: str) -> str:
    """Return an id without case, blanks and separators: `Basket-057` -> `basket057`.

    Leading zeros of a number stay: two records may differ by them.
    """
    return "".join(name.replace("-", "").replace("_", "").split()).casefold()


def is_same_id(left: str, right: str) -> bool:
    """Return True if two ids are equal but for case, blanks and separators; empty ids are not."""
    return bool(folded_id(left)) and folded_id(left) == folded_id(right)


def loose_id(name: str) -> str:
    """Return an id without the separator and the leading zeros of its number, as people write it.

    `basket_057`, `basket-57`, `Basket57` -> `basket#57`
    """
    match = _NUMBERED.match(name.casefold())
    if match is None:
        return name.casefold()
    return f"{match[1]}#{match[2]}"


def id_of(name: str) -> str:
    """Return the id that a path ends with, or the name itself if it is not a path."""
    return record_id(name) if name.startswith("/") else name

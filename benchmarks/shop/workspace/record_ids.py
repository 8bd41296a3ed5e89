"""Compares the ids of records in any spelling.

- `folded_id` is for ids that are written in full: `Basket-057` is `basket_057`, but
  `basket_57` is not.
- `loose_id` is for ids in requests, which people shorten: `basket 57` is `basket_057`.
- `id_of` takes the id from a path.
"""

from __future__ import annotations

import re
from typing import Final

from controlplane.gates.paths import record_id

_NUMBERED: Final = re.compile(r"^(.*?)[_-]?0*(\d+)$")
"""An id that ends with a number, perhaps with leading zeros: `basket_057`."""


def folded_id(name: str) -> str:
    """Return an id without case, blanks and separators: `Basket-057` -> `basket057`.

    Leading zeros stay, because two ids may differ only by them.
    """
    return "".join(name.replace("-", "").replace("_", "").split()).casefold()


def is_same_id(left: str, right: str) -> bool:
    """Return True if two ids are equal except for case, blanks and separators.

    Empty ids are never equal.
    """
    return bool(folded_id(left)) and folded_id(left) == folded_id(right)


def loose_id(name: str) -> str:
    """Return an id in the one spelling for all that people use for it.

    They often leave out its separator and leading zeros. `basket_057`, `basket-57` and
    `Basket57` all become `basket#57`.
    """
    match = _NUMBERED.match(name.casefold())
    if match is None:
        return name.casefold()
    return f"{match[1]}#{match[2]}"


def id_of(name: str) -> str:
    """Return the id at the end of a path, or the name itself if it is not a path."""
    return record_id(name) if name.startswith("/") else name

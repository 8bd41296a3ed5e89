"""Product codes in texts, and codes that a scanner misread."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import product
from typing import Final

_SHAPE: Final = re.compile(r"(?<![\w-])(?=[A-Z0-9-]{10,}(?![\w-]))[A-Z0-9]+(?:-[A-Z0-9]+)+(?![\w-])")
_ALIKE: Final = ("0O", "1IL", "2Z", "5S", "8B")
MOST_READINGS: Final = 128


def product_codes(text: str, known: Collection[str] = ()) -> list[str]:
    """Return the product codes that a text names, in its order.

    With known codes those alone; else whatever has their usual shape: capitals and digits, dashes, ten characters.
    """
    if known:
        found = [
            (at.start(), code) for code in known for at in re.finditer(rf"(?<![\w-]){re.escape(code)}(?![\w-])", text)
        ]
        return list(dict.fromkeys(code for _, code in sorted(found)))
    return list(dict.fromkeys(_SHAPE.findall(text)))


def repaired_code(read: str, catalogue: Collection[str]) -> str | None:
    """Return the code of the catalogue that was read, or the only one that it can be misread from; else None.

    Characters that look alike are exchanged behind the first dash, in at most `MOST_READINGS` readings.
    """
    if read in catalogue:
        return read
    prefix, dash, suffix = read.partition("-")
    choices = [next((group for group in _ALIKE if char in group), char) for char in suffix]
    readings = 1
    for each in choices:
        readings *= len(each)
    if not dash or readings > MOST_READINGS:
        return None
    found = {code for each in product(*choices) if (code := f"{prefix}-{''.join(each)}") in catalogue}
    return found.pop() if len(found) == 1 else None

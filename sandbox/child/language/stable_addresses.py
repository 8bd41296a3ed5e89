"""Addresses of objects in printed text, such as `0x7f3a5c0b1d60`, which differ between runs."""

from __future__ import annotations

import re
from typing import Final

ADDRESS: Final = "0x5ab1e0000040"
"""Replaces every real address in printed text. Any number of the usual length would do."""

# `at ` in `<map object at 0x7f3a5c0b1d60>`
_BEFORE_ADDRESS: Final = r"(?:(?<= at )|(?<= @ ))"
# `0x7f3a5c0b1d60`
_HEX_NUMBER: Final = r"0x[0-9a-f]{6,16}"
# `>`, or `,` in `<code object f at 0x7f3a5c0b1d60, file ...>`
_AFTER_ADDRESS: Final = r"(?=[>,;:])"

_REAL_ADDRESS: Final = re.compile(_BEFORE_ADDRESS + _HEX_NUMBER + _AFTER_ADDRESS)
"""Matches an address as Python shows it in the `repr` of an object.
Other hexadecimal numbers do not have such neighbours."""


def with_stable_addresses(text: str) -> str:
    """Return a text with `ADDRESS` instead of real addresses, which differ between runs."""
    if " 0x" not in text:
        return text
    return _REAL_ADDRESS.sub(ADDRESS, text)

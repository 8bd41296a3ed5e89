"""What cells of a CSV file look like: numbers, years, parts of a number that was split.

By that, a header is told from a row of values, and `1,500` in a file with commas from the
two cells `1` and `500`.
"""

from __future__ import annotations

import re
from typing import Final

FIRST_YEAR: Final = 1900
LAST_YEAR: Final = 2100
"""Whole numbers in this range are years, which may be column names."""
NUMBER: Final = re.compile(r"[-+(]?[$€£]?\d[\d.,' ]*%?\)?")
"""A cell with only digits and number marks, such as `1.234,50` or `(5)`."""


def is_number(cell: str) -> bool:
    """Return True if a cell looks like a number."""
    return NUMBER.fullmatch(cell.strip()) is not None


def is_year(cell: str) -> bool:
    text = cell.strip()
    return text.isdecimal() and len(text) == 4 and FIRST_YEAR <= int(text) <= LAST_YEAR


def is_split_number(cell: str, next_cell: str) -> bool:
    """Return True if two cells may be one number with a comma: `1` and `500` of `1,500`."""
    return cell[-1:].isdigit() and next_cell[:1].isdigit()

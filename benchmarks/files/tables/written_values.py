"""Writes values that have a type, in JSON or Parquet, as the text of a cell.

All tables are loaded from texts, and what a text means is found out afterwards. So a number
is written such that it can be read in one way only.
"""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any


def written_value(value: Any) -> str:
    """Return a value from JSON or a typed table as the text of a cell.

    A number with three decimals gets a fourth: 1.234 becomes `1.2340`, because `1.234`
    could be read as 1,234.
    """
    if isinstance(value, float | Decimal):
        text = str(value)
    else:
        text = json.dumps(value)
    if isinstance(value, dict | list):
        return text
    _, point, decimals = text.rpartition(".")
    has_three_decimals = bool(point) and len(decimals) == 3
    return f"{text}0" if has_three_decimals else text

"""Format a cell's value as a spreadsheet shows it, by the cell's number format.

The number 1234.5 with the format `#,##0.00 "EUR"` becomes `1,234.50 EUR`. There are two
differences from a spreadsheet: a date becomes year-month-day, and a typed number keeps all
its digits. So amounts that are shown in whole euros keep their cents, and can be summed.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from controlplane.benchmarks.files.documents.cells.date_text import (
    datetime_text,
    duration_text,
    time_text,
)
from controlplane.benchmarks.files.documents.cells.layout_parser import layout_for
from controlplane.benchmarks.files.documents.cells.number_text import (
    exact_decimal,
    number_text,
    rounded_number,
)


def cell_text(value: Any, number_format: str) -> str:
    """Return a cell's value as text; empty for an empty cell."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float | Decimal):
        return number_text(value, number_format)
    if isinstance(value, datetime):
        return datetime_text(value, number_format)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, time):
        return time_text(value.hour, value.minute, value.second, number_format)
    if isinstance(value, timedelta):
        return duration_text(value, number_format)
    return str(value)


def is_rounded(value: Any, number_format: str) -> bool:
    """Return True if the text of a cell has fewer digits than its number."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return False
    layout = layout_for(value, number_format)
    if layout is None:
        return False
    number = layout.scaled(exact_decimal(value))
    return rounded_number(number, layout) != number

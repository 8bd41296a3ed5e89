"""Reads tables in text files, such as exports: their rows, and the meaning of their columns.

Exports differ in separators and headers. The column with the customer may be called
`Customer_ID`, `customer ref` or `buyer`, so `columns_called` looks for several headers.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Final

from controlplane.benchmarks.shop.certain_values import require
from controlplane.benchmarks.shop.texts.names import normal_words
from controlplane.gates.values.normal_text import NumberStyle
from controlplane.gates.values.numerals import numeral_of_digits
from controlplane.sandbox.functions import CannotRead

# Reads and writes amounts of money: `€ 1.200,50` and `1200.50 EUR` are 120050 cents.
#
# Cents are whole numbers, so that amounts can be added and compared exactly. With fractions, 0.1
# and 0.2 would not make 0.3.

_NUMBER: Final = r"(?:\d{1,3}(?:[.,' ]\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d{1,2})?)"
"""`1.200,50`, `1 200`, `12.5`: digits in groups or without, and at most two decimals."""
_CURRENCY: Final = r"(?:EUR(?:OS?)?|€)"
_EUROS: Final = re.compile(
    rf"{_CURRENCY}\s*(?P<after_currency>{_NUMBER})(?!\d)"  # `EUR 12.50`
    rf"|(?<![\w.,-])(?P<before_currency>{_NUMBER})\s*{_CURRENCY}(?!\w)",  # `12,50 €`
    re.IGNORECASE,
)
"""An amount with its currency before or after it."""
_NARROW_BLANK: Final = re.compile(r"[\u00a0\u2009\u202f]")
"""Special blanks between groups of digits, or between a number and its currency."""


def money_in_text(text: str) -> int | None:
    """Return the first amount in euros in a text, in cents; None if there is none.

    `pay € 1.200,50 or EUR 3` -> 120050
    """
    match = _EUROS.search(_NARROW_BLANK.sub(" ", text))
    if match is None:
        return None
    return cents_of(match["after_currency"] or match["before_currency"])


def cents_of(amount: str) -> int:
    """Return a written amount in cents: `1.200,50` -> 120050, `1.200` -> 120000, `1.5` -> 150.

    A separator before exactly three digits groups thousands, because an amount never
    has three decimals.
    """
    numeral = numeral_of_digits(amount, NumberStyle())
    return int(Fraction(numeral.amount) * 100)


def amount_text(cents: int) -> str:
    """Return an amount as the shop writes it: `EUR 123.45`."""
    sign = "-" if cents < 0 else ""
    euros, rest = divmod(abs(cents), 100)
    return f"EUR {sign}{euros}.{rest:02d}"


_SEPARATORS: Final = ("\t", ";", ",")
"""The likeliest separator comes first. A comma may also occur inside a cell."""


def table_rows(text: str) -> list[dict[str, str]]:
    """Return the rows of a table: "Lane_ID;Cost" and "l4;12" -> `[{"lane id": "l4", "cost": "12"}]`.

    Headers are in normal words: in lower case, with blanks. Raises `CannotRead` if two headers are
    equal, or if a row does not have as many cells as the header.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return []
    separator = _separator_of(lines[0])
    headers = [normal_words(cell) for cell in lines[0].split(separator)]
    rows_of_cells = []
    for line in lines[1:]:
        rows_of_cells.append([cell.strip() for cell in line.split(separator)])

    has_distinct_headers = len(set(headers)) == len(headers)
    all_rows_fit = all(len(cells) == len(headers) for cells in rows_of_cells)
    require(
        has_distinct_headers and all_rows_fit,
        "the table has headers twice, or a row with other columns than its header",
    )
    return [dict(zip(headers, cells, strict=True)) for cells in rows_of_cells]


def _separator_of(header_line: str) -> str:
    """Return the separator of a table. A header without one is a single column."""
    for separator in _SEPARATORS:
        if separator in header_line:
            return separator
    return "\t"


def columns_called(
    rows: Sequence[Mapping[str, str]],
    wanted: Mapping[str, tuple[str, ...]],
    optional: Collection[str] = (),
) -> dict[str, str]:
    """Return the header of each wanted column.

    `wanted` gives possible headers for each column, best first: `{"due": ("due time", "due")}`
    -> `{"due": "due"}` in a table with this header. If no header is one of them, the only one that
    contains one is taken, such as `due at`. Raises `CannotRead` if a column is not found, unless
    it is `optional`.
    """
    headers = list(rows[0]) if rows else []
    columns: dict[str, str] = {}
    for name, possible_headers in wanted.items():
        header = _header_called(headers, possible_headers)
        if header is not None:
            columns[name] = header
        elif name not in optional:
            existing = ", ".join(headers) or "no rows"
            msg = f"the table has no single column for {name}; it has {existing}"
            raise CannotRead(msg)
    return columns


def _header_called(
    headers: Sequence[str], possible_headers: Sequence[str]
) -> str | None:
    """Return the header that is or contains one of these; None if there is none or several."""
    for possible_header in possible_headers:
        if possible_header in headers:
            return possible_header
    candidates = set()
    for header in headers:
        for possible_header in possible_headers:
            if f" {possible_header} " in f" {header} ":  # whole words
                candidates.add(header)
    if len(candidates) == 1:
        return candidates.pop()
    return None


def whole_number(text: str) -> int:
    """Return the whole number in a cell. Raises `CannotRead` for any other text."""
    try:
        return int(text)
    except ValueError:
        msg = f"{text!r} in the table is no whole number"
        raise CannotRead(msg) from None

"""The form in which a table's column writes numbers and dates, found over all of its cells.

A form is a decimal comma or point, thousands, a currency or percent sign, or the order of day and month. If the cells
allow two readings, or numbers stand among words, the form has both, and a query may use what is the same in both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any, Final

GROUPED: Final = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}")
"""A number that may be written with a decimal point or with one for thousands."""
QUOTE: Final = "'"
MOST_CELL_CHARS: Final = 40
_SPACES: Final = "'’ \u00a0\u202f"
_BODY: Final = {
    mark: re.compile(rf"(?:\d{{1,3}}(?:[{other}{_SPACES}]\d{{3}})+|\d+)(?:\{mark}\d+)?")
    for mark, other in ((".", ","), (",", "."))
}
_CODES: Final = "EUR|USD|GBP|CHF|JPY|CNY|INR|CAD|AUD|NZD|SEK|NOK|DKK|ISK|PLN|CZK|HUF|RON|TRY|BRL|MXN|ZAR|KRW|SGD|HKD"
_SIGN: Final = rf"[$€£¥₹%]|{_CODES}"
_NUMBER: Final = re.compile(rf"([+-]?) ?({_SIGN})? ?([+-]?)(\d[\d.,{_SPACES}]*?) ?({_SIGN})?")
_DATE: Final = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})")
_ORDERS: Final = ("day first", "month first")
_MARKS: Final = {".": "decimal point", ",": "decimal comma"}
LOWEST: Final = -1e300
"""What stands for a word among numbers is below it, so that no query has the same result by chance."""


def sql_reading(column: str, form: ColumnForm) -> str:
    """Return the SQL that reads the cells of a column of numbers: it takes a tenth of the time of a function."""
    text = f"replace({column}, '\u2212', '-')"
    for sign in form.strips:
        text = f"replace({text}, '{sign * (1 + (sign == QUOTE))}', '')"
    text = f"replace({text}, '{form.mark}', '.')"
    thousands = f"when typeof({column}) = 'real' then cast(round({column} * 1000) as integer)" * (form.mark == ",")
    return f"case when typeof({column}) = 'text' then {text} {thousands} else {column} end"


def number_in(cell: str, mark: str) -> tuple[int | float, str] | None:
    """Return the number of a cell with this decimal mark, and its currency or percent sign; None if it holds none."""
    found = _NUMBER.fullmatch(cell.replace("\u2212", "-")) if len(cell) <= MOST_CELL_CHARS else None
    if found is None or not _BODY[mark].fullmatch(found[4]):
        return None
    digits = re.sub(rf"[^\d{mark}]", "", found[4]).replace(",", ".")
    value = float(digits) if "." in digits else int(digits)
    return -value if "-" in found[1] + found[3] else value, found[2] or found[5] or ""


def date_in(cell: str, order: str) -> str | None:
    """Return the date of a cell as year-month-day; None if it holds none in this order."""
    if (found := _DATE.fullmatch(cell)) is None:
        return None
    day, month = (found[1], found[3]) if order == _ORDERS[0] else (found[3], found[1])
    return f"{found[4]}-{month:0>2}-{day:0>2}" if 1 <= int(month) <= 12 and 1 <= int(day) <= 31 else None


Reading = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class ColumnForm:
    """How the cells of a column are read, and what is told of it."""

    said: str
    first: Reading
    second: Reading | None = None
    """The other reading, if the form is not certain."""
    doubt: str = ""
    words: frozenset[str] = frozenset()
    """Cells without a number, among numbers."""
    strips: str = ""
    """Characters of numbers besides digits and decimal mark."""
    mark: str = ""
    """The decimal mark; empty for dates."""


@dataclass(slots=True)
class ColumnCells:
    """What the cells of a column say of its form."""

    numbers: int = 0
    """Different numbers, also those without any mark."""
    example: str = ""
    """A number that differs by its decimal mark."""
    marks: set[str] = field(default_factory=lambda: {*_MARKS})
    """The decimal marks with which all numbers can be read."""
    has_texts: bool = False
    """Some numbers are written otherwise than plainly."""
    dates: list[str] = field(default_factory=list)
    orders: set[str] = field(default_factory=lambda: {*_ORDERS})
    signs: set[str] = field(default_factory=set)
    chars: set[str] = field(default_factory=set)
    """Characters of the numbers."""
    words: set[str] = field(default_factory=set)
    """Cells without number or date."""

    @property
    def mark(self) -> str:
        """The decimal mark, if a number shows it."""
        return next(iter(self.marks)) if self.example and len(self.marks) == 1 else ""

    def add(self, cell: str) -> None:
        """Note one cell."""
        if _DATE.fullmatch(cell):
            self.dates.append(cell)
            self.orders -= {order for order in _ORDERS if not date_in(cell, order)} | {*_ORDERS[1:] * ("." in cell)}
        elif read := {mark: number for mark in _MARKS if (number := number_in(cell, mark))}:
            self.numbers, self.has_texts = self.numbers + 1, True
            self.marks &= {*read}
            self.chars.update(cell)
            self.signs |= {sign for _, sign in read.values() if sign}
            if len(read) == 1 or read["."] != read[","]:
                self.example = cell
        else:
            self.words.add(cell)

    def form(self, elsewhere: set[str], told: str) -> ColumnForm | None:
        """Return the column's form, None for one of texts or plain numbers. `elsewhere` are the decimal marks of other
        columns, `told` is what the script says."""
        if self.dates and self.orders and not (self.numbers or self.words):
            orders = sorted(order for order in self.orders if order in told) or sorted(self.orders)
            said = f"{' or '.join(orders)}, read as year-month-day" if len(orders) == 1 else "day or month first"
            doubt = f"{self.dates[0]!r} may have the day or the month first: say form={orders[0]!r} or {orders[-1]!r}"
            readings: list[Reading] = [partial(_date_or_cell, order) for order in orders]
            return ColumnForm(said, readings[0], readings[1] if len(readings) > 1 else None, doubt)
        is_plain = not (self.has_texts or self.words) and (not self.example or self.mark == ".")
        if is_plain or len(self.words) + len(self.dates) >= self.numbers or not self.marks or len(self.signs) > 1:
            return None
        marks = sorted(self.marks, reverse=True)  # the point first
        if len(marks) > 1:
            likely = [mark for mark in marks if _MARKS[mark] in told] or [mark for mark in marks if mark in elsewhere]
            marks = likely if len(likely) == 1 else marks if self.example else marks[:1]
        parts = [*map(_MARKS.get, marks * bool(self.example)), *sorted(self.signs)]
        doubts = []
        if len(marks) > 1:
            parts[:2] = ["decimal point or comma"]
            doubts.append(
                f"{self.example!r} may be with a decimal point or comma: say form='decimal comma' or 'decimal point'"
            )
        words = frozenset({*self.words, *self.dates})
        if words:
            word = min(words)
            parts.append(f"numbers, but for {', '.join(map(repr, sorted(words)[:3]))}")
            doubts.append(f"{word!r} is no number: leave it out by name, or write number(COLUMN), which is null there")
        first, strips = _reading(marks[0]), "".join(self.chars - {*"0123456789+-\u2212", marks[0]})
        second = (
            _reading(marks[-1], {word: LOWEST * (1 + at / 1e6) for at, word in enumerate(words)}) if doubts else None
        )
        return ColumnForm(", ".join(filter(None, parts)), first, second, "; ".join(doubts), words, strips, marks[0])


def _reading(mark: str, numbers_of: Mapping[str, float] = MappingProxyType({})) -> Reading:
    """Return the function that reads a cell, words as the numbers that stand for them."""

    def read(cell: Any) -> Any:
        if not isinstance(cell, str):
            return round(cell * 1_000) if isinstance(cell, float) and mark == "," else cell
        number = number_in(cell, mark)
        return number[0] if number else numbers_of.get(cell, cell)

    return read


def _date_or_cell(order: str, cell: str) -> str:
    return date_in(cell, order) or cell


def number_or_none(cell: Any) -> int | float | None:
    """Return a cell that is a number, else None: SQL's `number(column)`."""
    return cell if isinstance(cell, int | float) and cell > LOWEST else None


class StrictSum:
    """SQL's `sum`, which refuses text that SQLite would take for its leading digits."""

    def __init__(self, refusals: list[str]) -> None:
        self.count, self.sum, self._refusals = 0, 0, refusals

    def step(self, cell: Any) -> None:
        """Add a value. Raises `TypeError` for a text."""
        self._add(cell, 1)

    def inverse(self, cell: Any) -> None:
        """Take a value out of a window again."""
        self._add(cell, -1)

    def _add(self, cell: Any, sign: int) -> None:
        if isinstance(cell, str | bytes):
            msg = f"{repr(cell)[:60]} is a text, and cannot be added"
            self._refusals.append(msg)
            raise TypeError(msg)
        if cell is not None:
            self.count += sign
            self.sum += sign * cell

    def value(self) -> Any:
        """Return the sum, null without any value."""
        return self.sum if self.count else None

    finalize = value


class StrictAverage(StrictSum):
    """SQL's `avg`, in the same way."""

    def value(self) -> Any:
        """Return the average, null without any value."""
        return self.sum / self.count if self.count else None

    finalize = value

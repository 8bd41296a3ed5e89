"""The form in which a table's column writes numbers and dates, found over all of its cells.

A form is a decimal comma or point, thousands, a currency or percent sign, or the order of day and month. If the cells
allow two readings, or numbers stand among words, the form has both, and a query may use what is the same in both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any, Final

SAMPLED: Final = 1_000
"""Different words from which a column is one of texts, and different numbers that count against words."""
_SPACES: Final = "'’ \u00a0\u202f"
_CODES: Final = "EUR|USD|GBP|CHF|JPY|CNY|INR|CAD|AUD|NZD|SEK|NOK|DKK|ISK|PLN|CZK|HUF|RON|TRY|BRL|MXN|ZAR|KRW|SGD|HKD"
_SIGN: Final = rf"[$€£¥₹%]|{_CODES}"
_OTHER: Final = {".": ",", ",": "."}
_NUMBER: Final = {
    mark: re.compile(
        rf"([+-]?) ?({_SIGN})? ?([+-]?)"
        rf"((?:\d{{1,3}}(?:[{other}{_SPACES}]\d{{3}})+|\d+)(?:\{mark}\d+)?|\{mark}\d+)((?:[eE][+-]?\d+)?) ?({_SIGN})?"
    )
    for mark, other in _OTHER.items()
}
_PLAIN: Final = {mark: str.maketrans({mark: ".", **dict.fromkeys(other + _SPACES)}) for mark, other in _OTHER.items()}
_PLAIN_NUMBERS: Final = re.compile(r"[+-]?\d+(?:\.\d+)?(?:\n[+-]?\d+(?:\.\d+)?)*")
_GROUPED: Final = re.compile(r"[+-]?(?:[1-9]\d{0,2}\.\d{3}|\d+)(?:\n[+-]?(?:[1-9]\d{0,2}\.\d{3}|\d+))*")
"""Numbers that may be written with a decimal point or with one for thousands."""
_CODE: Final = re.compile(r"^[+-]?(?:0\d|\d{19})", re.MULTILINE)
_DATE: Final = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})")
_ORDERS: Final = ("day first", "month first")
_MARKS: Final = {".": "decimal point", ",": "decimal comma"}
LOWEST: Final = -1e300
"""What stands for a word among numbers is below it, so that no query has the same result by chance."""


def number_in(cell: str, mark: str) -> tuple[int | float, str] | None:
    """Return the number of a cell with this decimal mark, and its currency or percent sign; None if it holds none."""
    found = _NUMBER[mark].fullmatch(cell.strip().replace("\u2212", "-")) if len(cell) <= 40 else None
    if found is None or (found[1] and found[3]):
        return None
    digits = found[4].translate(_PLAIN[mark]) + found[5]
    value = int(digits) if digits.isdigit() else float(digits)
    return -value if "-" in found[1] + found[3] else value, found[2] or found[6] or ""


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

    said: str = ""
    readings: tuple[Reading, ...] = ()
    """None for plain numbers; two if the form is not certain."""
    doubt: str = ""
    words: frozenset[str] = frozenset()
    """Cells without a number, among numbers."""

    @property
    def is_certain(self) -> bool:
        return len(self.readings) < 2


@dataclass(slots=True)
class ColumnCells:
    """What the cells of a column say of its form."""

    numbers: set[Any] = field(default_factory=set)
    """Some different numbers, also those without any mark."""
    example: str = ""
    """A number that differs by its decimal mark."""
    marks: set[str] = field(default_factory=lambda: {*_MARKS})
    """The decimal marks with which all numbers can be read."""
    is_plain: bool = True
    """All numbers are written plainly."""
    has_codes: bool = False
    """A number begins with a zero, or is longer than numbers are: the column holds codes."""
    dates: set[str] = field(default_factory=set)
    orders: set[str] = field(default_factory=lambda: {*_ORDERS})
    signs: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    """Cells without number or date."""

    @property
    def mark(self) -> str:
        """The decimal mark, if a number shows it."""
        return next(iter(self.marks)) if self.example and len(self.marks) == 1 else ""

    def add(self, cells: Iterable[Any]) -> None:
        """Note some cells."""
        different = {*cells} - {"", None}
        texts = {cell for cell in different if isinstance(cell, str)}
        if len(self.numbers) < SAMPLED:
            self.numbers |= different - texts
        joined = "\n".join(texts)
        if _PLAIN_NUMBERS.fullmatch(joined):
            if len(self.numbers) < SAMPLED:
                self.numbers |= texts
            self.has_codes = self.has_codes or bool(_CODE.search(joined))
            if "." in joined:
                self.example = min(cell for cell in texts if "." in cell)
                self.marks -= set() if _GROUPED.fullmatch(joined) else {","}
            return
        for cell in sorted(texts):
            if len(self.words) > SAMPLED:
                return  # It is a column of texts.
            self._add(cell)

    def _add(self, cell: str) -> None:
        if _DATE.fullmatch(cell):
            self.dates.add(cell)
            self.orders -= {order for order in _ORDERS if not date_in(cell, order)} | {*_ORDERS[1:] * ("." in cell)}
        elif read := {mark: number for mark in _MARKS if (number := number_in(cell, mark))}:
            self.numbers.add(cell)
            self.is_plain = self.is_plain and cell.strip("+-").replace(".", "", 1).isdecimal()
            self.has_codes = self.has_codes or bool(_CODE.match(cell))
            self.marks &= {*read}
            self.signs |= {sign for _, sign in read.values() if sign}
            if len(read) == 1 or read["."] != read[","]:
                self.example = cell
        else:
            self.words.add(cell)

    def form(self, elsewhere: set[str], told: str) -> ColumnForm | None:
        """Return the column's form, None for one of texts. `elsewhere` are the decimal marks of other columns, `told`
        is what the script says."""
        if self.dates and self.orders and not (self.numbers or self.words):
            orders = sorted(order for order in self.orders if order in told) or sorted(self.orders)
            said = f"{' or '.join(orders)}, read as year-month-day" if len(orders) == 1 else "day or month first"
            doubt = f"{min(self.dates)!r} may have the day or the month first: say form={orders[0]!r} or {orders[-1]!r}"
            return ColumnForm(said, tuple(partial(_date_or_cell, order) for order in orders), doubt)
        words = frozenset(self.words | self.dates)
        if self.has_codes or len(words) >= min(len(self.numbers), SAMPLED) or not self.marks or len(self.signs) > 1:
            return None
        if self.is_plain and not words and (not self.example or self.mark == "."):
            return ColumnForm()
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
        if words:
            word = min(words)
            parts.append(f"numbers, but for {', '.join(map(repr, sorted(words)[:3]))}")
            doubts.append(f"{word!r} is no number: leave it out by name, or write number(COLUMN), which is null there")
        numbers_of = {word: LOWEST * (1 + at / 1e6) for at, word in enumerate(words)}
        other = [partial(_number_or_cell, marks[-1], numbers_of)] if doubts else []
        readings = (partial(_number_or_cell, marks[0], MappingProxyType({})), *other)
        return ColumnForm(", ".join(filter(None, parts)), readings, "; ".join(doubts), words)


def _number_or_cell(mark: str, numbers_of: Mapping[str, float], cell: Any) -> Any:
    """Return the number of a cell; of a word the one that stands for it, else the word."""
    number = number_in(cell, mark) if isinstance(cell, str) else None
    return number[0] if number else numbers_of.get(cell, cell)


def _date_or_cell(order: str, cell: Any) -> Any:
    return date_in(cell, order) or cell


def number_or_none(cell: Any) -> int | float | None:
    """Return a cell that is a number, else None: SQL's `number(column)`."""
    return cell if isinstance(cell, int | float) and cell > LOWEST else None


@dataclass(slots=True)
class StrictSum:
    """SQL's `sum`, or `avg`, which refuses text that SQLite would take for its leading digits."""

    refusals: list[str]
    """Gets the reason of a refusal, which SQLite does not tell."""
    is_average: bool = False
    count: int = 0
    sum: Any = 0

    def step(self, cell: Any, sign: int = 1) -> None:
        """Add a value. Raises `TypeError` for a text."""
        if isinstance(cell, str | bytes):
            msg = f"{repr(cell)[:60]} is a text, and cannot be added"
            self.refusals.append(msg)
            raise TypeError(msg)
        if cell is not None:
            self.count += sign
            self.sum += sign * cell

    def inverse(self, cell: Any) -> None:
        """Take a value out of a window again."""
        self.step(cell, -1)

    def value(self) -> Any:
        """Return the sum or the average, null without any value."""
        return (self.sum / self.count if self.is_average else self.sum) if self.count else None

    finalize = value

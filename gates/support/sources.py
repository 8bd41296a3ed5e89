"""Texts that a trial read, by lines: where a value stands, and what its row, key and heading say
about it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Final

from controlplane.gates.text_folding import bare_text, fold_text, parts_of
from controlplane.gates.values.locale_names import MYRIADS, locale_names
from controlplane.gates.values.normal_text import normalize_text
from controlplane.gates.values.number_style import NumberStyle, number_style_of
from controlplane.gates.values.numerals import CJK_NUMERALS
from controlplane.gates.values.unit_names import unit_of
from controlplane.gates.values.value_kinds import Kind, WrittenValue
from controlplane.gates.values.written_values import written_values
from controlplane.sandbox.interface import bounds

_CELL_SEPARATORS: Final = (";", "\t", "|", ",")
_SQUEEZED_OUT: Final = dict.fromkeys(map(ord, ".,:'_+-/()#=& \u00a0"))
"""Characters that may stand between the digits and letters of one value."""
_FRACTION_DIGITS: Final = str.maketrans({"½": "5", "¼": "25", "¾": "75"})
MOST_QUOTED_PLACES: Final = 20
"""Places of one quotation that are looked at: a short one may stand on every line."""
MINOR_UNITS: Final = frozenset({"cent", "cents", "ct", "pence", "centimes", "céntimos", "grosz"})
"""Hundredths of a currency, as in `price_cents`."""
KEY_CHARS: Final = 60
"""Characters in front of a number in which its key or label is looked for."""


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a text that was read."""

    path: str
    line: int = 0
    """Counted from 1; 0 if it is unknown."""


@dataclass(frozen=True, slots=True)
class Context:
    """What a line and its headings say about a number that has no unit of its own."""

    units: frozenset[str]
    powers: frozenset[int]
    """Powers of ten by which numbers are to be multiplied, as in `in thousands` or `万円`."""


@dataclass(eq=False)
class Source:
    """A text that was read, and how its lines are to be read."""

    path: str
    text: str
    line_numbers: tuple[int, ...] = (1,)
    """The lines of the file that its lines are; those behind the last number follow it. Empty if
    unknown."""
    heading: str = ""
    """The first line of the text of which this one is a part."""
    style: NumberStyle | None = None
    """How ambiguous numbers are to be read, if the text itself does not tell."""
    _values: dict[int, list[WrittenValue]] = field(default_factory=dict)
    """The values of the lines that were looked at."""

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    def place(self, line: int) -> Place:
        """Return the place of a line, which is counted from 0."""
        if not self.line_numbers:
            return Place(self.path)
        last = len(self.line_numbers) - 1
        if line <= last:
            return Place(self.path, self.line_numbers[line])
        if self.line_numbers[last] < 1:
            return Place(self.path)
        return Place(self.path, self.line_numbers[last] + line - last)

    def heading_of(self, line: int) -> str:
        """Return the first line of the text, but for that line itself."""
        if self.heading:
            return self.heading
        return self.lines[0] if line > 0 else ""

    # Values

    def values_of(self, line: int) -> list[WrittenValue]:
        """Return the values of a line but quotations; cells of a row are read apart."""
        if line not in self._values:
            text = self.lines[line][: bounds.MOST_LINE_CHARS]
            separator = self._separator_of(line)
            if separator:
                text = separate_cells(text, separator)
            self._values[line] = written_values(text, kinds=_READ_KINDS, style=self._style)
        return self._values[line]

    def is_read(self, line: int) -> bool:
        """Say whether the values of a line were looked at before."""
        return line in self._values

    @cached_property
    def _style(self) -> NumberStyle:
        """How ambiguous numbers of the text are to be read."""
        if self.style is not None:
            return self.style
        sample = self.lines[:500]
        readable = []
        is_comma_separated = False
        for index, line in enumerate(sample):
            separator = self._separator_of(index)
            if separator == ",":
                is_comma_separated = True
            readable.append(separate_cells(line, separator) if separator else line)
        style = number_style_of(normalize_text("\n".join([self.heading, *readable])).text)
        if is_comma_separated:  # a decimal comma would split a cell
            return NumberStyle(".", style.groups_by_blanks, style.date_order)
        return style

    @cached_property
    def _is_json(self) -> bool:
        return self.text.lstrip()[:1] in ("{", "[")

    def _separator_of(self, line: int) -> str:
        """Return what separates the cells of a line; empty if it is not the row of a table.

        A row has as many separators as the heading, or, in a file of rows without a heading, as its
        neighbours.
        """
        text = self.lines[line]
        if self._is_json:
            return ","
        heading = self.heading_of(line) or (self.lines[1] if len(self.lines) > 1 else "")
        for separator in _CELL_SEPARATORS:
            count = count_separators(text, separator)
            if count and count == count_separators(heading, separator):
                if separator == "," and (", " in text or ", " in heading):
                    continue  # prose
                return separator
        return ""

    # Context

    def context_of(self, line: int, value: WrittenValue) -> Context:
        """Return what stands beside a number: its column's heading, its key, the heading of the
        text."""
        text = self.lines[line]
        separator = self._separator_of(line)
        heading = self.heading_of(line)
        if separator and not self._is_json:
            column = count_separators(text[: value.start], separator)
            labels = [_cell(heading, separator, column)]
            if column > 0:
                labels.append(_cell(text, separator, 0))
        else:
            label = text[max(value.start - KEY_CHARS, 0) : value.start]
            labels = [_last_clause(label), heading]
        return Context(
            units_named(" ".join(labels)), powers_named(f"{' '.join(labels)} {self._notes}")
        )

    @cached_property
    def _notes(self) -> str:
        """The headings of the text, in which a scale may be stated for all of its numbers."""
        return " ".join(line for line in self.lines[:3] if len(line) < bounds.MOST_LINE_CHARS)

    # Candidate lines

    @cached_property
    def _squeezed(self) -> tuple[str, list[int]]:
        """The text in lower case without what may stand within a value, and the offset of each
        of its lines."""
        lines = []
        for line in self.lines:
            normal = normalize_text(line).text.casefold()
            lines.append(normal.translate(_FRACTION_DIGITS).translate(_SQUEEZED_OUT))
        return "\n".join(lines), [0, *accumulate(len(line) + 1 for line in lines)]

    def lines_with(self, needle: str) -> Iterator[int]:
        """Yield the lines that contain letters and digits in a row, whatever separates them."""
        text, starts = self._squeezed
        at = text.find(needle)
        while at >= 0:
            line = bisect_right(starts, at) - 1
            yield line
            at = text.find(needle, starts[line + 1])

    @cached_property
    def lines_with_numerals(self) -> list[int]:
        """The lines with numbers that are written in signs instead of digits, and with years of
        eras."""
        signs = CJK_NUMERALS | MYRIADS.keys() | {"年"}
        if signs.isdisjoint(self.text):
            return []
        return [index for index, line in enumerate(self.lines) if not signs.isdisjoint(line)]

    # Quotations

    @cached_property
    def _bare(self) -> tuple[str, list[int]]:
        lines = [bare_text(line) for line in self.lines]
        return "".join(lines), [0, *accumulate(map(len, lines))]

    def line_of_quotation(self, quotation: str) -> int | None:
        """Return the line on which a quotation begins, regardless of blanks and case; None if it
        is not there."""
        for first, _ in self._places_of_quotation(quotation):
            return first
        return None

    def quoted_parts(self, quotation: str) -> Iterator[Source]:
        """Yield the lines of each of the first places of a quotation."""
        for count, (first, last) in enumerate(self._places_of_quotation(quotation)):
            if count >= MOST_QUOTED_PLACES:
                return
            numbers = (self.place(first).line,) if self.line_numbers else ()
            text = "\n".join(self.lines[first : last + 1])
            yield Source(self.path, text, numbers, self.heading_of(first))

    def _places_of_quotation(self, quotation: str) -> Iterator[tuple[int, int]]:
        """Yield the first and the last line of each place of a quotation that does not end
        within a number."""
        text, starts = self._bare
        wanted = bare_text(quotation)
        at = text.find(wanted) if wanted else -1
        while at >= 0:
            end = at + len(wanted)
            first = bisect_right(starts, at) - 1
            last = bisect_right(starts, end - 1) - 1
            cuts_number = (
                wanted[-1].isdigit() and text[end : end + 1].isdigit() and end < starts[last + 1]
            )
            if not cuts_number:
                yield first, last
            at = text.find(wanted, at + 1)


_READ_KINDS: Final = frozenset(Kind) - {Kind.QUOTATION}


def count_separators(text: str, separator: str) -> int:
    """Return how many cells of a row end before the end of a text: separators within quotation
    marks do not count."""
    if '"' not in text:
        return text.count(separator)
    return sum(part.count(separator) for part in text.split('"')[::2])


def separate_cells(text: str, separator: str) -> str:
    """Return a row of the same length with a line break in place of each separator outside
    quotation marks."""
    parts = text.split('"')
    for index in range(0, len(parts), 2):
        parts[index] = parts[index].replace(separator, "\n")
    return '"'.join(parts)


def _cell(row: str, separator: str, column: int) -> str:
    cells = separate_cells(row, separator).split("\n")
    return cells[column] if column < len(cells) else ""


def _last_clause(label: str) -> str:
    """Return the part of a text behind the last mark that ends a clause or a list entry."""
    for mark in (". ", "; ", ", ", "|"):
        label = label.rpartition(mark)[2]
    return label


def units_named(text: str) -> frozenset[str]:
    """Return the units that a heading or key names: EUR of `revenue_eur`, min of `Duration
    (min)`."""
    units = set()
    previous = ""
    for word in _words(text):
        belongs_to_number = previous.isdigit()  # `below_20_kg: 185.00` has no kilograms
        previous = word
        unit = "" if belongs_to_number else unit_of(word)
        if unit and (len(word) > 1 or not word.isalpha() or word in "hgltmW"):
            units.add(unit)
    return frozenset(units)


def powers_named(text: str) -> frozenset[int]:
    """Return the powers of ten that a heading names: 3 of `in thousands`, 4 of `万円`."""
    scales = locale_names().scales
    powers = set()
    for word in _words(text):
        power = scales.get(word.casefold(), 0)
        if power and len(word) > 1:
            powers.add(power)
        if word.casefold() in MINOR_UNITS:
            powers.add(-2)
        if word[0] in MYRIADS:
            powers.add(MYRIADS[word[0]])
    return frozenset(powers)


def _words(text: str) -> list[str]:
    """Return runs of letters and signs of units."""
    plain = normalize_text(text).text
    for superscript, digit in (("²", "2"), ("³", "3")):
        plain = plain.replace(superscript, digit)
    signs = "".join(
        character if character.isalnum() or character in "%€$£¥°" else " " for character in plain
    )
    return signs.split()


def telling_words(text: str) -> frozenset[str]:
    """Return the words of a text by which places are told apart."""
    return frozenset(word for word in parts_of(fold_text(text)) if len(word) > 1)

"""Finds the lines of sources that state a value.

To read the values of a line is slow, so only lines with the digits of the value are
read: for `1,250.00 kg`, those with `125` in them. A `LineBudget` limits the work, so that an
answer is judged within seconds even after a trial that read a lot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from controlplane.gates.support.matching.agreements import EQUAL, Agreement
from controlplane.gates.support.matching.line_budget import LineBudget
from controlplane.gates.support.matching.search_digits import search_digits
from controlplane.gates.support.matching.value_equality import compare_values
from controlplane.gates.support.sources.places import Place
from controlplane.gates.support.sources.sources import Source
from controlplane.gates.values.addresses.quotations import UNIT_OF_CODE
from controlplane.gates.values.value_kinds import Kind, WrittenValue

MAX_MATCHES: Final = 20
"""A search returns at most this many lines. They are enough to choose one by its other words."""


@dataclass(frozen=True, slots=True)
class Match:
    """A line of a source that states a value."""

    source: Source
    line: int
    """The index of the line in the source's text, from 0."""
    agreement: Agreement = EQUAL
    """How the value that was searched for agrees with the one on the line: equal or rounded."""
    value: WrittenValue | None = None
    """The value on the line; None for a quotation."""

    @property
    def place(self) -> Place:
        """The path of the source, and the number of the line in this file."""
        return self.source.place(self.line)


def is_stated(
    value: WrittenValue, sources: Iterable[Source], budget: LineBudget
) -> bool:
    """Return True if a line of any of the sources states a value."""
    return bool(find_matches(value, sources, budget))


def find_matches(
    value: WrittenValue, sources: Iterable[Source], budget: LineBudget
) -> list[Match]:
    """Return the first lines of the sources that state a value, until the budget is spent.

    Lines with the value itself are returned, at most `MAX_MATCHES`. If there are none, those
    with a more exact value are: for 6.5, a line with 6.545.
    """
    equal: list[Match] = []
    rounded: list[Match] = []
    for source in sources:
        for match in _matches_in(source, value, budget):
            if match.agreement.is_rounded:
                rounded.append(match)
            else:
                equal.append(match)
            if len(equal) >= MAX_MATCHES:
                return equal
    if equal:
        return equal
    return rounded[:MAX_MATCHES]


def _matches_in(
    source: Source, value: WrittenValue, budget: LineBudget
) -> Iterator[Match]:
    """Yield the lines of one source that state a value, until the budget is spent.

    Only lines with its digits are read, to compare their values with it. A quotation has no
    digits, so its words are looked up.
    """
    if value.kind is Kind.QUOTATION:
        quotation_line = _line_of_quotation(source, value)
        if quotation_line is not None:
            yield Match(source, quotation_line)
        return
    for line in _candidate_lines(source, value):
        if not budget.spend(source, line):
            return
        for found in source.values.of(line):
            agreement = compare_values(value, found, source, line)
            if agreement is not None:  # the value on the line supports the searched one
                yield Match(source, line, agreement, found)
                break


def _candidate_lines(source: Source, value: WrittenValue) -> Iterator[int]:
    """Yield the lines that may state a value, each once. They are still to be compared.

    For `1,250.00 kg`, these are the lines with the digits `125`, as in `1 250 kg`.
    """
    # 1. Lines with its digits.
    seen_lines: set[int] = set()
    for digits in search_digits(value):
        for line in source.digits.lines_with(digits):
            if line not in seen_lines:
                seen_lines.add(line)
                yield line

    # 2. For a number, also lines with numbers that have no digits, such as `三百`.
    if value.kind is Kind.NUMBER:
        for line in source.lines_with_numerals:
            if line not in seen_lines:
                yield line


def _line_of_quotation(source: Source, value: WrittenValue) -> int | None:
    """Return the line on which a quotation begins, or None if a part of it is missing.

    The parts are those around an ellipsis: `the price … is fixed` has two. Code in back
    quotes must also occur exactly as it is.
    """
    is_code = value.unit == UNIT_OF_CODE  # the text stood between back quotes
    if is_code and value.text not in source.text:
        return None
    first_line: int | None = None
    for part in value.text.replace("...", "…").split("…"):
        words = part.strip(" .,;:!?[]")
        if not words:
            continue
        line = source.line_of_quotation(words)
        if line is None:
            return None
        if first_line is None:
            first_line = line
    return first_line

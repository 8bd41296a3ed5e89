"""The values that a text states: numbers with units, dates, times, ids, addresses, account and
telephone numbers.

Each value has a canonical form, equal for all spellings of the value. No sentence is read. Each
form is looked for in turn; what one form has found is hidden from the next. Patterns run on RE2, so
time is linear in the text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, TypeAlias

import re2

from controlplane.gates.values.address_forms import (
    IBAN_PATTERN,
    MAIL_PATTERN,
    QUOTATION_PATTERN,
    TELEPHONE_PATTERN,
    URL_PATTERN,
    read_iban,
    read_mail,
    read_quotation,
    read_telephone,
    read_url,
)
from controlplane.gates.values.date_forms import (
    ERA_PATTERN,
    date_patterns,
    month_of_year_patterns,
    read_date,
    read_era_year,
    read_month,
)
from controlplane.gates.values.id_forms import ID_PATTERN, read_id
from controlplane.gates.values.normal_text import normalize_text
from controlplane.gates.values.number_forms import (
    CJK_NUMBER_PATTERN,
    FRACTION_SIGN_PATTERN,
    GROUPED_PATTERN,
    MIXED_FRACTION_PATTERN,
    MYRIAD_NUMBER_PATTERN,
    PLAIN_PATTERN,
    read_cjk_number,
    read_fraction,
    read_myriads,
    read_number,
)
from controlplane.gates.values.number_style import NumberStyle, number_style_of
from controlplane.gates.values.time_forms import TIME_PATTERNS, read_time
from controlplane.gates.values.value_kinds import ALL_KINDS, Kind, Span, WrittenValue, stands_alone
from controlplane.sandbox.interface import bounds

RANGE_SIGNS: Final = ("-", "to", "bis", "à", "až", "do", "al", "tot", "~")
"""What stands between the first and the last number of a range."""


def written_values(
    text: str,
    *,
    kinds: Collection[Kind] = ALL_KINDS,
    style: NumberStyle | None = None,
    max_values: int = bounds.MOST_READ_VALUES,
) -> list[WrittenValue]:
    """Return the values of a text in their order, at most `max_values` of each form.

    `style` says how ambiguous numbers are read, if the text is a part of another one.
    """
    normal = normalize_text(text)
    reading_style = style or number_style_of(normal.text)
    values: list[WrittenValue] = []
    remaining = normal.text
    for form in _forms():
        if form.kind not in kinds:
            continue
        spans: list[tuple[int, int]] = []
        count = 0
        for match in form.pattern.finditer(remaining):
            span = Span(match, reading_style)
            if form.stands_alone and not stands_alone(span, form.joining_marks):
                continue
            for value in form.read(span):
                values.append(value)
                spans.append((value.start, value.end))
                count += 1
            if count >= max_values:
                break
        remaining = _without_spans(remaining, spans)
    values.sort(key=lambda value: value.start)
    values = _with_units_of_ranges(values, normal.text)
    return [_at_given_offsets(value, text, normal.offset_of) for value in values]


def _with_units_of_ranges(values: list[WrittenValue], text: str) -> list[WrittenValue]:
    """Give the first number of a range, such as `10-12 %`, the unit of the last one."""
    ranged = list(values)
    for index in range(len(values) - 2, -1, -1):
        first = ranged[index]
        last = ranged[index + 1]
        if first.kind is not Kind.NUMBER or last.kind is not Kind.NUMBER or first.unit:
            continue
        if text[first.end : last.start].strip() in RANGE_SIGNS:
            ranged[index] = replace(first, unit=last.unit, follower=last.follower)
    return ranged


def _without_spans(text: str, spans: list[tuple[int, int]]) -> str:
    """Return a text of the same length in which spans are hidden."""
    parts: list[str] = []
    end = 0
    for start, span_end in spans:
        parts.append(text[end:start])
        parts.append("\x00" * (span_end - start))
        end = span_end
    parts.append(text[end:])
    return "".join(parts)


def _at_given_offsets(
    value: WrittenValue, text: str, offset_of: Callable[[int], int]
) -> WrittenValue:
    start = offset_of(value.start)
    end = offset_of(value.end - 1) + 1
    return replace(value, text=text[start:end], start=start, end=end)


Reader: TypeAlias = Callable[[Span], list[WrittenValue]]


@dataclass(frozen=True, slots=True)
class _Form:
    """One way to write a value."""

    kind: Kind
    pattern: re2._Regexp
    read: Reader
    stands_alone: bool = True
    """True if no letter may touch it."""
    joining_marks: str = ""
    """Marks that join it to a digit behind them."""


@cache
def _forms() -> list[_Form]:
    """Return the forms in the order in which they are looked for, the most specific first."""
    forms = [
        _Form(Kind.QUOTATION, re2.compile(QUOTATION_PATTERN), read_quotation, stands_alone=False),
        _Form(Kind.URL, re2.compile(URL_PATTERN), read_url, stands_alone=False),
        _Form(Kind.MAIL, re2.compile(MAIL_PATTERN), read_mail, stands_alone=False),
        _Form(Kind.IBAN, re2.compile(IBAN_PATTERN), read_iban),
    ]
    for index, pattern in enumerate(date_patterns()):
        joining_marks = "-." if index == 0 else "-/."
        forms.append(_Form(Kind.DATE, re2.compile(pattern), read_date, True, joining_marks))
    for pattern in month_of_year_patterns():
        forms.append(_Form(Kind.MONTH, re2.compile(pattern), read_month, joining_marks="-/."))
    for pattern in TIME_PATTERNS:
        forms.append(_Form(Kind.TIME, re2.compile(pattern), read_time, joining_marks=":."))
    forms += [
        _Form(Kind.NUMBER, re2.compile(rf"(?P<era>{ERA_PATTERN}) ?(?P<era_year>元|\d{{1,2}}) ?[年년]"), read_era_year),
        _Form(Kind.TELEPHONE, re2.compile(TELEPHONE_PATTERN), read_telephone, stands_alone=False),
        _Form(Kind.NUMBER, re2.compile(MIXED_FRACTION_PATTERN), read_fraction, joining_marks="/.,"),
        _Form(Kind.ID, re2.compile(ID_PATTERN), read_id, stands_alone=False),
        _Form(Kind.NUMBER, re2.compile(rf"(?:(?P<whole>\d{{1,9}}) ?)?{FRACTION_SIGN_PATTERN}"), read_fraction),
        _Form(Kind.NUMBER, re2.compile(MYRIAD_NUMBER_PATTERN), read_myriads, stands_alone=False),
        _Form(Kind.NUMBER, re2.compile(CJK_NUMBER_PATTERN), read_cjk_number, stands_alone=False),
        _Form(Kind.NUMBER, re2.compile(f"{GROUPED_PATTERN}|{PLAIN_PATTERN}"), read_number, stands_alone=False),
    ]  # fmt: skip
    return forms

"""Reads the values that a text states into canonical forms.

    written_values("Paid 1.250,50 € on 12 March 2026.")
    # a number, 1250.5 EUR, and a date, 2026-03-12

The text is normalised. Then each form of value is searched for in turn, the most
specific first. Values that one form found are hidden from the next, so that the digits
of a date are not read again as numbers. Patterns run on RE2, so the time is linear in
the length of the text.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import cache
from typing import Final

from controlplane.gates.values.addresses.account_numbers import IBANS
from controlplane.gates.values.addresses.quotations import QUOTATIONS
from controlplane.gates.values.addresses.telephones import TELEPHONES
from controlplane.gates.values.addresses.web_addresses import MAILS, URLS
from controlplane.gates.values.dates.date_forms import dates
from controlplane.gates.values.dates.month_forms import ERA_YEARS_ALONE
from controlplane.gates.values.dates.time_forms import TIMES
from controlplane.gates.values.ids.id_forms import IDS
from controlplane.gates.values.normal_text import NormalText, normalize_text
from controlplane.gates.values.number_style import NumberStyle, number_style_of
from controlplane.gates.values.numbers.cjk_number_forms import (
    CJK_NUMBERS,
    MYRIAD_NUMBERS,
)
from controlplane.gates.values.numbers.fraction_forms import FRACTIONS, MIXED_FRACTIONS
from controlplane.gates.values.numbers.number_forms import NUMBERS
from controlplane.gates.values.value_forms import FormGroup
from controlplane.gates.values.value_kinds import ALL_KINDS, Kind, WrittenValue
from controlplane.sandbox.interface import bounds

RANGE_SIGNS: Final = ("-", "to", "bis", "à", "až", "do", "al", "tot", "~")
"""The signs and words between the first and the last number of a range: `10-12 %`, `10 to 12 %`."""
_HIDDEN: Final = "\x00"
"""Replaces each character of a value that was found."""


def written_values(
    text: str,
    *,
    kinds: Collection[Kind] = ALL_KINDS,
    style: NumberStyle | None = None,
    max_values: int = bounds.MOST_READ_VALUES,
) -> list[WrittenValue]:
    """Return the values of a text in order, at most `max_values` of each form.

    "Paid 1.250,50 € on 12 March 2026." has the number 1250.5 EUR and the date 2026-03-12.

    `style` decides how ambiguous numbers such as `1.199` are read. By default, it is
    derived from the text. For a part of a longer text, pass the style of the whole.
    """
    normal = normalize_text(text)
    if style is None:
        style = number_style_of(normal.text)

    # A form is one way to write a value: a date in words (`12 May`), digits (`1,250.50`).
    values: list[WrittenValue] = []
    remaining_text = normal.text
    for group in _form_groups():
        if not group.is_in(remaining_text):
            continue
        for form in group.forms:
            if form.kind in kinds:
                found = form.values_in(remaining_text, style, max_values)
                values += found
                # The 12 of `12 May` must not be read again, as a number.
                remaining_text = _without(found, remaining_text)

    values.sort(key=lambda value: value.start)
    values = _with_units_of_ranges(values, normal.text)
    return [_as_in_given_text(value, text, normal) for value in values]


def _without(values: list[WrittenValue], text: str) -> str:
    """Return a text of the same length in which the characters of values are hidden.

    `12 May, 3 kg` without the date -> six times `_HIDDEN`, and `, 3 kg`
    """
    if not values:
        return text
    parts: list[str] = []
    end = 0
    for value in values:
        if value.end <= end:  # inside the previous value: the 20 kg of `below_20_kg`
            continue
        parts.append(text[end : value.start])
        parts.append(_HIDDEN * (value.end - value.start))
        end = value.end
    parts.append(text[end:])
    return "".join(parts)


def _with_units_of_ranges(values: list[WrittenValue], text: str) -> list[WrittenValue]:
    """Give the first number of a range the unit of the last: both of `10-12 %` are percentages."""
    completed = list(values)
    # From the end, so that a unit passes through a chain of ranges: `5 - 10 - 15 kg`.
    for index in reversed(range(len(values) - 1)):
        first = completed[index]
        last = completed[index + 1]
        if first.kind is not Kind.NUMBER or last.kind is not Kind.NUMBER:
            continue
        is_range = text[first.end : last.start].strip() in RANGE_SIGNS
        if is_range and not first.unit:
            # `follower` is the word that says what is counted: `seats` for both of `3-5 seats`.
            completed[index] = replace(first, unit=last.unit, follower=last.follower)
    return completed


def _as_in_given_text(
    value: WrittenValue, text: str, normal: NormalText
) -> WrittenValue:
    """Return a value with the text and offsets that it has in the original text.

    The value was read in the normalised text, which may be longer or shorter: `12.5` of `１２．５`.
    """
    start = normal.offset_of(value.start)
    # The end is behind the last character of the value. The offset of the next character may be
    # too far, because invisible characters between the two were dropped from the normal text.
    last_character = normal.offset_of(value.end - 1)
    end = last_character + 1
    return replace(value, text=text[start:end], start=start, end=end)


@cache
def _form_groups() -> list[FormGroup]:
    """Return the forms in the order in which they are looked for, the most specific first.

    Each would also match a part of an earlier one: an id in the telephone number
    `030/1234567` or the fraction `3 1/2`, and a number in the id `KR-204`.

    Most groups have one form. Dates and times have many, which are tried only in a text that
    has one of them.
    """
    forms_before_dates = [QUOTATIONS, URLS, MAILS, IBANS]
    forms_behind_times = [
        ERA_YEARS_ALONE,
        TELEPHONES,
        MIXED_FRACTIONS,
        IDS,
        FRACTIONS,
        MYRIAD_NUMBERS,
        CJK_NUMBERS,
        NUMBERS,
    ]
    return [
        *(FormGroup([form]) for form in forms_before_dates),
        dates(),
        TIMES,
        *(FormGroup([form]) for form in forms_behind_times),
    ]

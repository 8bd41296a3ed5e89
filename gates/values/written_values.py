"""Reads the values that a text states into canonical forms.

    written_values("Paid 1.250,50 € on 12 March 2026.")
    # a number, 1250.5 EUR, and a date, 2026-03-12

The text is normalised. Then each form of value is searched for in turn, the most
specific first. Values that one form found are hidden from the next, so that the digits
of a date are not read again as numbers. Patterns run on RE2, so the time is linear in
the length of the text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
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
    ERA_YEAR_PATTERN,
    date_patterns,
    month_patterns,
    read_date,
    read_era_year,
    read_month,
)
from controlplane.gates.values.id_forms import ID_PATTERN, read_id
from controlplane.gates.values.normal_text import NormalText, normalize_text
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
from controlplane.gates.values.value_kinds import (
    ALL_KINDS,
    Kind,
    Span,
    WrittenValue,
    stands_alone,
)
from controlplane.sandbox.interface import bounds

RANGE_SIGNS: Final = ("-", "to", "bis", "à", "až", "do", "al", "tot", "~")
"""The signs and words between the first and the last number of a range: `10-12 %`, `10
to 12 %`."""
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

    `style` decides how ambiguous numbers such as `1.199` are read. By default, it is
    derived from the text. For a part of a longer text, pass the style of the whole.
    """
    normal = normalize_text(text)
    if style is None:
        style = number_style_of(normal.text)

    values: list[WrittenValue] = []
    remaining_text = normal.text
    for group in _form_groups():
        if not group.is_in(remaining_text):
            continue
        for form in group.forms:
            if form.kind in kinds:
                found = _values_of_form(form, remaining_text, style, max_values)
                values += found
                remaining_text = _without(found, remaining_text)

    values.sort(key=lambda value: value.start)
    values = _with_units_of_ranges(values, normal.text)
    return [_as_in_given_text(value, text, normal) for value in values]


def _values_of_form(
    form: _Form, text: str, style: NumberStyle, max_values: int
) -> list[WrittenValue]:
    """Return the values of a text that are written in one form.

    A match may hold several values, so there may be a few more than `max_values`.
    """
    values: list[WrittenValue] = []
    for match in form.pattern.finditer(text):
        span = Span(match, style)
        if form.has_to_stand_alone and not stands_alone(span, form.joining_marks):
            continue
        values += form.read(span)
        if len(values) >= max_values:
            break
    return values


def _without(values: list[WrittenValue], text: str) -> str:
    """Return a text of the same length in which `_HIDDEN` replaces the characters of
    values."""
    if not values:
        return text
    parts: list[str] = []
    end = 0
    for value in values:
        if (
            value.end <= end
        ):  # it is inside the previous value: the 20 kg of the key `below_20_kg`
            continue
        parts.append(text[end : value.start])
        parts.append(_HIDDEN * (value.end - value.start))
        end = value.end
    parts.append(text[end:])
    return "".join(parts)


def _with_units_of_ranges(values: list[WrittenValue], text: str) -> list[WrittenValue]:
    """Give the first number of a range the unit of the last: both of `10-12 %` are
    percentages."""
    completed = list(values)
    # From the end, so that a unit passes through a chain of ranges: `5 - 10 - 15 kg`.
    for index in reversed(range(len(values) - 1)):
        first = completed[index]
        last = completed[index + 1]
        are_numbers = first.kind is Kind.NUMBER and last.kind is Kind.NUMBER
        is_range = text[first.end : last.start].strip() in RANGE_SIGNS
        if are_numbers and is_range and not first.unit:
            # Both count the same, so the word behind the last counts for the first:
            # `3-5 seats`.
            completed[index] = replace(first, unit=last.unit, follower=last.follower)
    return completed


def _as_in_given_text(
    value: WrittenValue, text: str, normal: NormalText
) -> WrittenValue:
    """Return a value of the normalised text with the text and offsets that it has in
    the original."""
    start = normal.offset_of(value.start)
    # From the last character, and not from the one behind it: invisible characters
    # between the two were dropped, and are no part of the value.
    last_character = normal.offset_of(value.end - 1)
    end = last_character + 1
    return replace(value, text=text[start:end], start=start, end=end)


# Forms

Reader: TypeAlias = Callable[[Span], list[WrittenValue]]
"""Returns the values of a match, or an empty list if the match turns out to be
something else."""


@dataclass(frozen=True, slots=True)
class _Form:
    """One way to write a value."""

    kind: Kind
    pattern: re2._Regexp
    read: Reader
    has_to_stand_alone: bool
    """True if a match counts only without letters or joining marks next to it."""
    joining_marks: str
    """Marks that join a match to a digit on their other side: in `1.12.03.2026`, the
    first point shows that `12.03.2026` is not a date."""


def _form_anywhere(kind: Kind, pattern: str, read: Reader) -> _Form:
    """Return a form whose matches may touch any character. Its pattern or reader checks
    the ends."""
    return _Form(
        kind, re2.compile(pattern), read, has_to_stand_alone=False, joining_marks=""
    )


def _form_alone(
    kind: Kind, pattern: str, read: Reader, joining_marks: str = ""
) -> _Form:
    """Return a form whose matches count only if no letter and no joining mark touches
    them."""
    return _Form(
        kind,
        re2.compile(pattern),
        read,
        has_to_stand_alone=True,
        joining_marks=joining_marks,
    )


@dataclass(frozen=True, slots=True)
class _FormGroup:
    """Forms that are searched for one after another, but only in a text that has one of
    them.

    This saves time with the many forms of dates and times. A single search, for any of
    them, shows that most texts have none. Other forms are groups of one.
    """

    forms: tuple[_Form, ...]
    any_form: re2._Regexp | None = None
    """Matches what the pattern of any of the forms matches. None if the group has a
    single form."""

    def is_in(self, text: str) -> bool:
        """Return True if a text may have a value in one of the forms."""
        return self.any_form is None or self.any_form.search(text) is not None


_GROUP_NAME: Final = re2.compile(r"\(\?P<\w+>")
"""The start of a named group in a pattern: `(?P<year>`."""


def _group_of(forms: Iterable[_Form]) -> _FormGroup:
    """Return a group with the pattern that finds any of its forms."""
    members = tuple(forms)
    patterns: list[str] = []
    for form in members:
        # All patterns are joined to one, in which each name of a group, such as
        # `(?P<year>`, could occur only once. The names are not needed to see if there
        # is a match.
        pattern = _GROUP_NAME.sub("(?:", form.pattern.pattern)
        patterns.append(f"(?:{pattern})")
    return _FormGroup(members, re2.compile("|".join(patterns)))


@cache
def _form_groups() -> list[_FormGroup]:
    """Return the forms in the order in which they are looked for, the most specific
    first.

    Values of one form are hidden from the later ones. A match beside a joining mark and
    a further digit does not count. Each form has its own marks: a date is a part of the
    id `7-2026-03-12`, and a time a part of `1:17:10:05`.
    """
    # `_form_anywhere` is for forms whose pattern or reader itself checks what touches
    # the match.
    specific_forms = [
        _form_anywhere(Kind.QUOTATION, QUOTATION_PATTERN, read_quotation),
        _form_anywhere(Kind.URL, URL_PATTERN, read_url),
        _form_anywhere(Kind.MAIL, MAIL_PATTERN, read_mail),
        _form_alone(Kind.IBAN, IBAN_PATTERN, read_iban),
    ]

    iso_date_pattern, *other_date_patterns = date_patterns()
    # Of all dates, only this form may touch a slash: ISO 8601 writes
    # `2026-05-01/2026-05-06`.
    date_forms = [
        _form_alone(Kind.DATE, iso_date_pattern, read_date, joining_marks="-.")
    ]
    for pattern in other_date_patterns:
        date_forms.append(
            _form_alone(Kind.DATE, pattern, read_date, joining_marks="-/.")
        )
    for pattern in month_patterns():
        date_forms.append(
            _form_alone(Kind.MONTH, pattern, read_month, joining_marks="-/.")
        )

    time_forms: list[_Form] = []
    for pattern in TIME_PATTERNS:
        time_forms.append(
            _form_alone(Kind.TIME, pattern, read_time, joining_marks=":.")
        )

    fraction_pattern = rf"(?:(?P<whole>\d{{1,9}}) ?)?{FRACTION_SIGN_PATTERN}"
    number_pattern = f"{GROUPED_PATTERN}|{PLAIN_PATTERN}"
    # The order matters, because each form would also match a part of an earlier one: an
    # id in the telephone number `030/1234567` or the fraction `3 1/2`, and a number in
    # the id `KR-204`.
    number_forms = [
        _form_alone(Kind.NUMBER, ERA_YEAR_PATTERN, read_era_year),
        _form_anywhere(Kind.TELEPHONE, TELEPHONE_PATTERN, read_telephone),
        _form_alone(
            Kind.NUMBER, MIXED_FRACTION_PATTERN, read_fraction, joining_marks="/.,"
        ),
        _form_anywhere(Kind.ID, ID_PATTERN, read_id),
        _form_alone(Kind.NUMBER, fraction_pattern, read_fraction),
        _form_anywhere(Kind.NUMBER, MYRIAD_NUMBER_PATTERN, read_myriads),
        _form_anywhere(Kind.NUMBER, CJK_NUMBER_PATTERN, read_cjk_number),
        _form_anywhere(Kind.NUMBER, number_pattern, read_number),
    ]

    # Most texts have no date and no time: one search for all their forms then saves the
    # others.
    groups = [_FormGroup((form,)) for form in specific_forms]
    groups.append(_group_of(date_forms))
    groups.append(_group_of(time_forms))
    groups += [_FormGroup((form,)) for form in number_forms]
    return groups

"""Reads dates: `12 March 2026`, `03/04/2026`, `13 to 27 May`.

`date_patterns` has the patterns. `span.part("day")` is what their group `day` matched.
"""

from __future__ import annotations

from dataclasses import replace

from controlplane.gates.values.dates.date_parts import CalendarDay, day_at
from controlplane.gates.values.dates.date_patterns import date_patterns, month_patterns
from controlplane.gates.values.dates.month_forms import read_month
from controlplane.gates.values.spans import Span
from controlplane.gates.values.value_forms import Form, FormGroup, Reader
from controlplane.gates.values.value_kinds import Kind, WrittenValue


def read_date(span: Span) -> list[WrittenValue]:
    """Read a date, or both dates of a range: `13 to 27 May` -> `--05-13` and `--05-27`.

    `span.part` returns what a named group of the pattern matched, or "":

    | text           | `first` | `day` | `month` | `name` | `year` | `mark`, `mark2` |
    | -------------- | ------- | ----- | ------- | ------ | ------ | --------------- |
    | `13 to 27 May` | `13`    | `27`  |         | `May`  |        |                 |
    | `12/03/2026`   |         | `12`  | `03`    |        | `2026` | `/`, `/`        |
    | `12.3.`        |         | `12`  | `3`     |        |        |                 |
    """
    if span.part("mark") != span.part("mark2"):  # `12/03.2026`
        return []
    date = day_at(span)
    if not date.year and _may_end_sentence(span):  # `It is 12.3.`
        return []
    if _may_begin_with_month(span, date):  # `3/4/2026` is 3 April or 4 March
        return _in_either_order(span, date)
    if not date.exists:  # `31 June`
        return []

    if span.part("first"):  # the 13 of `13 to 27 May`
        first_date = replace(date, day=span.part("first"))
        if first_date.exists:  # not the 31 of `31 to 15 June`
            return _ends_of_range(span, first_date, date)
    return [span.value(Kind.DATE, date.canonical)]


def _may_end_sentence(span: Span) -> bool:
    """Return True if `12.3.` may be a number at the end of a sentence: `It is 12.3.`

    This is possible only in a text with decimal points. In other texts, it is 12 March.
    """
    has_name = span.part("name") != ""
    return not has_name and "." in span.written and span.style.decimal_mark == "."


def _may_begin_with_month(span: Span, date: CalendarDay) -> bool:
    """Return True for numbers with the year behind them: `3/4/2026`, `3/4/26`.

    False for `2026/3/4`, where the month always follows the year, and for `12 March 2026`.
    """
    has_name = span.part("name") != ""
    if has_name or not date.year:
        return False
    has_western_year = span.part("year") != ""  # unlike `令和8年3月12日`
    begins_with_year = has_western_year and span.place("year")[0] == span.start
    return not begins_with_year


def _in_either_order(span: Span, day_first: CalendarDay) -> list[WrittenValue]:
    """Read a date that may begin with the day or the month.

    `day_first` is the date if the day comes first: 3 April for `3/4/2026`.

    | text         | date               | reason                                |
    | ------------ | ------------------ | ------------------------------------- |
    | `3/25/2026`  | 25 March           | there is no month 25                  |
    | `3.4.2026`   | 3 April            | with points, the day comes first      |
    | `25/3/2026`  | 25 March           | there is no month 25                  |
    | `3/4/2026`   | 3 April or 4 March | the other dates of the text may show  |
    """
    month_first = day_first.swapped
    if not day_first.exists and not month_first.exists:
        return []
    if not day_first.exists:
        return [span.value(Kind.DATE, month_first.canonical)]
    if span.part("mark") == "/":
        return [_in_order_of_text(span, day_first)]
    return [span.value(Kind.DATE, day_first.canonical)]


def _in_order_of_text(span: Span, day_first: CalendarDay) -> WrittenValue:
    """Return the date of `03/04/2026` by the order of day and month in the rest of the text.

    It is 3 April in a text with `25/03/2026`, and 4 March in one with `03/25/2026`. If
    the text has no such date, the value has both readings.
    """
    value = span.value(Kind.DATE, day_first.canonical)
    month_first = day_first.swapped
    if month_first == day_first or not month_first.exists:  # `3/3/2026`, `25/3/2026`
        return value
    match span.style.date_order:
        case "day first":
            return value
        case "month first":
            return replace(value, canonical=month_first.canonical)
    return replace(value, other_canonical=month_first.canonical)


def _ends_of_range(
    span: Span, first: CalendarDay, last: CalendarDay
) -> list[WrittenValue]:
    """Return the two dates of a range, each at its own part of the text.

    | text                | part of the first date | part of the last date |
    | ------------------- | ---------------------- | --------------------- |
    | `13 to 27 May 2026` | `13`                   | `27 May 2026`         |
    | `May 13-27, 2026`   | `13`                   | `-27, 2026`           |

    If the month comes first, the part of the last date begins right behind the first day, with
    the hyphen, so that no part of the text is left over.
    """
    first_start, first_end = span.place("first")
    first_date = WrittenValue(
        Kind.DATE, span.part("first"), first_start, first_end, first.canonical
    )
    month_start, _ = span.place("name")
    last_day_start, _ = span.place("day")
    month_comes_first = month_start < first_start
    last_start = first_end if month_comes_first else last_day_start
    last_date = replace(span.value(Kind.DATE, last.canonical), start=last_start)
    return [first_date, last_date]


def dates() -> FormGroup:
    """Return the forms of dates and months in the order in which they are tried."""
    # A date does not count if one of `joining_marks` joins it to another digit. The slash is not
    # among those of the ISO form, because ISO 8601 writes ranges `2026-05-01/2026-05-06`.
    iso_pattern, *patterns = date_patterns()
    forms = [Form(Kind.DATE, iso_pattern, read_date, is_alone=True, joining_marks="-.")]
    for pattern in patterns:
        forms.append(_form(Kind.DATE, pattern, read_date))
    for pattern in month_patterns():
        forms.append(_form(Kind.MONTH, pattern, read_month))
    return FormGroup(forms)


def _form(kind: Kind, pattern: str, read: Reader) -> Form:
    """Return a form of dates or months, which no letter, digit or mark may continue."""
    return Form(kind, pattern, read, is_alone=True, joining_marks="-/.")

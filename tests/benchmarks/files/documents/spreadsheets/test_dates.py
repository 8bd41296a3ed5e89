"""Dates of a spreadsheet as texts: year first, so that queries can compare them.

A time that is not midnight is written, too, even if the format of the cell hides it.
`cell_text(date(2026, 1, 5), "dd.mm.yyyy")` is `2026-01-05`.
"""

from datetime import date, datetime, time, timedelta
from typing import Any

import pytest

from controlplane.benchmarks.files.documents.spreadsheets import cell_text

# Amounts of a spreadsheet as texts: with the currency, and with the sign as the format writes it.
#
# `cell_text(1234.5, '#,##0.00 "EUR"')` is the text of a cell with this number and format:
# `1,234.50 EUR`. A number keeps all digits that were typed, and 0 stays a digit, because a script computes
# with them. A spreadsheet would show 12345.678 as "$12,345.68", and 0 perhaps as "-".

ACCOUNTING_OF_EUROS = '_-* #,##0.00 "€"_-;-* #,##0.00 "€"_-'
"""`_-` and `* ` only align amounts. The second half is for negative ones."""

ACCOUNTING_WITH_HYPHEN_FOR_ZERO = '_-* #,##0.00_-;-* #,##0.00_-;_-* "-"??_-'


@pytest.mark.parametrize(
    ("value", "number_format", "expected_text"),
    [
        pytest.param(1234.5, '#,##0.00 "EUR"', "1,234.50 EUR", id="currency in words"),
        pytest.param(-5, "#,##0.00 [$€-407]", "-5.00 €", id="currency of a country"),
        pytest.param(-1234.5, ACCOUNTING_OF_EUROS, "-1,234.50 €", id="accounting"),
        pytest.param(-5, "0.00_);(0.00)", "(5.00)", id="negative in parentheses"),
        pytest.param(-5, "0.00;[Red]0.00", "-5.00", id="negative in red"),
    ],
)
def test_amount_is_written_with_its_currency_and_sign(
    value: float, number_format: str, expected_text: str
) -> None:
    assert cell_text(value, number_format) == expected_text


def test_amount_keeps_the_digits_that_the_format_would_round() -> None:
    assert cell_text(12345.678, "$#,##0.00") == "$12,345.678"


def test_zero_is_a_digit_even_if_the_format_shows_a_hyphen() -> None:
    assert cell_text(0, ACCOUNTING_WITH_HYPHEN_FOR_ZERO) == "0"


# Numbers of a spreadsheet as texts: in the format of their cell, as a reader sees them.
#
# An answer quotes article 00501, and not 501: `cell_text(501, "00000")` is `00501`.


@pytest.mark.parametrize(
    ("value", "number_format", "expected_text"),
    [
        pytest.param(501, "00000", "00501", id="leading zeros"),
        pytest.param(7, '000"-"000', "000-007", id="quoted hyphen"),
        pytest.param(123456, "00-00-00", "12-34-56", id="hyphens"),
        pytest.param(0.25, "0%", "25%", id="percent"),
        pytest.param(-0.25, "0.0%", "-25.0%", id="negative percent"),
        pytest.param(1234567, "#,##0", "1,234,567", id="thousands"),
        pytest.param(0, "#,###", "0", id="zero that the format would hide"),
        pytest.param(501, "00,000", "00,501", id="leading zeros and thousands"),
        pytest.param(1234, "00,000", "01,234", id="one leading zero and thousands"),
        pytest.param(1_500_000, '0.0,,"M"', "1.5M", id="millions"),
    ],
)
def test_number_is_written_in_the_format_of_its_cell(
    value: Any, number_format: str, expected_text: str
) -> None:
    assert cell_text(value, number_format) == expected_text


# Values of a spreadsheet as texts, of which the format of their cell says nothing, or too little.
#
# A format may hide a value, or show fewer digits than a person has typed: `cell_text(0.2537, "0%")` is
# `25.37%`, and not `25%`.


@pytest.mark.parametrize(
    ("value", "number_format", "expected_text"),
    [
        pytest.param(5, ";;;", "5", id="hidden value"),
        pytest.param(0.5, "# ?/?", "0.5", id="fraction"),
        pytest.param(0.1 + 0.2, "General", "0.3", id="noise in the 17th digit"),
        pytest.param(491701234567, "General", "491701234567", id="phone number"),
        pytest.param(True, "General", "TRUE", id="boolean"),
        pytest.param(float("inf"), "0.00", "inf", id="infinite"),
        pytest.param("0049", "@", "0049", id="text"),
    ],
)
def test_value_is_written_though_its_format_says_nothing_about_it(
    value: Any, number_format: str, expected_text: str
) -> None:
    assert cell_text(value, number_format) == expected_text


def test_computed_number_is_rounded_as_its_format_says() -> None:
    """1/3 has many digits, so nobody has typed it: it is shown as 33%."""
    assert cell_text(1 / 3, "0%") == "33%"


def test_typed_number_keeps_its_digits() -> None:
    """A number with few digits was typed by a person, and is not shown as 25%."""
    assert cell_text(0.2537, "0%") == "25.37%"


@pytest.mark.parametrize(
    ("value", "number_format", "expected_text"),
    [
        pytest.param(datetime(2026, 1, 5), "yyyy-mm-dd", "2026-01-05", id="day"),
        pytest.param(date(2026, 1, 5), "dd.mm.yyyy", "2026-01-05", id="German day"),
        pytest.param(
            datetime(2026, 1, 5),
            "dd.mm.yyyy hh:mm",
            "2026-01-05 00:00",
            id="midnight",
        ),
        pytest.param(
            datetime(2026, 2, 9, 14, 30),
            "dd.mm.yyyy",
            "2026-02-09 14:30",
            id="time that the format hides",
        ),
        pytest.param(
            datetime(2026, 2, 9, 14, 29, 59, 999_999),
            "m/d/yy h:mm",
            "2026-02-09 14:30",
            id="time just below a minute",
        ),
        pytest.param(time(7, 30), "h:mm", "07:30", id="time"),
        pytest.param(time(7, 30), "h:mm:ss", "07:30:00", id="time with seconds"),
        pytest.param(timedelta(hours=26, minutes=5), "[h]:mm", "26:05", id="duration"),
        pytest.param(
            timedelta(hours=26, minutes=5),
            "[hh]:mm:ss",
            "26:05:00",
            id="duration with seconds",
        ),
        pytest.param(timedelta(hours=-1), "[h]:mm", "-01:00", id="negative duration"),
        # Files count days from 1899-12-31 on, so this is a day, 2 hours and 5 minutes.
        pytest.param(
            datetime(1900, 1, 1, 2, 5),
            "h:mm",
            "26:05",
            id="duration that the file stores as a date",
        ),
    ],
)
def test_dates_are_written_year_first_and_times_as_their_format_says(
    value: Any, number_format: str, expected_text: str
) -> None:
    assert cell_text(value, number_format) == expected_text

"""Amounts of a spreadsheet as texts: with the currency, and with the sign as the format writes it.

`cell_text(1234.5, '#,##0.00 "EUR"')` is the text of a cell with this number and format:
`1,234.50 EUR`. A number keeps all digits that were typed, and 0 stays a digit, because a script computes
with them. A spreadsheet would show 12345.678 as "$12,345.68", and 0 perhaps as "-".
"""

import pytest

from controlplane.benchmarks.files.documents.spreadsheets import cell_text

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

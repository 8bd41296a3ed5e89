"""Amounts of a spreadsheet as texts: with the currency and the sign that their format has.

`cell_text(1234.5, '#,##0.00 "EUR"')` is the text of a cell with this number and format:
`1,234.50 EUR`.
"""

from typing import Any

import pytest

from controlplane.benchmarks.files.documents.cells.cell_text import cell_text


@pytest.mark.parametrize(
    ("value", "number_format", "expected_text"),
    [
        pytest.param(1234.5, '#,##0.00 "EUR"', "1,234.50 EUR", id="currency in words"),
        pytest.param(-5, "#,##0.00 [$€-407]", "-5.00 €", id="currency of a country"),
        pytest.param(12345.678, "$#,##0.00", "$12,345.678", id="typed decimals stay"),
        pytest.param(
            -1234.5,
            '_-* #,##0.00 "€"_-;-* #,##0.00 "€"_-',
            "-1,234.50 €",
            id="accounting",
        ),
        pytest.param(-5, "0.00_);(0.00)", "(5.00)", id="negative in parentheses"),
        pytest.param(-5, "0.00;[Red]0.00", "-5.00", id="negative in red"),
        pytest.param(
            0,
            '_-* #,##0.00_-;-* #,##0.00_-;_-* "-"??_-',
            "0",
            id="zero shown as a hyphen",
        ),
    ],
)
def test_amount_is_written_with_its_currency_and_sign(
    value: Any, number_format: str, expected_text: str
) -> None:
    assert cell_text(value, number_format) == expected_text

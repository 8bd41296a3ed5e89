"""Numbers of a spreadsheet as texts: in the format of their cell, as a reader sees them.

An answer quotes article 00501, and not 501: `cell_text(501, "00000")` is `00501`.
"""

from typing import Any

import pytest

from controlplane.benchmarks.files.documents.spreadsheets import cell_text


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

"""Values of a spreadsheet as texts, of which the format of their cell says nothing, or too little.

A format may hide a value, or show fewer digits than a person has typed: `cell_text(0.2537, "0%")` is
`25.37%`, and not `25%`.
"""

from typing import Any

import pytest

from controlplane.benchmarks.files.documents.spreadsheets import cell_text


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

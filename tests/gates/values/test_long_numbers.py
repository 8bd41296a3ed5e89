"""A number of thousands of digits is read without an error, wherever a text has it.

Python converts a text of up to 4,300 digits to an integer, and raises an error for more. A script
could stop its trial if that error were not expected.
"""

from __future__ import annotations

import pytest

from controlplane.gates.values.value_kinds import Kind
from controlplane.gates.values.written_values import written_values


@pytest.mark.parametrize(
    ("pattern", "kinds"),
    [
        pytest.param("{}", [Kind.NUMBER], id="number"),
        pytest.param("{}.5 kg", [Kind.NUMBER], id="decimal number with a unit"),
        pytest.param("{0}/{0}", [Kind.ID], id="fraction"),
        pytest.param("{0}:{0}", [Kind.ID], id="time of day"),
        pytest.param("2024-{}-01", [Kind.ID], id="date"),
        pytest.param("12:30:{}", [Kind.ID], id="seconds"),
        pytest.param("{0} h {0} min", [Kind.NUMBER, Kind.NUMBER], id="duration"),
        pytest.param("1e{}", [Kind.ID], id="exponent"),
        pytest.param("May {}, 2024", [Kind.NUMBER, Kind.NUMBER], id="day of a month"),
    ],
)
def test_a_text_with_a_number_of_any_length_is_read(
    pattern: str, kinds: list[Kind]
) -> None:
    """What is too long for a date, a fraction or an exponent is taken for an id."""
    values = written_values(pattern.format("9" * 5_000))

    assert [value.kind for value in values] == kinds


def test_a_long_number_in_arabic_digits_is_read() -> None:
    (value,) = written_values("\u0663" * 5_000)  # Arabic three

    assert value.canonical == "3" * 5_000


def test_a_long_row_of_chinese_numerals_is_no_value() -> None:
    assert written_values("\u4e00" * 5_000) == []  # Chinese one

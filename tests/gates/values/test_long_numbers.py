"""A number of thousands of digits is read without an error, wherever a text has it.

Python converts a text of up to 4,300 digits to an integer, and raises an error for more. A script
could stop its trial if that error were not expected.
"""

from __future__ import annotations

import pytest

from controlplane.gates.values.spans import Kind
from controlplane.gates.values.written_values import written_values

NINES = "9" * 5_000


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(NINES, id="number"),
        pytest.param(f"{NINES}.5 kg", id="decimal number with a unit"),
    ],
)
def test_a_long_number_is_read_as_a_number(text: str) -> None:
    assert [value.kind for value in written_values(text)] == [Kind.NUMBER]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{NINES} h {NINES} min", id="no duration"),
        pytest.param(f"May {NINES}, 2024", id="no date"),
    ],
)
def test_long_numbers_between_words_are_read_as_numbers_alone(text: str) -> None:
    """Unlike "4 h 30 min", which is one duration, and "May 4, 2024", which is one date."""
    assert [value.kind for value in written_values(text)] == [Kind.NUMBER, Kind.NUMBER]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{NINES}/{NINES}", id="no fraction"),
        pytest.param(f"{NINES}:{NINES}", id="no hours and minutes"),
        pytest.param(f"12:30:{NINES}", id="no hours, minutes and seconds"),
        pytest.param(f"2024-{NINES}-01", id="no date"),
        pytest.param(f"1e{NINES}", id="no exponent"),
    ],
)
def test_a_long_number_joined_to_others_is_read_as_part_of_an_id(text: str) -> None:
    """Unlike "12:30", which is a time of day, and "2024-05-01", which is a date."""
    assert [value.kind for value in written_values(text)] == [Kind.ID]


def test_a_long_number_in_arabic_digits_is_read() -> None:
    (value,) = written_values("\u0663" * 5_000)  # Arabic three

    assert value.canonical == "3" * 5_000


def test_a_long_row_of_chinese_numerals_is_no_value() -> None:
    """Three of them are read as 111; a row of more than some dozens is taken for a text."""
    assert written_values("\u4e00" * 5_000) == []  # Chinese one

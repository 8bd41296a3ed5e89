"""A text of one repeated piece is searched for values with bounded work.

Answers and texts come from anybody. One such as `7 7 7 7 …` or `1.1.1.1. …` has a possible
beginning of a value, such as a date, at each place.
"""

from __future__ import annotations

import pytest

from controlplane.gates.support.answer_values import answer_values, values_reported
from controlplane.sandbox.interface import bounds
from tests.support.executed_work import assert_linear

REPEATED_PIECES = (
    "7 ",
    "2031-05-04 ",
    "a1-",
    '"',
    "1.",
    "+31 20 ",
    "„x",
    "10:00 ",
    "May 4, ",
)


@pytest.mark.parametrize("piece", REPEATED_PIECES)
def test_reading_and_searching_a_text_of_one_repeated_piece_is_linear_work(
    piece: str,
) -> None:
    """The text is read as an answer, and it is searched for the values of another answer."""

    def read_and_search(piece_count: int) -> None:
        text = piece * piece_count
        answer_values(text)
        values_reported("2031-05-05, 4711 EUR, b-105, 11:11", text)

    assert_linear(read_and_search, 500)


@pytest.mark.parametrize("piece", REPEATED_PIECES)
def test_the_number_of_values_that_are_read_is_bounded(piece: str) -> None:
    """Of each of 30 forms, such as a date in digits, at most `MOST_READ_VALUES` are read."""
    long_answer = piece * (200_000 // len(piece))

    values = answer_values(long_answer)

    assert len(values) <= 30 * bounds.MOST_READ_VALUES

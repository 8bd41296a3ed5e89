"""The values of a text of one repeated piece are read in linear time.

A text such as `7 7 7 7 …` has a possible beginning of a value at each place. A pattern that looked
for the rest of a value behind each would do quadratic work.
"""

from __future__ import annotations

import pytest

from controlplane.gates.values.written_values import written_values
from tests.support.executed_work import assert_linear


@pytest.mark.parametrize(
    "piece",
    [
        "7 ",
        "2031-05-04 ",
        "a1-",
        '"',
        "1.",
        "+31 20 ",
        "„x",
        "10:00 ",
        "May 4, ",
        "½",
        "万",
        "１",
        "[4]",
    ],
)
def test_reading_a_text_of_one_repeated_piece_is_linear_work(piece: str) -> None:
    assert_linear(lambda piece_count: written_values(piece * piece_count), 500)

"""Values of an answer are found in tables, lists and settings, where each cell is one of its own.

A cell such as `4,314` is a value, although only a blank parts it from the next cell. After the text
"memory: 512Mi", the answer "It has 512 MiB." is supported: its value is marked `found`.
"""

from __future__ import annotations

import pytest

from controlplane.gates.support.sources import Source
from controlplane.gates.support.support_texts import support_text
from controlplane.gates.support.value_support import ValueMarker


def test_numbers_of_a_table_of_a_pdf_page_are_separate_values() -> None:
    """The text of a page has its columns side by side, with only a blank between them."""
    page = "Permit Handgun Long_Gun Other\nUtah 10,429 4,314 5,857 195 262\n"
    marker = ValueMarker([Source("/p.pdf/page-1", page)])

    marks = marker.marks("4,314 handguns, 5,857 long guns, 195 others.")

    places = [support_text(mark) for mark in marks]
    assert places == ["/p.pdf/page-1:2", "/p.pdf/page-1:2", "/p.pdf/page-1:2"]


@pytest.mark.parametrize(
    ("text", "answer", "supports"),
    [
        (
            "17 342.5 9\n216 20000",
            "342.5, 216 and 20,000.",
            ["found", "found", "found"],
        ),
        (
            # The row has another amount than the answer.
            "2025-06-03;2891.35",
            "We paid EUR 9,999.35 on 3 June 2025.",
            ["unverified", "found"],
        ),
        ("2025-Q1;3", "In the first quarter of 2025.", ["found"]),
        ("memory: 512Mi\nlimit: 2Gi", "It has 512 MiB of 2 GiB.", ["found", "found"]),
        ("[1,2,15,68]", "It is 15 and 68.", ["found", "found"]),
        ('a,b\n"1,250.00",3', "It is 1250 EUR.", ["found"]),
    ],
)
def test_a_value_is_found_in_rows_lists_and_settings(
    text: str, answer: str, supports: list[str]
) -> None:
    """Each value of the answer is found, except for the amount in the second case."""
    marks = ValueMarker([Source("/a.txt", text)]).marks(answer)

    assert [mark.support for mark in marks] == supports

"""A value of an answer is found in the line of a file that states it.

    the file /loans.csv     loan,until,fee
                            L-02,2026-05-09,470
    the answer              The fee of L-02 is 470 EUR.

Both values, the id and the amount, are found in `/loans.csv:2`, which is shown to the user.
"""

from __future__ import annotations

import pytest

from controlplane.gates.support.support_texts import support_text
from tests.gates.support.value_support.value_marks import marks_of


@pytest.mark.parametrize(
    ("answer", "text", "places"),
    [
        pytest.param(
            "The fee of L-02 is 470 EUR.",
            "loan,fee\nL-01,300\nL-02,470\n",
            ["/a.txt:3", "/a.txt:3"],
            id="an id and an amount",
        ),
        pytest.param(
            "It ends on 9 May 2026.",
            "until 2026-05-09\n",
            ["/a.txt:1"],
            id="a date in another form",
        ),
        pytest.param(
            "It is open until 20:00.",
            "Hours\nfrom 09:30 to 20:00\n",
            ["/a.txt:2"],
            id="a time",
        ),
        pytest.param(
            "\u201cA loan runs 21 days\u201d",
            "A loan runs 21 days. The fee is 5 %.\n",
            ["/a.txt:1"],
            id="a quotation",
        ),
    ],
)
def test_a_value_is_found_in_the_line_that_states_it(
    answer: str, text: str, places: list[str]
) -> None:
    marks = marks_of(answer, {"/a.txt": text})

    assert [support_text(mark) for mark in marks] == places


def test_of_two_files_with_a_value_the_one_with_more_of_the_sentence_counts() -> None:
    """Both files state 470, but only one the year."""
    files = {
        "/loans.csv": "loan,fee\nL-02,470\n",
        "/old.md": "The fee was 470 EUR in 2019.\n",
    }

    marks = marks_of("The fee was 470 EUR in 2019.", files)

    assert [support_text(mark) for mark in marks] == ["/old.md:1", "/old.md:1"]


def test_a_count_up_to_twelve_needs_no_support() -> None:
    assert marks_of("There are 3 loans.", {"/a.txt": "loans\n"}) == ()

"""What supports each value of an answer: the line of a file that states it, or nothing.

    the file /loans.csv     loan,until,fee
                            L-02,2026-05-09,470
    the answer              The fee of L-02 is 470 EUR.

Both values are found in `/loans.csv:2`. A value that no text states, and that no script has computed, is
`unverified`.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from controlplane.gates.support.marks import Mark
from controlplane.gates.support.sources.sources import Source
from controlplane.gates.support.support_texts import support_text, unverified_in
from controlplane.gates.support.value_support import ValueMarker


def marks_of(answer: str, files: Mapping[str, str]) -> tuple[Mark, ...]:
    """Return the marks of an answer's values in order, after a trial that has read these files."""
    sources = [Source(path, text) for path, text in files.items()]
    return ValueMarker(sources).marks(answer)


class TestFoundValues:
    """A value is found in the line of a file that states it."""

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
        self, answer: str, text: str, places: list[str]
    ) -> None:
        marks = marks_of(answer, {"/a.txt": text})

        assert [support_text(mark) for mark in marks] == places

    def test_of_two_files_with_a_value_the_one_with_more_of_the_sentence_counts(
        self,
    ) -> None:
        """Both files state 470, but only one the year."""
        files = {
            "/loans.csv": "loan,fee\nL-02,470\n",
            "/old.md": "The fee was 470 EUR in 2019.\n",
        }

        marks = marks_of("The fee was 470 EUR in 2019.", files)

        assert [support_text(mark) for mark in marks] == ["/old.md:1", "/old.md:1"]

    def test_a_count_up_to_twelve_needs_no_support(self) -> None:
        assert marks_of("There are 3 loans.", {"/a.txt": "loans\n"}) == ()


class TestUnverifiedValues:
    """No file states these values, though one states something similar."""

    @pytest.mark.parametrize(
        ("answer", "text", "unverified"),
        [
            pytest.param(
                "It costs 470 USD.", "470 EUR\n", ["470"], id="another currency"
            ),
            pytest.param(
                "It costs 471 EUR.", "470 EUR\n", ["471"], id="another amount"
            ),
            pytest.param(
                "It costs 20.00 EUR.", "until 20:00\n", ["20.00"], id="20:00 is a time"
            ),
            pytest.param(
                "1. See L-09.",
                "L-01\n",
                ["L-09"],
                id="an id, and not the item's number",
            ),
            pytest.param(
                "\u201cA loan runs 22 days\u201d",
                "A loan runs 21 days.\n",
                ["A loan runs 22 days"],
                id="a quotation with another number",
            ),
            pytest.param(
                "300 EUR and 470 EUR are 770 EUR.",
                "300 EUR\n470 EUR\n",
                ["770"],
                id="a sum that no script computed",
            ),
        ],
    )
    def test_a_value_that_no_file_states_is_unverified(
        self, answer: str, text: str, unverified: list[str]
    ) -> None:
        marks = marks_of(answer, {"/a.txt": text})

        assert unverified_in(marks) == unverified


class TestValuesOutsideOfTexts:
    """The name of a file, and the question of the user, state values, too."""

    def test_the_name_of_a_file_supports_its_month_but_no_day_and_no_amount(
        self,
    ) -> None:
        """The trial has seen the file in a listing, and has read nothing."""
        marker = ValueMarker(sources=[], names="/reports/2026-03.csv")

        marks = marker.marks("In March 2026 it was 12 March 2026, at 20.26 EUR.")

        assert unverified_in(marks) == ["12 March 2026", "20.26"]

    @pytest.mark.parametrize(
        ("cited_path", "support"),
        [
            pytest.param("/rules.md", "given", id="another file is cited"),
            pytest.param("/old.md", "found", id="the file that states it is cited"),
        ],
    )
    def test_a_value_of_the_question_is_found_only_in_a_cited_file(
        self, cited_path: str, support: str
    ) -> None:
        """The question states the 470 EUR, and so does a file that the trial has read."""
        sources = [
            Source("/old.md", "The fee was 470 EUR in 2019.\n"),
            Source("/rules.md", "A loan runs 21 days.\n"),
        ]
        marker = ValueMarker(
            sources, "Was the fee 470 EUR?", cited=frozenset({cited_path})
        )

        (mark,) = marker.marks("The fee was 470 EUR.")

        assert mark.support == support

"""Files that an answer may cite, because a call has shown what the reason of the citation names.

The file may be read, found by a search, or printed by a program of which it is declared what it
reads: `/bin/show /docs/Secret.md` prints "The archive opens at seven." -> the file can be cited for
"it opens at seven".
"""

from __future__ import annotations

import pytest

from tests.agent.evidence.log.citing_trial import CitingTrial


class TestShownFiles:
    """A file can be cited for what a call has shown of it.

    The reason is "it opens at seven", and a call has shown "The archive opens at seven."
    """

    def test_a_read_file_is_citable(self) -> None:
        trial = CitingTrial()
        trial.read("/docs/Secret.md", "The archive opens at seven.")

        assert trial.can_cite("/docs/Secret.md", reason="it opens at seven")

    def test_a_file_that_a_program_printed_is_citable(self) -> None:
        trial = CitingTrial()
        trial.run("/bin/show", "/docs/Secret.md", stdout="The archive opens at seven.")

        assert trial.can_cite("/docs/Secret.md", reason="it opens at seven")

    def test_the_first_of_two_printed_files_is_citable(self) -> None:
        """The program prints both files, one after the other."""
        trial = CitingTrial()
        trial.run(
            "/bin/show",
            "/docs/Secret.md",
            "/docs/Loans.md",
            stdout="The archive opens at seven.A loan runs 21 days.",
        )

        assert trial.can_cite("/docs/Secret.md", reason="it opens at seven")

    def test_a_line_that_a_search_showed_makes_its_file_citable(self) -> None:
        """The search shows the line itself, so it counts like reading."""
        trial = CitingTrial()
        trial.search("/docs/Secret.md", "The archive opens at seven.")

        assert trial.can_cite("/docs/Secret.md", reason="it opens at seven")

    def test_an_empty_file_is_citable_for_being_empty(self) -> None:
        """The reason says what was seen: that there is nothing."""
        trial = CitingTrial()
        trial.read("/empty.txt", "")

        assert trial.can_cite("/empty.txt", reason="it holds no lines")


class TestPickedValues:
    """A file can be cited for a value that a program picked from it.

    `/bin/pick FILTER FILE` prints what a jq filter picks, such as `.opens`.
    """

    def test_a_value_that_a_filter_picked_is_citable(self) -> None:
        """The filter of `/bin/pick`, here `.opens`, can only print what the file has."""
        trial = CitingTrial()
        trial.run("/bin/pick", ".opens", "/shelves/store.json", stdout='"seven"\n')

        assert trial.can_cite("/shelves/store.json", reason="it opens at seven")

    @pytest.mark.parametrize(
        "filter_text",
        [
            pytest.param('.rows[] | select(.id == "b-104") | .copies', id="an id"),
            pytest.param(
                r'.rows[] | select(.id == "b\"104") | .copies', id="a quotation mark"
            ),
        ],
    )
    def test_a_value_of_a_row_that_a_filter_chose_is_citable(
        self, filter_text: str
    ) -> None:
        """The text in the filter only chooses a row. What is printed, 17, is a value of this
        row."""
        trial = CitingTrial()
        trial.run("/bin/pick", filter_text, "/shelves/store.json", stdout="17\n")

        assert trial.can_cite("/shelves/store.json", reason="17 copies are there")

    def test_a_value_that_was_looked_up_in_a_file_is_citable(self) -> None:
        """`/bin/stock FILE ID` prints the id, and the number of copies that the file has for it:
        17."""
        trial = CitingTrial()
        trial.run("/bin/stock", "/shelves/store.json", "b-104", stdout="b-104\t17\n")

        assert trial.can_cite("/shelves/store.json", reason="17 of b-104")


class TestNames:
    """The cited path may be of a row, and a file's name may have the sign that separates a row."""

    def test_a_row_of_a_read_file_is_citable(self) -> None:
        """`#row=1` stands for row 1 of the file."""
        trial = CitingTrial()
        trial.read("/docs/Loans.md", "The archive opens at seven.")

        assert trial.can_cite("/docs/Loans.md#row=1", reason="it opens at seven")

    def test_a_file_whose_name_has_a_hash_sign_is_citable(self) -> None:
        """`#` usually separates a row from its file."""
        trial = CitingTrial()
        trial.read("/notes/a#b.txt", "The archive opens at seven.")

        assert trial.can_cite("/notes/a#b.txt", reason="it opens at seven")


class TestOwnActions:
    """A file that the script wrote, or a program that it ran, can be cited for just that."""

    def test_a_written_file_is_citable_as_written(self) -> None:
        """The reason claims only that the trial wrote the file."""
        trial = CitingTrial()
        trial.write("/tmp/x", "the vault opens at noon")

        assert trial.can_cite("/tmp/x", reason="written as asked")

    def test_a_program_that_ran_is_citable_as_run(self) -> None:
        """The reason claims only that the program was run."""
        trial = CitingTrial()
        trial.run("/bin/query", "select 1", stdout="1")

        assert trial.can_cite("/bin/query", reason="the query that was run")

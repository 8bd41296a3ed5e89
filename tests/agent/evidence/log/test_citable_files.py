"""Files that an answer may cite, because a call has shown what the reason of the citation names.

The file may be read, found by a search, or printed by a program of which it is declared what it
reads: `/bin/show /docs/Secret.md` prints "The archive opens at seven." -> the file can be cited for
"it opens at seven".
"""

from __future__ import annotations

from tests.agent.evidence.log.citing_trial import CitingTrial


class TestShownTexts:
    """A file can be cited for a text that a call has shown of it."""

    def test_a_read_file_is_citable_for_what_it_says(self) -> None:
        trial = CitingTrial()
        trial.read("/docs/Secret.md", "The archive opens at seven.")

        assert trial.can_cite("/docs/Secret.md", reason="it opens at seven")
        assert not trial.can_cite("/docs/Secret.md", reason="the vault is empty")

    def test_a_file_that_a_program_printed_is_citable(self) -> None:
        trial = CitingTrial()
        trial.run("/bin/show", "/docs/Secret.md", stdout="The archive opens at seven.")

        assert trial.can_cite("/docs/Secret.md", reason="it opens at seven")

    def test_the_first_of_two_printed_files_is_citable(self) -> None:
        trial = CitingTrial()
        trial.run(
            "/bin/show",
            "/docs/Secret.md",
            "/docs/Loans.md",
            stdout="The archive opens at seven.A loan runs 21 days.",
        )

        assert trial.can_cite("/docs/Secret.md", reason="it opens at seven")

    def test_a_line_that_a_search_showed_makes_its_file_citable(self) -> None:
        trial = CitingTrial()
        trial.search("/docs/Secret.md", "The archive opens at seven.")

        assert trial.can_cite("/docs/Secret.md", reason="it opens at seven")

    def test_an_empty_file_is_citable_for_being_empty(self) -> None:
        trial = CitingTrial()
        trial.read("/empty.txt", "")

        assert trial.can_cite("/empty.txt", reason="it holds no lines")


class TestPickedValues:
    """A file can be cited for a value that a program picked from it.

    The programs read `{"opens": "seven", "rows": [{"id": "b-104", "copies": 17}]}`. What a script
    passes to a program may only choose a value: words of its arguments are not shown by the file.
    """

    def test_a_value_that_a_filter_picked_is_citable(self) -> None:
        """`/bin/pick FILTER FILE` prints what a jq filter picks."""
        trial = CitingTrial()
        trial.run("/bin/pick", ".opens", "/shelves/store.json", stdout='"seven"\n')

        assert trial.can_cite("/shelves/store.json", reason="it opens at seven")

    def test_a_value_of_the_row_that_a_filter_chose_is_citable(self) -> None:
        """The filter has the id "b-104", but not the printed 17."""
        filter_text = '.rows[] | select(.id == "b-104") | .copies'
        trial = CitingTrial()
        trial.run("/bin/pick", filter_text, "/shelves/store.json", stdout="17\n")

        assert trial.can_cite("/shelves/store.json", reason="17 copies are there")

    def test_the_id_in_a_filter_may_have_a_quotation_mark(self) -> None:
        filter_text = r'.rows[] | select(.id == "b\"104") | .copies'
        trial = CitingTrial()
        trial.run("/bin/pick", filter_text, "/shelves/store.json", stdout="17\n")

        assert trial.can_cite("/shelves/store.json", reason="17 copies are there")

    def test_a_value_that_was_looked_up_by_an_id_is_citable(self) -> None:
        """`/bin/stock FILE ID` prints the id, and its number of copies."""
        trial = CitingTrial()
        trial.run("/bin/stock", "/shelves/store.json", "b-104", stdout="b-104\t17\n")

        assert trial.can_cite("/shelves/store.json", reason="17 of b-104")


class TestHashSigns:
    """In a citation, `#` separates a row from its file, but a file's name may have one, too."""

    def test_a_row_of_a_read_file_is_citable(self) -> None:
        trial = CitingTrial()
        trial.read("/docs/Loans.md", "The archive opens at seven.")

        assert trial.can_cite("/docs/Loans.md#row=1", reason="it opens at seven")

    def test_a_file_whose_name_has_a_hash_sign_is_citable(self) -> None:
        trial = CitingTrial()
        trial.read("/notes/a#b.txt", "The archive opens at seven.")

        assert trial.can_cite("/notes/a#b.txt", reason="it opens at seven")


class TestOwnActions:
    """What the script itself did can be cited for having been done."""

    def test_a_written_file_is_citable_as_written(self) -> None:
        trial = CitingTrial()
        trial.write("/tmp/x", "the vault opens at noon")

        assert trial.can_cite("/tmp/x", reason="written as asked")

    def test_a_program_that_ran_is_citable_as_run(self) -> None:
        trial = CitingTrial()
        trial.run("/bin/query", "select 1", stdout="1")

        assert trial.can_cite("/bin/query", reason="the query that was run")

"""Files that do not exist, calls that failed, and texts that were not shown.

An answer cites files, each with a reason that must name something which a call has shown of the
file. Here no call has shown its text to the model. So every reason is refused, even one that is true.
"""

from __future__ import annotations

from tests.agent.evidence.log.citing_trial import CitingTrial


class TestMissingFiles:
    """A folder, or a file that does not exist, cannot be cited, whatever a program prints."""

    def test_a_folder_is_not_citable(self) -> None:
        """The listing has shown that `/docs` is a folder."""
        trial = CitingTrial()
        trial.list("/docs", "/docs/Loans.md")
        trial.run("/bin/show", "/docs", stdout="the vault opens at noon")

        assert not trial.can_cite("/docs", reason="the vault opens at noon")

    def test_a_file_that_its_folder_does_not_list_is_not_citable(self) -> None:
        """The listing of `/docs` shows that the file does not exist, whatever the program
        prints."""
        trial = CitingTrial()
        trial.list("/docs", "/docs/Loans.md")
        trial.run("/bin/show", "/docs/Secret.md", stdout="the vault opens at noon")

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

    def test_a_file_that_was_not_found_is_not_citable(self) -> None:
        """The error `not_found` shows that the file does not exist, whatever the program prints."""
        trial = CitingTrial()
        trial.fail("read", {"path": "/docs/Secret.md"}, code="not_found")
        trial.run("/bin/show", "/docs/Secret.md", stdout="the vault opens at noon")

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


class TestFailedCalls:
    """A call that failed, or found nothing, has not shown its file.

    A call fails with an error or with an exit code other than 0. One that found nothing returns an
    empty text.
    """

    def test_a_program_that_failed_has_not_shown_its_file(self) -> None:
        """With an exit code of 1, what it printed may be an error message."""
        trial = CitingTrial()
        trial.run(
            "/bin/show",
            "/docs/Secret.md",
            stdout="The archive opens at seven.",
            exit_code=1,
        )

        assert not trial.can_cite("/docs/Secret.md", reason="it opens at seven")

    def test_a_file_that_could_not_be_executed_is_not_citable_as_run(self) -> None:
        """126 is the exit code of a shell for a file that is not a program."""
        trial = CitingTrial()
        trial.run("/docs/Secret.md", exit_code=126)

        assert not trial.can_cite("/docs/Secret.md", reason="the command was called")

    def test_a_file_whose_reading_failed_is_not_citable(self) -> None:
        """The call was made, but it returned an error instead of the text."""
        trial = CitingTrial()
        trial.fail("read", {"path": "/docs/Secret.md"}, code="internal")

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

    def test_a_read_behind_the_end_of_a_file_shows_nothing(self) -> None:
        """Reading from line 1,000,000 on succeeds, and returns an empty text."""
        trial = CitingTrial()
        trial.read("/docs/Secret.md", "", start_line=1_000_000)

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

    def test_a_match_of_a_search_without_text_shows_nothing(self) -> None:
        """The search names the file but shows only blanks."""
        trial = CitingTrial()
        trial.search("/docs/Secret.md", "  ")

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


class TestUnshownTexts:
    """A file cannot be cited for a text that the model was not shown, or of another file.

    The first prompt shows the results of some calls, cut to save room: `shown_chars` is how much of
    one.
    """

    def test_a_text_of_which_the_prompt_showed_only_a_blank_is_not_citable(
        self,
    ) -> None:
        """The first character of this text, which the prompt shows, is a line break."""
        trial = CitingTrial()
        trial.read("/docs/Secret.md", "\nThe archive opens at seven.", shown_chars=1)

        assert not trial.can_cite("/docs/Secret.md", reason="it opens at seven")
        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

    def test_an_output_of_which_the_prompt_showed_nothing_is_not_citable(self) -> None:
        """The prompt had no room for the output of this call."""
        trial = CitingTrial()
        trial.run(
            "/bin/show",
            "/docs/Secret.md",
            stdout="The archive opens at seven.",
            shown_chars=0,
        )

        assert not trial.can_cite("/docs/Secret.md", reason="it opens at seven")

    def test_a_text_in_a_listing_shows_nothing_of_the_file(self) -> None:
        """A listing names files. A field `text` in it is not the text of a file."""
        trial = CitingTrial()
        trial.call(
            "list",
            {"path": "/"},
            {
                "entries": [
                    {"path": "docs/Secret.md", "text": "the vault opens at noon"}
                ]
            },
        )

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

    def test_words_of_another_file_do_not_justify_a_citation(self) -> None:
        """The script has read both files, and cites one of them for what the other one says."""
        trial = CitingTrial()
        trial.read("/docs/Loans.md", "Books marked reserved cannot be renewed.")
        trial.run("/bin/show", "/docs/Secret.md", stdout="The archive opens at seven.")

        assert not trial.can_cite(
            "/docs/Secret.md", reason="books marked reserved cannot be renewed"
        )

"""Words that a script passed to a program prove nothing if they are shown later.

`/bin/ship` is declared as a program that changes something. So it may have written its arguments, or
its standard input, into any file. If a file then shows "the vault opens at noon", these may be the
script's own words. Words that the environment showed first can still be cited.
"""

from __future__ import annotations

from controlplane.sandbox.interface import bounds
from tests.agent.evidence.log.citing_trial import CitingTrial


class TestStoredTexts:
    """A text that a program may have stored proves nothing where it is read later.

    The script runs `/bin/ship` with "the vault opens at noon", as an argument or by `stdin`. Then
    it reads `/docs/Secret.md`, and cites it for these words, which must be refused.
    """

    def test_a_stored_text_that_a_file_shows_later_proves_nothing(self) -> None:
        """`/bin/ship` may have written its argument into the file."""
        trial = CitingTrial()
        trial.run("/bin/ship", "the vault opens at noon")
        trial.read("/docs/Secret.md", "the vault opens at noon")

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

    def test_a_stored_text_with_escaped_letters_proves_nothing(self) -> None:
        """In the JSON that the script passes, `\\u0076` is a v, `\\u0070` a p and `\\u006F` an
        o."""
        trial = CitingTrial()
        trial.run(
            "/bin/ship", stdin='{"note": "the \\u0076ault o\\u0070ens at n\\u006Fon"}'
        )
        trial.read("/docs/Secret.md", "the vault opens at noon")

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

    def test_a_stored_text_that_is_shown_as_json_proves_nothing(self) -> None:
        """The script passes a tab and `he`, `vault opens`, a line break and `oon`. A file shows
        this as JSON, which spells a tab `\\t` and a line break `\\n`. Now the words `the` and
        `noon` can be read in the file, though the script did not pass them."""
        trial = CitingTrial()
        trial.run("/bin/ship", "\the\nvault opens \noon")
        trial.read(
            "/docs/Secret.md", '{"kept": true, "note": "\\the\\nvault opens \\noon"}'
        )

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

    def test_a_text_that_a_program_of_unknown_kind_prints_later_proves_nothing(
        self,
    ) -> None:
        """Nobody knows whether `/bin/odd` stores what it is given."""
        trial = CitingTrial()
        trial.run("/bin/odd", "the vault opens at noon")
        trial.run("/bin/odd", stdout="the vault opens at noon")

        assert not trial.can_cite("/bin/odd", reason="the vault opens at noon")

    def test_the_text_of_a_run_that_failed_may_have_been_stored(self) -> None:
        """The error `unknown` does not tell whether the program has stored its argument."""
        trial = CitingTrial()
        trial.fail(
            "exec",
            {"path": "/bin/ship", "args": ["the vault opens at noon"], "stdin": ""},
            code="unknown",
        )
        trial.read("/docs/Secret.md", "the vault opens at noon")

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


class TestStoredPieces:
    """Words that a program may put together from the script's pieces prove nothing.

    The script passes halves of words, a number in another format, or more words than the log can
    keep.
    """

    def test_a_word_that_was_stored_in_two_halves_proves_nothing(self) -> None:
        """The program could put the pieces together again. `va` and `ult` are passed in two runs,
        `no` and `on` in two arguments of one run."""
        trial = CitingTrial()
        trial.run("/bin/ship", "the va")
        trial.run("/bin/ship", "ult opens at no", "on")
        trial.read("/docs/Secret.md", "the vault opens at noon")

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

    def test_a_stored_number_in_another_format_proves_nothing(self) -> None:
        """`4471.00`, which the script passed, and `4,471.00` in the file are the same number."""
        trial = CitingTrial()
        trial.run("/bin/ship", "4471.00")
        trial.read("/docs/Secret.md", "4,471.00")

        assert not trial.can_cite("/docs/Secret.md", reason="4,471 were counted")

    def test_a_text_proves_nothing_once_more_words_were_passed_than_are_kept(
        self,
    ) -> None:
        """The log keeps at most `MOST_OWN_WORDS` words that the script passed. Beyond that, every
        text may be the script's own, so it proves nothing."""
        trial = CitingTrial()
        too_many_words = " ".join(
            f"w{number}" for number in range(bounds.MOST_OWN_WORDS + 1)
        )
        trial.run("/bin/ship", stdin=too_many_words)
        trial.run("/bin/ship", "the vault opens at noon")
        trial.read("/docs/Secret.md", "the vault opens at noon")

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


class TestShownWords:
    """Words that the environment showed first are not the script's, and can be cited.

    The script cites a file because "it opens at seven". The environment has shown "The archive
    opens at seven." before the script passed on any of these words.
    """

    def test_a_file_that_was_read_before_it_was_written_is_citable(self) -> None:
        """The reason names something of the text that stood in the file before the script wrote
        it."""
        trial = CitingTrial()
        trial.read("/docs/Secret.md", "The archive opens at seven.")
        trial.write("/docs/Secret.md", "the vault opens at noon")
        trial.read("/docs/Secret.md", "the vault opens at noon")

        assert trial.can_cite("/docs/Secret.md", reason="it opens at seven")

    def test_a_file_of_which_the_script_wrote_a_copy_is_citable(self) -> None:
        """The script copies the text of one file, and then reads a second file with the same text.
        The environment showed the text first."""
        trial = CitingTrial()
        trial.read("/docs/Loans.md", "The archive opens at seven.")
        trial.write("/tmp/x", "The archive opens at seven.")
        trial.read("/docs/Secret.md", "The archive opens at seven.")

        assert trial.can_cite("/docs/Secret.md", reason="it opens at seven")

    def test_a_stored_text_that_was_seen_before_is_citable(self) -> None:
        """The script has read the words in one file before it passed them on, so they are not its
        own."""
        trial = CitingTrial()
        trial.read("/docs/Loans.md", "The archive opens at seven.")
        trial.run("/bin/ship", "The archive opens at seven.")
        trial.read("/docs/Secret.md", "The archive opens at seven.")

        assert trial.can_cite("/docs/Secret.md", reason="it opens at seven")

    def test_a_listed_file_is_citable_if_a_name_in_another_case_was_written(
        self,
    ) -> None:
        """In this environment, `/docs/SECRET.md` and `/docs/Secret.md` may be two files. The script
        wrote the first one, and read and cites the second one."""
        trial = CitingTrial()
        trial.find("/docs/Secret.md")
        trial.write("/docs/SECRET.md", "the vault opens at noon")
        trial.read("/docs/Secret.md", "The archive opens at seven.")

        assert trial.can_cite("/docs/Secret.md", reason="it opens at seven")

    def test_a_sentence_about_an_id_that_the_script_passed_is_citable(self) -> None:
        """Only the id `b-104` is the script's own. That it was shipped is said by the file
        alone."""
        trial = CitingTrial()
        trial.run("/bin/ship", "b-104", "3")
        trial.read("/docs/Secret.md", "b-104 was shipped")

        assert trial.can_cite("/docs/Secret.md", reason="b-104 was shipped")

"""Words that a script wrote into a file prove nothing, wherever it reads them later.

An answer cites files, each with a reason. The citation is accepted if a call has shown what the
reason names. So a script could write "the vault opens at noon" into a file, read this or another
file, and cite it for these words. The log knows what the script wrote, and refuses.
"""

from __future__ import annotations

from controlplane.sandbox.interface import bounds
from tests.agent.evidence.log.citing_trial import CitingTrial


class TestWrittenFiles:
    """A file that the script wrote cannot be cited for its own words.

    The script writes "the vault opens at noon", and reads this file again.
    """

    def test_a_written_file_that_is_read_back_proves_nothing(self) -> None:
        """The words in the file are those that the script has written."""
        trial = CitingTrial()
        trial.write("/tmp/x", "the vault opens at noon")
        trial.read("/tmp/x", "the vault opens at noon")

        assert not trial.can_cite("/tmp/x", reason="the vault opens at noon")

    def test_a_written_file_that_a_program_prints_proves_nothing(self) -> None:
        """`/bin/show` prints the file that the script has written."""
        trial = CitingTrial()
        trial.write("/tmp/x", "the vault opens at noon")
        trial.run("/bin/show", "/tmp/x", stdout="the vault opens at noon")

        assert not trial.can_cite("/tmp/x", reason="the vault opens at noon")

    def test_a_written_file_that_is_read_decoded_proves_nothing(self) -> None:
        """The script hides that it reads its own file. It has written `\\u0076` for the letter v,
        which the environment decodes, and it reads the file by the same path in capitals."""
        trial = CitingTrial()
        trial.write("/tmp/x.json", '{"note": "the \\u0076ault opens at noon"}')
        trial.read("/TMP/X.json", '{"note": "the vault opens at noon"}')

        assert not trial.can_cite("/tmp/x.json", reason="the vault opens at noon")

    def test_a_written_file_whose_name_imitates_a_row_proves_nothing(self) -> None:
        """The script writes a file whose name is `/docs/Loans.md#row=1`. In a citation, this also
        means row 1 of the file `/docs/Loans.md`, which the script did not write."""
        trial = CitingTrial()
        path_like_a_row = "/docs/Loans.md#row=1"
        trial.write(path_like_a_row, "the vault opens at noon")
        trial.read(path_like_a_row, "the vault opens at noon")

        assert not trial.can_cite(path_like_a_row, reason="the vault opens at noon")

    def test_the_output_of_a_written_program_proves_nothing(self) -> None:
        """The script has written the program itself, so it decides what it prints."""
        trial = CitingTrial()
        trial.write("/bin/odd", "the vault opens at noon")
        trial.run("/bin/odd", stdout="the vault opens at noon")

        assert not trial.can_cite("/bin/odd", reason="the vault opens at noon")


class TestUncertainWriting:
    """A file cannot be cited if the script may have written what it says.

    The writing has seemed to fail, a program has made the file anew, or the log has no room to keep
    all that was written.
    """

    def test_a_file_whose_writing_seemed_to_fail_proves_nothing(self) -> None:
        """The error `unknown` does not tell whether the words were written."""
        trial = CitingTrial()
        arguments = {"path": "/docs/Secret.md", "content": "the vault opens at noon"}
        trial.fail("write", arguments, code="unknown")
        trial.read("/docs/Secret.md", "the vault opens at noon")

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

    def test_a_file_that_was_deleted_and_made_anew_proves_nothing(self) -> None:
        """`/bin/ship` may have made a new file at this path, with the script's words in it."""
        trial = CitingTrial()
        trial.delete("/docs/Secret.md")
        trial.run("/bin/ship", "/docs/Secret.md")
        trial.read("/docs/Secret.md", "the vault opens at noon")

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

    def test_a_file_proves_nothing_once_more_was_written_than_is_kept(self) -> None:
        """The log keeps what the script wrote, to recognise it later, up to `MOST_EVIDENCE_BYTES`.
        Here ten files of a tenth each fill it, since a text also takes some bytes beside its
        characters. Any later text could be one that was written and not kept, so none is
        accepted."""
        trial = CitingTrial()
        chars_of_file = bounds.MOST_EVIDENCE_BYTES // 10
        for digit in "0123456789":
            trial.write(f"/tmp/{digit}", digit * chars_of_file)
        trial.read("/docs/Secret.md", "The archive opens at seven.")

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")
        assert not trial.can_cite("/docs/Secret.md", reason="it opens at seven")


class TestCopies:
    """A file cannot be cited for the script's words if they may have been copied to it.

    The script writes into `/tmp/x`, and cites `/docs/Secret.md`. `/bin/ship` is a program that may
    change any file.
    """

    def test_a_written_file_that_is_shown_under_another_name_proves_nothing(
        self,
    ) -> None:
        """The script reads its own file, and the environment says that it is another one, for
        example because one path is a link to the other."""
        trial = CitingTrial()
        trial.write("/tmp/x", "the vault opens at noon")
        result = {"path": "/docs/Secret.md", "content": "the vault opens at noon"}
        trial.call("read", {"path": "/tmp/x"}, result)

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

    def test_a_copy_of_a_written_file_proves_nothing(self) -> None:
        """`/bin/ship` has copied the script's own file over another one. The copy ends with a line
        break, so the two texts are not the same."""
        trial = CitingTrial()
        trial.write("/tmp/x", "the vault opens at noon")
        trial.run("/bin/ship", "/tmp/x", "/docs/Secret.md")
        trial.read("/docs/Secret.md", "the vault opens at noon\n")

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

    def test_a_copy_of_a_written_file_with_a_further_line_proves_nothing(self) -> None:
        """`/bin/ship` has put a line of its own, "page 1", before the script's words."""
        trial = CitingTrial()
        trial.write("/tmp/x", "the vault opens at noon")
        trial.run("/bin/ship", "/tmp/x")
        trial.read("/docs/Secret.md", "page 1\nthe vault opens at noon\n")

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

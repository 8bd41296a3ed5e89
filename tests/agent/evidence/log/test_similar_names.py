"""Files whose names look like that of another file.

A script has written or read one of them, and cites the other one: it has written
`/docs/Secret.md#row=7`, which is a file of this name, and cites `/docs/Secret.md`. The two must not be
taken for one another.
"""

from __future__ import annotations

import pytest

from controlplane.sandbox.interface import bounds
from tests.agent.evidence.log.citing_trial import CitingTrial


class TestWrittenNames:
    """Writing a file does not make another one with a similar name citable.

    The script writes "the vault opens at noon" into one file, and cites the other one for it.
    """

    def test_writing_a_name_that_imitates_a_row_does_not_make_the_file_citable(
        self,
    ) -> None:
        """The written file is not row 7 of the cited file, but its name looks like it."""
        trial = CitingTrial()
        trial.write("/docs/Secret.md#row=7", "the vault opens at noon")

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

    @pytest.mark.parametrize(
        ("listed_path", "written_path"),
        [
            pytest.param(
                "/docs/Secret.md", "/docs/Secret.md ", id="a blank at the end"
            ),
            pytest.param("/docs/Secret.md", "/docs/secret.md", id="another case"),
            pytest.param("/docs/k.md", "/docs/\u212a.md", id="the Kelvin sign for a k"),
            pytest.param(
                "/docs/Secret.md",
                "/tmp/Secret.md",
                id="the same name in another folder",
            ),
        ],
    )
    def test_writing_a_similar_name_does_not_make_a_listed_file_citable(
        self, listed_path: str, written_path: str
    ) -> None:
        """A search has shown that the cited file exists. The script writes a file with another
        name, and must not be taken to have written the cited one."""
        trial = CitingTrial()
        trial.find(listed_path)
        trial.write(written_path, "the vault opens at noon")

        assert not trial.can_cite(listed_path, reason="the vault opens at noon")

    def test_writing_a_name_with_an_invisible_sign_does_not_make_a_file_citable(
        self,
    ) -> None:
        """On a screen, the written path looks like the cited one: U+200B is a space without
        width."""
        trial = CitingTrial()
        trial.write("/docs/Sec\u200bret.md", "the vault opens at noon")

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

    def test_a_deleted_file_does_not_make_its_neighbour_citable(self) -> None:
        """The script deleted `/docs/Secret.md.bak`, and claims to have deleted
        `/docs/Secret.md`."""
        trial = CitingTrial()
        trial.delete("/docs/Secret.md.bak")

        assert not trial.can_cite("/docs/Secret.md", reason="deleted as asked")


class TestNamesakes:
    """A file of the same name in another folder proves nothing if the script wrote it.

    A model may read `/Loans.md` and mean `/docs/Loans.md`, the only listed file with this name. So
    reading `/tmp/Secret.md` could count as reading `/docs/Secret.md`.
    """

    def test_reading_a_namesake_whose_writing_seemed_to_fail_proves_nothing(
        self,
    ) -> None:
        """1. `/docs/Secret.md` is listed. `/tmp` is listed as well, and has no file of this name.
        2. The script writes `/tmp/Secret.md`. The call fails, but the file may be there all the
        same.
        3. The script reads its words at `/tmp/Secret.md`, and cites `/docs/Secret.md` for them."""
        trial = CitingTrial()
        trial.find("/docs/Secret.md")
        trial.list("/tmp", "/tmp/x")
        arguments = {"path": "/tmp/Secret.md", "content": "the vault opens at noon"}
        trial.fail("write", arguments, code="unknown")

        trial.read("/tmp/Secret.md", "the vault opens at noon")

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

    def test_reading_a_written_namesake_proves_nothing_even_with_too_many_names(
        self,
    ) -> None:
        """The same, but the writing succeeds, and the log cannot note the new name: a folder with
        as many files as it can keep names (`MOST_LISTED_PATHS`) was listed before."""
        trial = CitingTrial()
        trial.find("/docs/Secret.md")
        trial.list("/tmp")
        many_paths = [f"/many/{number}" for number in range(bounds.MOST_LISTED_PATHS)]
        trial.list("/many", *many_paths)
        trial.write("/tmp/Secret.md", "the vault opens at noon")

        trial.read("/tmp/Secret.md", "the vault opens at noon")

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


class TestReadNames:
    """Reading a file does not make another one with a similar name citable.

    In a citation, `/docs/Loans.md#row=1` or `/docs/Loans.md#1` is row 1 of the file
    `/docs/Loans.md`, unless there is a file of this name.
    """

    def test_a_file_whose_name_imitates_a_row_does_not_stand_for_the_file(self) -> None:
        """Here `/docs/Secret.md#row=7` is a file. Reading it shows nothing of `/docs/Secret.md`."""
        trial = CitingTrial()
        trial.read("/docs/Secret.md#row=7", "the vault opens at noon")

        assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

    def test_a_listed_file_whose_name_imitates_a_row_must_be_read_itself(self) -> None:
        """The listing shows that `/docs/Loans.md#1` is a file, and not row 1 of `/docs/Loans.md`.
        Only the latter was read."""
        trial = CitingTrial()
        trial.list("/docs", "/docs/Loans.md", "/docs/Loans.md#1")
        trial.read("/docs/Loans.md", "The archive opens at seven.")

        assert not trial.can_cite("/docs/Loans.md#1", reason="it opens at seven")

    def test_a_path_with_dots_does_not_stand_for_another_file(self) -> None:
        """`/docs/../docs/Secret.md` is `/docs/Secret.md`, which was not read. Another file was."""
        trial = CitingTrial()
        trial.read("/docs/Loans.md", "The archive opens at seven.")

        path_with_dots = "/docs/../docs/Secret.md"
        assert not trial.can_cite(path_with_dots, reason="it opens at seven")
        assert not trial.can_cite(path_with_dots, reason="the vault opens at noon")

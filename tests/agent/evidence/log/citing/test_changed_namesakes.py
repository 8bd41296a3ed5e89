"""A file that a script wrote or deleted is not taken for a file with a similar name.

The script has written `/docs/Secret.md#row=7`, which is a file of this name and not a row, and cites
`/docs/Secret.md`.
"""

import pytest

from tests.agent.evidence.log.citing_trial import CitingTrial


def test_writing_a_name_that_imitates_a_row_does_not_make_the_file_citable() -> None:
    """The written file is not row 7 of the cited file, but its name looks like it."""
    trial = CitingTrial()
    trial.write("/docs/Secret.md#row=7", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


@pytest.mark.parametrize(
    ("listed_path", "written_path"),
    [
        pytest.param("/docs/Secret.md", "/docs/Secret.md ", id="a blank at the end"),
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
    listed_path: str, written_path: str
) -> None:
    """A search has shown that the cited file exists. The script writes a file with another
    name, and must not be taken to have written the cited one."""
    trial = CitingTrial()
    trial.find(listed_path)
    trial.write(written_path, "the vault opens at noon")

    assert not trial.can_cite(listed_path, reason="the vault opens at noon")


def test_writing_a_name_with_an_invisible_sign_does_not_make_a_file_citable() -> None:
    """On a screen, the written path looks like the cited one: U+200B is a space without
    width."""
    trial = CitingTrial()
    trial.write("/docs/Sec\u200bret.md", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_deleted_file_does_not_make_its_neighbour_citable() -> None:
    """The script deleted `/docs/Secret.md.bak`, and claims to have deleted
    `/docs/Secret.md`."""
    trial = CitingTrial()
    trial.delete("/docs/Secret.md.bak")

    assert not trial.can_cite("/docs/Secret.md", reason="deleted as asked")

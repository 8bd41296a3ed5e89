"""A file that was read is not taken for another file, whose path is similar.

In a citation, `#` separates a row from its file, but a file's name may have one, too: `/docs/Loans.md#1`
may be row 1 of `/docs/Loans.md`, or another file.
"""

from tests.agent.evidence.log.citing_trial import CitingTrial


def test_a_file_whose_name_imitates_a_row_does_not_stand_for_the_file() -> None:
    """Here `/docs/Secret.md#row=7` is a file. Reading it shows nothing of `/docs/Secret.md`."""
    trial = CitingTrial()
    trial.read("/docs/Secret.md#row=7", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_listed_file_whose_name_imitates_a_row_must_be_read_itself() -> None:
    """The listing shows that `/docs/Loans.md#1` is a file, and not row 1 of `/docs/Loans.md`.
    Only the latter was read."""
    trial = CitingTrial()
    trial.list("/docs", "/docs/Loans.md", "/docs/Loans.md#1")
    trial.read("/docs/Loans.md", "The archive opens at seven.")

    assert not trial.can_cite("/docs/Loans.md#1", reason="it opens at seven")


def test_a_path_with_dots_does_not_stand_for_another_file() -> None:
    """`/docs/../docs/Secret.md` is `/docs/Secret.md`, which was not read. Another file was."""
    trial = CitingTrial()
    trial.read("/docs/Loans.md", "The archive opens at seven.")

    path_with_dots = "/docs/../docs/Secret.md"
    assert not trial.can_cite(path_with_dots, reason="it opens at seven")
    assert not trial.can_cite(path_with_dots, reason="the vault opens at noon")

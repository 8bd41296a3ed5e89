"""Paths that can be cited: rows of a file, names with a hash sign, and what the script itself did.

In a citation, `#` separates a row from its file, `/docs/Loans.md#row=1`, but a file's name may have
one, too.
"""

from tests.agent.evidence.log.citing_trial import CitingTrial


def test_a_row_of_a_read_file_is_citable() -> None:
    trial = CitingTrial()
    trial.read("/docs/Loans.md", "The archive opens at seven.")

    assert trial.can_cite("/docs/Loans.md#row=1", reason="it opens at seven")


def test_a_file_whose_name_has_a_hash_sign_is_citable() -> None:
    trial = CitingTrial()
    trial.read("/notes/a#b.txt", "The archive opens at seven.")

    assert trial.can_cite("/notes/a#b.txt", reason="it opens at seven")


def test_a_written_file_is_citable_as_written() -> None:
    trial = CitingTrial()
    trial.write("/tmp/x", "the vault opens at noon")

    assert trial.can_cite("/tmp/x", reason="written as asked")


def test_a_program_that_ran_is_citable_as_run() -> None:
    trial = CitingTrial()
    trial.run("/bin/query", "select 1", stdout="1")

    assert trial.can_cite("/bin/query", reason="the query that was run")

"""A file that the script wrote proves nothing by its own words, however they are read again.

A citation has a reason, and is accepted if a call has shown what the reason names.
"""

from tests.agent.evidence.log.citing_trial import CitingTrial


def test_a_file_that_the_script_did_not_write_proves_what_it_says() -> None:
    trial = CitingTrial()
    trial.read("/tmp/x", "the vault opens at noon")

    assert trial.can_cite("/tmp/x", reason="the vault opens at noon")


def test_a_written_file_that_is_read_back_proves_nothing() -> None:
    """The words in the file are those that the script has written."""
    trial = CitingTrial()
    trial.write("/tmp/x", "the vault opens at noon")
    trial.read("/tmp/x", "the vault opens at noon")

    assert not trial.can_cite("/tmp/x", reason="the vault opens at noon")


def test_a_written_file_that_a_program_prints_proves_nothing() -> None:
    """`/bin/show` prints the file that the script has written."""
    trial = CitingTrial()
    trial.write("/tmp/x", "the vault opens at noon")
    trial.run("/bin/show", "/tmp/x", stdout="the vault opens at noon")

    assert not trial.can_cite("/tmp/x", reason="the vault opens at noon")


def test_a_written_file_that_is_read_decoded_proves_nothing() -> None:
    """The script hides that it reads its own file. It has written `\\u0076` for the letter v,
    which the environment decodes, and it reads the file by the same path in capitals."""
    trial = CitingTrial()
    trial.write("/tmp/x.json", '{"note": "the \\u0076ault opens at noon"}')
    trial.read("/TMP/X.json", '{"note": "the vault opens at noon"}')

    assert not trial.can_cite("/tmp/x.json", reason="the vault opens at noon")


def test_a_written_file_whose_name_imitates_a_row_proves_nothing() -> None:
    """The script writes a file whose name is `/docs/Loans.md#row=1`. In a citation, this also
    means row 1 of the file `/docs/Loans.md`, which the script did not write."""
    trial = CitingTrial()
    path_like_a_row = "/docs/Loans.md#row=1"
    trial.write(path_like_a_row, "the vault opens at noon")
    trial.read(path_like_a_row, "the vault opens at noon")

    assert not trial.can_cite(path_like_a_row, reason="the vault opens at noon")


def test_the_output_of_a_written_program_proves_nothing() -> None:
    """The script has written the program itself, so it decides what it prints."""
    trial = CitingTrial()
    trial.write("/bin/odd", "the vault opens at noon")
    trial.run("/bin/odd", stdout="the vault opens at noon")

    assert not trial.can_cite("/bin/odd", reason="the vault opens at noon")

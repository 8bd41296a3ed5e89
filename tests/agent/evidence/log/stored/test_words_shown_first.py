"""Words that the environment showed before the script passed them on are not the script's.

`/bin/ship` may write what it is given into any file. The environment has shown "The archive opens at
seven." first, so a file with this text can be cited because "it opens at seven".
"""

from tests.agent.evidence.log.citing_trial import CitingTrial


def test_a_file_that_was_read_before_it_was_written_is_citable() -> None:
    """The reason names something of the text that stood in the file before the script wrote
    it."""
    trial = CitingTrial()
    trial.read("/docs/Secret.md", "The archive opens at seven.")
    trial.write("/docs/Secret.md", "the vault opens at noon")
    trial.read("/docs/Secret.md", "the vault opens at noon")

    assert trial.can_cite("/docs/Secret.md", reason="it opens at seven")


def test_a_file_of_which_the_script_wrote_a_copy_is_citable() -> None:
    """The script copies the text of one file, and then reads a second file with the same text.
    The environment showed the text first."""
    trial = CitingTrial()
    trial.read("/docs/Loans.md", "The archive opens at seven.")
    trial.write("/tmp/x", "The archive opens at seven.")
    trial.read("/docs/Secret.md", "The archive opens at seven.")

    assert trial.can_cite("/docs/Secret.md", reason="it opens at seven")


def test_a_stored_text_that_was_seen_before_is_citable() -> None:
    """The script has read the words in one file before it passed them on, so they are not its
    own."""
    trial = CitingTrial()
    trial.read("/docs/Loans.md", "The archive opens at seven.")
    trial.run("/bin/ship", "The archive opens at seven.")
    trial.read("/docs/Secret.md", "The archive opens at seven.")

    assert trial.can_cite("/docs/Secret.md", reason="it opens at seven")


def test_a_listed_file_is_citable_if_a_name_in_another_case_was_written() -> None:
    """In this environment, `/docs/SECRET.md` and `/docs/Secret.md` may be two files. The script
    wrote the first one, and read and cites the second one."""
    trial = CitingTrial()
    trial.find("/docs/Secret.md")
    trial.write("/docs/SECRET.md", "the vault opens at noon")
    trial.read("/docs/Secret.md", "The archive opens at seven.")

    assert trial.can_cite("/docs/Secret.md", reason="it opens at seven")


def test_a_sentence_about_an_id_that_the_script_passed_is_citable() -> None:
    """Only the id `b-104` is the script's own. That it was shipped is said by the file
    alone."""
    trial = CitingTrial()
    trial.run("/bin/ship", "b-104", "3")
    trial.read("/docs/Secret.md", "b-104 was shipped")

    assert trial.can_cite("/docs/Secret.md", reason="b-104 was shipped")

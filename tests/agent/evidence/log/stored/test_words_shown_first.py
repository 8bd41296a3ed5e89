"""Words that the script writes are not its own if the environment has shown them before.

A script may have its own words shown by a file, and cite the file for them. To prevent that, words that
the script has written, or passed to a program, count for no citation. But if a call has shown them
first, the environment has them without the script, and a file with them may be cited.
"""

from tests.agent.evidence.log.citing_trial import CitingTrial


def test_a_file_is_citable_for_a_text_that_was_read_before_it_was_overwritten() -> None:
    """The answer may be about the old text, which is why the script replaced it."""
    trial = CitingTrial()
    trial.read("/docs/Secret.md", content="The archive opens at seven.")
    trial.write("/docs/Secret.md", content="the vault opens at noon")
    trial.read("/docs/Secret.md", content="the vault opens at noon")

    assert trial.can_cite("/docs/Secret.md", reason="it opens at seven")


def test_a_file_is_citable_for_a_text_that_was_read_elsewhere_and_written() -> None:
    """`/docs/Secret.md` may be a copy of `/tmp/x`, which the script wrote."""
    trial = CitingTrial()
    trial.read("/docs/Loans.md", content="The archive opens at seven.")
    trial.write("/tmp/x", content="The archive opens at seven.")
    trial.read("/docs/Secret.md", content="The archive opens at seven.")

    assert trial.can_cite("/docs/Secret.md", reason="it opens at seven")


def test_a_file_is_citable_for_a_text_that_was_read_elsewhere_and_passed_on() -> None:
    """`/bin/ship` may write its argument into any file, also into `/docs/Secret.md`."""
    trial = CitingTrial()
    trial.read("/docs/Loans.md", content="The archive opens at seven.")
    trial.run("/bin/ship", "The archive opens at seven.")
    trial.read("/docs/Secret.md", content="The archive opens at seven.")

    assert trial.can_cite("/docs/Secret.md", reason="it opens at seven")


def test_a_file_is_citable_for_a_sentence_about_an_id_that_was_passed_on() -> None:
    """The script has passed the id `b-104`, and not that it was shipped."""
    trial = CitingTrial()
    trial.run("/bin/ship", "b-104", "3")
    trial.read("/docs/Secret.md", content="b-104 was shipped")

    assert trial.can_cite("/docs/Secret.md", reason="b-104 was shipped")


def test_a_file_is_citable_if_a_name_in_another_case_was_written() -> None:
    """`/docs/SECRET.md` and `/docs/Secret.md` may be two files here. A search has found the second
    one, which the script has not written."""
    trial = CitingTrial()
    trial.find("/docs/Secret.md")
    trial.write("/docs/SECRET.md", content="the vault opens at noon")
    trial.read("/docs/Secret.md", content="The archive opens at seven.")

    assert trial.can_cite("/docs/Secret.md", reason="it opens at seven")

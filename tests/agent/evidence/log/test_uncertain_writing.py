"""A file proves nothing if the script may have written what it says.

The file may have been written by a call that seemed to fail, or by a program. Or the script has written
more than the log keeps, so that nobody knows any more what it wrote.
"""

from controlplane.sandbox.interface import bounds
from tests.agent.evidence.log.citing_trial import CitingTrial


def test_a_file_whose_writing_seemed_to_fail_proves_nothing() -> None:
    """The error `unknown` does not tell whether the words were written."""
    trial = CitingTrial()
    arguments = {"path": "/docs/Secret.md", "content": "the vault opens at noon"}
    trial.fail("write", arguments, code="unknown")
    trial.read("/docs/Secret.md", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_file_that_was_deleted_and_made_anew_proves_nothing() -> None:
    """`/bin/ship` may change any file. It may have made this one anew, with whatever text the
    script wanted there."""
    trial = CitingTrial()
    trial.delete("/docs/Secret.md")
    trial.run("/bin/ship", "/docs/Secret.md")
    trial.read("/docs/Secret.md", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_file_proves_nothing_once_more_was_written_than_is_kept() -> None:
    """The log keeps up to `MOST_EVIDENCE_BYTES` of what the script wrote, to recognise it later.
    Ten files of a tenth each have more, since a text takes some bytes beside its characters.
    Any later text could be one that was written and not kept, so even a true one is refused."""
    trial = CitingTrial()
    chars_of_file = bounds.MOST_EVIDENCE_BYTES // 10
    for digit in "0123456789":
        trial.write(f"/tmp/{digit}", digit * chars_of_file)
    trial.read("/docs/Secret.md", "The archive opens at seven.")

    assert not trial.can_cite("/docs/Secret.md", reason="it opens at seven")
    # Nor can the file be cited for words that it does not have.
    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

"""A file proves nothing if the script may have written what it says.

The writing has seemed to fail, a program has made the file anew, or the log has no room to keep all that
was written.
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
    """`/bin/ship` may have made a new file at this path, with the script's words in it."""
    trial = CitingTrial()
    trial.delete("/docs/Secret.md")
    trial.run("/bin/ship", "/docs/Secret.md")
    trial.read("/docs/Secret.md", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_file_proves_nothing_once_more_was_written_than_is_kept() -> None:
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

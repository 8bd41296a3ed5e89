"""A file of the same name in another folder proves nothing if the script may have written it.

A model may read `/Secret.md` and mean `/docs/Secret.md`, the only listed file with this name. So what
it reads there counts for the listed file, unless the words may be the script's own.
"""

from controlplane.sandbox.interface import bounds
from tests.agent.evidence.log.citing_trial import CitingTrial


def test_reading_a_namesake_that_nobody_wrote_counts_for_the_listed_file() -> None:
    """`/tmp` was listed, and has no such file. So the environment must have shown the other one."""
    trial = CitingTrial()
    trial.find("/docs/Secret.md")
    trial.list("/tmp", "/tmp/x")

    trial.read("/tmp/Secret.md", "the vault opens at noon")

    assert trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_reading_a_namesake_whose_writing_seemed_to_fail_proves_nothing() -> None:
    """The error `unknown` does not tell whether the file is there, with the script's words."""
    trial = CitingTrial()
    trial.find("/docs/Secret.md")
    trial.list("/tmp", "/tmp/x")
    arguments = {"path": "/tmp/Secret.md", "content": "the vault opens at noon"}
    trial.fail("write", arguments, code="unknown")

    trial.read("/tmp/Secret.md", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_reading_a_written_namesake_proves_nothing_if_the_log_is_full_of_names() -> (
    None
):
    """The log has noted as many names as it can, so the new name `/tmp/Secret.md` is not among
    them."""
    trial = CitingTrial()
    trial.find("/docs/Secret.md")
    trial.list("/tmp")
    many_paths = [f"/many/{number}" for number in range(bounds.MOST_LISTED_PATHS)]
    trial.list("/many", *many_paths)
    trial.write("/tmp/Secret.md", "the vault opens at noon")

    trial.read("/tmp/Secret.md", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

"""Reading a path that does not exist may count as reading the only file with the same name.

Some environments correct a wrong path: a model reads `/tmp/Secret.md`, where no file is, and gets the
text of `/docs/Secret.md`, the only file with this name. The text then counts for `/docs/Secret.md`, unless
the script may have written it at the wrong path.
"""

from controlplane.sandbox.interface import bounds
from tests.agent.evidence.log.citing_trial import CitingTrial


def test_reading_a_namesake_that_nobody_wrote_counts_for_the_found_file() -> None:
    """The list of `/tmp` has only `/tmp/x`. So the environment must have corrected the path."""
    trial = CitingTrial()
    trial.find("/docs/Secret.md")
    trial.list("/tmp", "/tmp/x")

    trial.read("/tmp/Secret.md", "the vault opens at noon")

    assert trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_reading_a_namesake_whose_writing_seemed_to_fail_proves_nothing() -> None:
    """The error `unknown` does not tell if the file was written. It may have the script's words."""
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
    """The log notes the names of existing files, up to a limit. It has no room for the file that
    the script writes. All the same, it must not take `/tmp/Secret.md` for a wrong path."""
    trial = CitingTrial()
    trial.find("/docs/Secret.md")
    trial.list("/tmp")
    many_paths = [f"/many/{number}" for number in range(bounds.MOST_LISTED_PATHS)]
    trial.list("/many", *many_paths)
    trial.write("/tmp/Secret.md", "the vault opens at noon")

    trial.read("/tmp/Secret.md", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

"""A file proves nothing by words of the script that may have been copied to it.

The script writes into `/tmp/x`, and cites `/docs/Secret.md`. `/bin/ship` is a program that may change
any file.
"""

from tests.agent.evidence.log.citing_trial import CitingTrial


def test_a_file_is_believed_if_the_script_wrote_something_else() -> None:
    trial = CitingTrial()
    trial.write("/tmp/x", "the garden is closed")
    trial.run("/bin/ship", "/tmp/x", "/docs/Secret.md")
    trial.read("/docs/Secret.md", "the vault opens at noon")

    assert trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_written_file_that_is_shown_under_another_name_proves_nothing() -> None:
    """The script reads its own file, and the environment says that it is another one, for
    example because one path is a link to the other."""
    trial = CitingTrial()
    trial.write("/tmp/x", "the vault opens at noon")
    result = {"path": "/docs/Secret.md", "content": "the vault opens at noon"}
    trial.call("read", {"path": "/tmp/x"}, result)

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_written_file_that_is_shown_translated_under_another_name_proves_nothing() -> (
    None
):
    """The environment shows other words than those that the script has written, but of this file."""
    trial = CitingTrial()
    trial.write("/tmp/x", "gur inhyg bcraf ng abba")  # each letter moved by 13
    result = {"path": "/docs/Secret.md", "content": "the vault opens at noon"}
    trial.call("read", {"path": "/tmp/x"}, result)

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_copy_of_a_written_file_proves_nothing() -> None:
    """`/bin/ship` has copied the script's own file over another one. The copy ends with a line
    break, so the two texts are not the same."""
    trial = CitingTrial()
    trial.write("/tmp/x", "the vault opens at noon")
    trial.run("/bin/ship", "/tmp/x", "/docs/Secret.md")
    trial.read("/docs/Secret.md", "the vault opens at noon\n")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_copy_of_a_written_file_with_a_further_line_proves_nothing() -> None:
    """`/bin/ship` has put a line of its own, "page 1", before the script's words."""
    trial = CitingTrial()
    trial.write("/tmp/x", "the vault opens at noon")
    trial.run("/bin/ship", "/tmp/x")
    trial.read("/docs/Secret.md", "page 1\nthe vault opens at noon\n")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")

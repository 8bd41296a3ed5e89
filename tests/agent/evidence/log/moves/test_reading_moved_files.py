"""After a script has moved a file that it has not read before, reading the file proves nothing.

The text may be the script's own: a script could write a file, move it to `/docs`, and cite it there as
if it were the environment's. So the file does not count as read either.
"""

from tests.agent.evidence.log.moves.moving_trial import MovingTrial


def test_a_moved_file_that_was_not_read_before_proves_nothing() -> None:
    trial = MovingTrial()
    trial.move("/in/a.md", "/out/a.md")

    trial.read_text("/out/a.md", "approved by the board")

    assert not trial.has_proof("/out/a.md")


def test_a_moved_file_that_was_not_read_before_does_not_count_as_read() -> None:
    """The only actions of the two paths are those of the move: no path has the action `read`."""
    trial = MovingTrial()
    trial.move("/in/a.md", "/out/a.md")

    trial.read_text("/out/a.md", "approved by the board")

    assert trial.access_to("/in/a.md").actions == {"delete"}
    assert trial.access_to("/out/a.md").actions == {"write"}


def test_a_part_of_a_moved_file_that_was_not_read_before_proves_nothing() -> None:
    trial = MovingTrial()
    trial.move("/in/a.md", "/out/a.md")

    trial.read_second_line("/out/a.md", "approved by the board")

    assert not trial.has_proof("/out/a.md")
    assert trial.access_to("/out/a.md").actions == {"write"}


def test_a_written_file_proves_nothing_after_its_folder_was_moved() -> None:
    """The file `/drafts/own.md`, which the script wrote, is now `/docs/own.md`."""
    trial = MovingTrial()
    trial.write("/drafts/own.md", "the request is\napproved by the board")
    trial.move("/drafts", "/docs")

    trial.read_second_line("/docs/own.md", "approved by the board")

    assert not trial.has_proof("/docs/own.md")
    assert not trial.counts_as_read("/docs/own.md")

"""A move of a file is recorded as the deletion of one path, and the writing of another.

Some environments have a call `move(path, to)` for files and folders. An answer may later claim these
changes: `move("/in/a.md", "/out/a.md")` -> delete `/in/a.md`, write `/out/a.md`.
"""

from tests.agent.evidence.log.moves.moving_trial import MovingTrial


def test_a_move_is_recorded_as_two_changes() -> None:
    """It deletes the file at one path, and writes it at the other."""
    trial = MovingTrial()

    trial.move("/in/a.md", "/out/a.md")

    deletion, writing = trial.evidence.changes
    assert (deletion.path, deletion.action) == ("/in/a.md", "delete")
    assert (writing.path, writing.action) == ("/out/a.md", "write")


def test_a_move_of_a_folder_is_recorded_as_two_changes_of_the_folder() -> None:
    """Which files are in it is not known, so their paths are not recorded."""
    trial = MovingTrial()

    trial.move("/drafts", "/docs")

    deletion, writing = trial.evidence.changes
    assert (deletion.path, deletion.action) == ("/drafts", "delete")
    assert (writing.path, writing.action) == ("/docs", "write")


def test_moves_are_recorded_in_their_order() -> None:
    trial = MovingTrial()

    trial.move("/drafts", "/docs")
    trial.move("/in/a.md", "/out/a.md")

    changed_paths = [change.path for change in trial.evidence.changes]
    assert changed_paths == ["/drafts", "/docs", "/in/a.md", "/out/a.md"]


def test_a_move_without_a_target_is_recorded_as_a_deletion() -> None:
    """The environment may fill in the target itself, so the call does not say where the file
    is."""
    trial = MovingTrial()

    arguments = {"path": "/in/a.md"}
    trial.evidence_log.add_call("move", arguments, result={}, error=None)

    (deletion,) = trial.evidence.changes
    assert (deletion.path, deletion.action) == ("/in/a.md", "delete")

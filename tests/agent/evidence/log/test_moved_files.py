"""A file that was moved may have the script's own text, which proves nothing.

Some environments have a call `move(path, to)` for files and folders. A script could write a file,
move it to `/docs`, and cite it there as if it were the environment's. It could also read only the
second line at the new path, so that the text is not the one that it wrote.
"""

from __future__ import annotations

import pytest

from controlplane.sandbox.interface import (
    CallError,
    Effect,
    Operation,
    Parameter,
    ToolSchema,
)
from tests.gates.library_workspace import TOOL_SCHEMA
from tests.gates.recorded_calls import CallsOfTrial

MOVE = Operation(
    name="move",
    parameters=(Parameter("path", "str"), Parameter("to", "str")),
    fields=(),
    summary="moves a file or a folder",
    effect=Effect.MOVES,
    target="to",
)


class MovingTrial(CallsOfTrial):
    """The calls of a trial in an environment with the call `move`."""

    def __init__(self) -> None:
        super().__init__(ToolSchema((*TOOL_SCHEMA.operations, MOVE)))

    def move(self, path: str, to: str) -> None:
        self.evidence_log.add_call("move", {"path": path, "to": to}, {}, None)

    def move_with_timeout(self, path: str, to: str) -> None:
        """Call `move` and get no reply in time: the file may have been moved, or not."""
        timeout = CallError("deadline_exceeded", "late")
        self.evidence_log.add_call("move", {"path": path, "to": to}, None, timeout)

    def read_second_line(self, path: str, line: str) -> None:
        result = {"path": path, "content": line}
        self.record("read", {"path": path, "start_line": 2}, result)

    def counts_as_read(self, path: str) -> bool:
        """Return True if the trial has read a text there that is not its own."""
        return "read" in self.access_to(path).actions

    def has_proof(self, path: str) -> bool:
        """Return True if a text that was read there proves what it says."""
        return any(text.is_proof for text in self.access_to(path).seen)


class TestRecordedMoves:
    """A move is recorded as the deletion of one path, and the writing of another.

    `trial.move(path, to)` makes the call. An answer may later claim these changes.
    """

    def test_a_move_is_recorded_as_two_changes(self) -> None:
        """It deletes the file at one path, and writes it at the other."""
        trial = MovingTrial()

        trial.move("/in/a.md", "/out/a.md")

        deletion, writing = trial.evidence.changes
        assert (deletion.path, deletion.action) == ("/in/a.md", "delete")
        assert (writing.path, writing.action) == ("/out/a.md", "write")

    def test_a_move_of_a_folder_is_recorded_as_two_changes_of_the_folder(self) -> None:
        """Which files are in it is not known, so their paths are not recorded."""
        trial = MovingTrial()

        trial.move("/drafts", "/docs")

        deletion, writing = trial.evidence.changes
        assert (deletion.path, deletion.action) == ("/drafts", "delete")
        assert (writing.path, writing.action) == ("/docs", "write")

    def test_moves_are_recorded_in_their_order(self) -> None:
        trial = MovingTrial()

        trial.move("/drafts", "/docs")
        trial.move("/in/a.md", "/out/a.md")

        changed_paths = [change.path for change in trial.evidence.changes]
        assert changed_paths == ["/drafts", "/docs", "/in/a.md", "/out/a.md"]

    def test_a_move_without_a_target_is_recorded_as_a_deletion(self) -> None:
        """The environment may fill in the target itself, so the call does not say where the file
        is."""
        trial = MovingTrial()

        trial.evidence_log.add_call("move", {"path": "/in/a.md"}, {}, None)

        (deletion,) = trial.evidence.changes
        assert (deletion.path, deletion.action) == ("/in/a.md", "delete")


class TestReadingMovedFiles:
    """A text that is read at a file's new path proves nothing, and does not count as read.

    Nobody has seen the text before the move, so it may be the script's own.
    """

    def test_a_moved_file_that_was_not_read_before_proves_nothing(self) -> None:
        trial = MovingTrial()
        trial.move("/in/a.md", "/out/a.md")

        trial.read_second_line("/out/a.md", "approved")

        assert not trial.has_proof("/out/a.md")

    def test_reading_a_moved_file_does_not_count_as_reading_it(self) -> None:
        """The only actions of the two paths are those of the move."""
        trial = MovingTrial()
        trial.move("/in/a.md", "/out/a.md")

        trial.read_second_line("/out/a.md", "approved")

        assert trial.access_to("/in/a.md").actions == {"delete"}
        assert trial.access_to("/out/a.md").actions == {"write"}

    def test_a_written_file_proves_nothing_after_its_folder_was_moved(self) -> None:
        """The file `/drafts/own.md`, which the script wrote, is now `/docs/own.md`."""
        trial = MovingTrial()
        trial.write("/drafts/own.md", "the request is\napproved by the board")
        trial.move("/drafts", "/docs")

        trial.read_second_line("/docs/own.md", "approved by the board")

        assert not trial.has_proof("/docs/own.md")
        assert not trial.counts_as_read("/docs/own.md")


class TestUncertainMoves:
    """A file may have been moved even if the call failed, or named it in another case.

    `move_with_timeout` gets no reply in time. In many environments, `/Drafts` and `/drafts` are the
    same folder. So the script's own text may be at the new path, which does not count as read.
    """

    def test_a_file_proves_nothing_after_a_move_that_may_have_been_made(self) -> None:
        """The move has timed out. If it was made all the same, `/out/b.md` has a text that the
        script may have written at `/in/b.md`."""
        trial = MovingTrial()
        trial.move_with_timeout("/in/b.md", "/out/b.md")

        trial.read_text("/out/b.md", "approved by the board")

        assert not trial.counts_as_read("/out/b.md")

    def test_a_written_file_proves_nothing_if_another_spelling_was_moved(self) -> None:
        """The script writes into `/Drafts/Old`, and moves `/drafts/old`. In many environments, this
        is the same folder."""
        trial = MovingTrial()
        trial.write("/Drafts/Old/c.md", "the request is\napproved by the board")
        trial.move("/drafts/old", "/moved")

        trial.read_second_line("/moved/c.md", "approved by the board")

        assert not trial.counts_as_read("/moved/c.md")

    @pytest.mark.parametrize(
        "path_of_file",
        [
            pytest.param("/moved/c.md", id="moved by a name in another case"),
            pytest.param("/late/c.md", id="moved by a call that may have been made"),
        ],
    )
    def test_a_written_file_proves_nothing_wherever_its_folder_may_be(
        self, path_of_file: str
    ) -> None:
        """The script moves the folder twice. The first call spells its path in lower case, and the
        second one times out. So the file that it wrote may be at either place."""
        trial = MovingTrial()
        trial.write("/Drafts/Old/c.md", "the request is\napproved by the board")
        trial.move("/drafts/old", "/moved")
        trial.move_with_timeout("/Drafts/Old", "/late")

        trial.read_second_line(path_of_file, "approved by the board")

        assert not trial.counts_as_read(path_of_file)

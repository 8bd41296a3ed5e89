"""Records of loops: what `resume`, `report` and `improve apply` read, and when they refuse it.

`controlplane improve` edits a file of hints in a loop: a *proposer*, a model or a program, proposes new
hints, and tasks are played with them. The loop is recorded in `runs/improve-1/loop.jsonl`: its plan,
each proposal, and its result. `resume` would start the program that a record names as proposer, so each
line carries the user's *mark*: a signature with a key that only this user has.
"""

from pathlib import Path

import pytest

from controlplane.improving.candidates.candidate_id import id_of
from controlplane.improving.loop_lines import LoopEnded, LoopOpened, Proposed
from controlplane.improving.loop_record import LoopRecord
from tests.controlplane.improving.improve_command import PROPOSER
from tests.controlplane.improving.riddle_loop import OK, USAGE_ERROR, RiddleLoop
from tests.support.command import CommandResult, run_in_process

OLD_TEXTS = {"hints.txt": "old\n"}
NEW_TEXTS = {"hints.txt": "new\n"}


def record_finished_loop(folder: Path, *, hints_file: Path) -> None:
    """Write the record of a loop that improved a file of hints from "old" to "new".

    Its training, check and final tasks are the same: the task `a` in world 1. A world is what a
    benchmark makes of a seed.
    """
    tasks_in_worlds = ((1, "a"),)
    plan = LoopOpened(
        loop=folder.name,
        settings={},
        sources={},
        origins={"hints.txt": str(hints_file)},
        texts=OLD_TEXTS,
        proposer=PROPOSER,
        train=tasks_in_worlds,
        check=tasks_in_worlds,
        final=tasks_in_worlds,
        proposals=1,
        batch=1,
        seed=0,
    )
    record = LoopRecord(folder)
    with record.writing(plan):
        record.append(Proposed(parent=id_of(OLD_TEXTS), texts=NEW_TEXTS))
        record.append(LoopEnded(best=id_of(NEW_TEXTS), is_better=True, text="better"))


class TestForeignRecords:
    """A record was edited by somebody else, or is that of another loop.

    The plan of the loop here has `"proposer":"big"`, the name of a model. Somebody edits it to
    `"proposer":"command:evil"`: `resume` would start the program `evil`.
    """

    def test_a_record_that_was_edited_by_hand_is_not_acted_on(
        self, loop: RiddleLoop
    ) -> None:
        """Who edits the line has no key of the user, and so cannot sign it anew."""
        # A loop that may run for a millisecond stops at its beginning, and can be resumed.
        loop.improve("--run-time", "0.001")
        record_file = loop.record.folder / "loop.jsonl"
        original_lines = record_file.read_bytes()
        forged_lines = original_lines.replace(
            b'"proposer":"big"', b'"proposer":"command:evil"'
        )
        assert forged_lines != original_lines
        record_file.write_bytes(forged_lines)

        resumed = loop.command("resume", record_file.parent.name)

        assert resumed.code == USAGE_ERROR
        assert "does not carry your mark" in resumed.err

    @pytest.mark.parametrize(
        "command",
        [
            pytest.param(["report", "improve-2", "-o", "page.html"], id="report"),
            pytest.param(["resume", "improve-2"], id="resume"),
        ],
    )
    def test_the_record_of_another_loop_is_refused(
        self, command: list[str], tmp_path: Path
    ) -> None:
        """The folder of a loop has the loop's id for a name. This one was renamed."""
        runs = tmp_path / "runs"
        record_finished_loop(runs / "improve-1", hints_file=tmp_path / "hints.txt")
        (runs / "improve-1").rename(runs / "improve-2")

        result = run_in_process(*command, cwd=tmp_path)

        assert result.code == USAGE_ERROR
        assert "another loop, improve-1" in result.err


def apply_result(runs: Path, *, working_folder: Path) -> CommandResult:
    """Call the command that writes the result of the loop "improve-1" into the file that it
    improved."""
    return run_in_process(
        "improve",
        "apply",
        "improve-1",
        "--apply",
        "--runs-dir",
        runs,
        cwd=working_folder,
    )


class TestAppliedResults:
    """`improve apply` writes the result of a loop, "new", into the file that was "old".

    The record of the loop has both texts, and the path of the file that the loop improved.
    """

    def test_a_result_is_applied_to_the_file_that_the_loop_improved(
        self, tmp_path: Path
    ) -> None:
        """The command is called in another folder, which has a file of the same name."""
        for folder_name in ("here", "elsewhere"):
            (tmp_path / folder_name).mkdir()
            (tmp_path / folder_name / "hints.txt").write_text("old\n")
        improved_file = tmp_path / "here/hints.txt"
        other_file = tmp_path / "elsewhere/hints.txt"
        record_finished_loop(tmp_path / "runs/improve-1", hints_file=improved_file)

        result = apply_result(tmp_path / "runs", working_folder=tmp_path / "elsewhere")

        assert result.code == OK
        assert improved_file.read_text() == "new\n"
        assert other_file.read_text() == "old\n"

    def test_a_result_is_not_applied_over_later_edits(self, tmp_path: Path) -> None:
        """The loop began with the text "old". The error shows the user's edit."""
        hints_file = tmp_path / "hints.txt"
        record_finished_loop(tmp_path / "runs/improve-1", hints_file=hints_file)
        hints_file.write_text("edited by hand\n")

        result = apply_result(tmp_path / "runs", working_folder=tmp_path)

        assert result.code == USAGE_ERROR
        assert "+edited by hand" in result.err
        assert hints_file.read_text() == "edited by hand\n"

"""`improve apply` writes the result of a loop, "new", into the file that was "old".

The record of the loop has both texts, and the path of the file that the loop improved.
"""

from pathlib import Path

from controlplane.errors import UsageError
from tests.controlplane.improving.finished_loop_record import record_finished_loop
from tests.support.command import run_in_process


def test_a_result_is_applied_to_the_file_that_the_loop_improved(tmp_path: Path) -> None:
    """The command is called in another folder, which has a file of the same name."""
    for folder_name in ("here", "elsewhere"):
        (tmp_path / folder_name).mkdir()
        (tmp_path / folder_name / "hints.txt").write_text("old\n")
    runs = tmp_path / "runs"
    record_finished_loop(runs / "improve-1", hints_file=tmp_path / "here/hints.txt")

    apply = ("improve", "apply", "improve-1", "--apply", "--runs-dir", runs)
    result = run_in_process(*apply, cwd=tmp_path / "elsewhere")

    assert result.code == 0
    assert (tmp_path / "here/hints.txt").read_text() == "new\n"
    assert (tmp_path / "elsewhere/hints.txt").read_text() == "old\n"


def test_a_result_is_not_applied_over_later_edits(tmp_path: Path) -> None:
    """The loop began with the text "old". The error shows the user's edit."""
    hints_file = tmp_path / "hints.txt"
    record_finished_loop(tmp_path / "runs/improve-1", hints_file=hints_file)
    hints_file.write_text("edited by hand\n")

    apply = ("improve", "apply", "improve-1", "--apply")
    result = run_in_process(*apply, cwd=tmp_path)

    assert result.code == UsageError.exit_code
    assert "+edited by hand" in result.err
    assert hints_file.read_text() == "edited by hand\n"

"""The record of a loop is not acted on if somebody else edited it, or if it is that of another loop.

`controlplane improve` records its loop in `runs/improve-1/loop.jsonl`. `resume` starts the program that
the record names as *proposer*, which proposes new hints. So each line carries the user's *mark*: a
signature with a key that only this user has.
"""

from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.controlplane.improving.finished_loop_record import record_finished_loop
from tests.controlplane.improving.riddle_loop import RiddleLoop
from tests.support.command import run_in_process


def test_a_record_that_was_edited_by_hand_is_not_acted_on(loop: RiddleLoop) -> None:
    """`resume` would start the program `evil`. The line still has the mark of what it was before."""
    # A loop that may run for a millisecond stops at its beginning, and can be resumed.
    loop.improve("--run-time", "0.001")
    record_file = loop.record.folder / "loop.jsonl"
    original = record_file.read_text()
    assert '"proposer":"big"' in original  # the name of a model
    edited = original.replace('"proposer":"big"', '"proposer":"command:evil"')
    record_file.write_text(edited)

    resumed = loop.command("resume", record_file.parent.name)

    assert resumed.code == UsageError.exit_code
    assert "does not carry your mark" in resumed.err


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["report", "improve-2", "-o", "page.html"], id="report"),
        pytest.param(["resume", "improve-2"], id="resume"),
    ],
)
def test_the_record_of_another_loop_is_refused(
    command: list[str], tmp_path: Path
) -> None:
    """The folder of a loop has the loop's id for a name. This one was renamed."""
    runs = tmp_path / "runs"
    record_finished_loop(runs / "improve-1", hints_file=tmp_path / "hints.txt")
    (runs / "improve-1").rename(runs / "improve-2")

    result = run_in_process(*command, cwd=tmp_path)

    assert result.code == UsageError.exit_code
    assert "another loop, improve-1" in result.err

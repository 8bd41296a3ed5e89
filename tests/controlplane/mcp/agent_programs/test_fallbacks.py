"""A program that works on a task ends without an answer, so the product submits one of its own.

Such an answer is called a fallback. Its reason has the last line of the program:

    echo 'no such model' >&2; exit 3    ->    "... exit code 3 ...; its last line: no such model"
"""

from pathlib import Path

import pytest

from tests.controlplane.mcp.agent_programs.fee_task import run_program


def test_reason_of_a_fallback_has_the_last_line_of_the_program(tmp_path: Path) -> None:
    run = run_program(tmp_path, "echo 'no such model' >&2; exit 3")

    assert run.code == 1, run.err  # A trial has no answer.
    (trial,) = run.json["trials"]
    assert trial["state"] == "fallback"
    assert trial["reason"].startswith("the trial broke: ")
    assert (
        "exit code 3 and without an accepted answer; its last line: no such model"
    ) in trial["reason"]


def test_program_gets_its_task_on_standard_input(tmp_path: Path) -> None:
    """The variable CONTROLPLANE_RESUMED would say that the trial was resumed."""
    run = run_program(
        tmp_path,
        'test -z "$CONTROLPLANE_RESUMED" || exit 9\n'
        'grep -q "What is the fee?" && exit 3\n',
    )

    (trial,) = run.json["trials"]
    assert "exit code 3" in trial["reason"]


@pytest.mark.second_tier
def test_program_that_hangs_is_killed_at_the_end_of_the_trials_time(
    tmp_path: Path,
) -> None:
    run = run_program(tmp_path, "exec sleep 600", "--trial-time", "3")

    (trial,) = run.json["trials"]
    assert trial["state"] == "fallback"
    assert trial["reason"].startswith(
        "no answer within 3 s: the program was still at work"
    )
    assert "was killed" in (tmp_path / run.json["journal"]).read_text()

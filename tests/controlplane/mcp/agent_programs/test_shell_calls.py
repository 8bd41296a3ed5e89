"""A program with only a shell works on a task by the command `controlplane mcp call TOOL ARGUMENTS`.

For example:

    controlplane mcp call read '{"path": "/notes.md"}'    ->    fee: 7 EUR
"""

from pathlib import Path

from tests.controlplane.mcp.agent_programs.fee_task import run_program


def test_calls_of_a_program_are_steps_of_its_trial(tmp_path: Path) -> None:
    run = run_program(
        tmp_path,
        """
call() { "$PYTHON" -m controlplane mcp call "$@"; }
call execute_script '{"code": "print(harness.find(\\"*.md\\").paths)"}'
call read '{"path": "/notes.md"}'
""",
    )

    (trial,) = run.json["trials"]
    assert trial["steps"] >= 2
    journal = (tmp_path / run.json["journal"]).read_text()
    assert "/notes.md" in journal
    assert "fee: 7 EUR" in journal


def test_failed_call_of_a_program_is_recorded(tmp_path: Path) -> None:
    """The command `mcp call` fails, too: the program goes on behind `||`."""
    run = run_program(tmp_path, '"$PYTHON" -m controlplane mcp call nonsense || exit 4')

    (trial,) = run.json["trials"]
    assert "exit code 4" in trial["reason"]
    journal = (tmp_path / run.json["journal"]).read_text()
    assert "there is no tool 'nonsense'" in journal

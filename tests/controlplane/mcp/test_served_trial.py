"""Programs that nobody here wrote work on trials: `run --agent "command:python agent.py"`.

A trial is one attempt at a task. The program is started for it, and works on it by tools, as a client of
an MCP server or by the command `controlplane mcp call TOOL ARGUMENTS`.
"""

import signal
import sys
from pathlib import Path

import pytest

from controlplane.errors import Interrupted
from tests.support.command import (
    ROOT,
    CommandResult,
    run_in_process,
    start_controlplane,
    wait_until,
)

OK = 0
A_TRIAL_FAILED = 1
"""The exit code of a run if a trial has no answer."""


def test_program_solves_a_trial_as_an_mcp_client(tmp_path: Path) -> None:
    """The task is to count overdue loans of a library. The program of the documentation solves it,
    and reports its tokens and its cost, which the product cannot know."""
    run = run_in_process(
        "run",
        "overdue-loans",
        f"--benchmark=folder:{ROOT / 'docs/examples/library'}",
        f"--agent=command:{sys.executable} {ROOT / 'docs/examples/mcp_agent.py'}",
        "--json",
        cwd=tmp_path,
    )
    replay = run_in_process("replay", "last", "--verify", cwd=tmp_path)

    assert run.code == OK, run.err + run.out
    (trial,) = run.json["trials"]
    assert trial["score"] == 1.0
    assert trial["tokens"] == 120
    assert trial["cost_usd"] == 0.001
    journal = (tmp_path / run.json["journal"]).read_text()
    assert "passed the gates" in journal
    assert "the program ended with exit code 0" in journal
    assert replay.code == OK


def write_fee_task(folder: Path, program: str) -> list[str]:
    """Write a task about the file notes.md, and a shell program that works on it.

    Return the words behind `controlplane` that run the program on the task. It finds the path of
    Python in the variable PYTHON.
    """
    files = folder / "tasks/fee/files"
    files.mkdir(parents=True)
    (files / "notes.md").write_text("fee: 7 EUR\n")
    (folder / "tasks/fee/task.toml").write_text(
        'instruction = "What is the fee?"\n'
        '[expected]\noutcome = "OUTCOME_OK"\nanswer = "7 EUR"\n'
    )
    (folder / "agent.sh").write_text(program)
    return ["run", "--benchmark=folder:tasks", "--agent=command:sh agent.sh"]


def run_program(folder: Path, program: str, *options: str) -> CommandResult:
    """Let a shell program work on the task "What is the fee?"."""
    words = [*write_fee_task(folder, program), "--json", *options]
    return run_in_process(*words, cwd=folder, PYTHON=sys.executable)


class TestProgramsWithoutAnAnswer:
    """A program ends without an answer, so the harness submits one of its own, a fallback."""

    def test_reason_of_a_fallback_has_the_last_line_of_the_program(
        self, tmp_path: Path
    ) -> None:
        run = run_program(tmp_path, "echo 'no such model' >&2; exit 3")

        assert run.code == A_TRIAL_FAILED, run.err
        (trial,) = run.json["trials"]
        assert trial["state"] == "fallback"
        assert trial["reason"].startswith("the trial broke: ")
        assert (
            "exit code 3 and without an accepted answer; its last line: no such model"
        ) in trial["reason"]

    def test_program_gets_its_task_on_standard_input(self, tmp_path: Path) -> None:
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
        self, tmp_path: Path
    ) -> None:
        run = run_program(tmp_path, "exec sleep 600", "--trial-time", "3")

        (trial,) = run.json["trials"]
        assert trial["state"] == "fallback"
        assert trial["reason"].startswith(
            "no answer within 3 s: the program was still at work"
        )
        assert "was killed" in (tmp_path / run.json["journal"]).read_text()


class TestCallsOfPrograms:
    """A program with only a shell calls tools by `controlplane mcp call`."""

    def test_calls_of_a_program_are_steps_of_its_trial(self, tmp_path: Path) -> None:
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

    def test_failed_call_of_a_program_is_recorded(self, tmp_path: Path) -> None:
        """The command `mcp call` fails, too: the program goes on behind `||`."""
        run = run_program(
            tmp_path, '"$PYTHON" -m controlplane mcp call nonsense || exit 4'
        )

        (trial,) = run.json["trials"]
        assert "exit code 4" in trial["reason"]
        journal = (tmp_path / run.json["journal"]).read_text()
        assert "there is no tool 'nonsense'" in journal


def test_program_of_an_interrupted_trial_is_started_again_and_told_so(
    tmp_path: Path,
) -> None:
    """At its first start, the program makes a call, and waits. The run is interrupted, as by Ctrl-C,
    and resumed. The program is started with CONTROLPLANE_RESUMED=1, and cites the file that it has read
    before."""
    play = write_fee_task(
        tmp_path,
        """
call() { "$PYTHON" -m controlplane mcp call "$@"; }
if [ "$CONTROLPLANE_RESUMED" = 1 ]
then
    call report_completion '{
        "answer": "7 EUR",
        "citations": [{"path": "/notes.md", "reason": "fee: 7 EUR"}]
    }'
else
    call read '{"path": "/notes.md"}'
    touch has_made_a_call
    exec sleep 600
fi
""",
    )

    with start_controlplane(*play, cwd=tmp_path, PYTHON=sys.executable) as run:
        wait_until((tmp_path / "has_made_a_call").exists)
        run.send_signal(signal.SIGINT)
        assert run.wait(60) == Interrupted.exit_code
    resumed_run = run_in_process(
        "resume", "last", "--json", cwd=tmp_path, PYTHON=sys.executable
    )
    replay = run_in_process("replay", "last", "--verify", cwd=tmp_path)

    assert resumed_run.code == OK, resumed_run.err + resumed_run.out
    (trial,) = resumed_run.json["trials"]
    assert trial["score"] == 1.0
    assert replay.code == OK

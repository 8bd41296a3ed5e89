"""Programs that nobody here wrote work on trials: `run --agent "command:python agent.py"`.

A trial is one attempt at a task. The program is started for it, and works on it by tools,
as a client of an MCP server or by the command `controlplane mcp call TOOL ARGUMENTS`. The
task here is to count the loans of a library that are overdue.
"""

import signal
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from controlplane.errors import Interrupted
from tests.support.command import (
    ROOT,
    CommandResult,
    run_in_process,
    start_controlplane,
    wait_until,
)

EXIT_SUCCESS = 0

RUN_TASK = [
    "run",
    "overdue-loans",
    f"--benchmark=folder:{ROOT / 'docs/examples/library'}",
]
"""Runs the task; a test adds the program that works on it."""
MCP_AGENT = f"{sys.executable} {ROOT / 'docs/examples/mcp_agent.py'}"
"""The command of a program that solves the task as an MCP client. It reports 120 tokens and a cost
of $0.001."""


def run_with_agent(folder: Path, agent: str, *options: str) -> CommandResult:
    """Let a program work on the task. It finds the path of Python in the variable PYTHON."""
    words = [*RUN_TASK, f"--agent=command:{agent}", "--json", *options]
    return run_in_process(*words, cwd=folder, PYTHON=sys.executable)


def journal_of(run: CommandResult, folder: Path) -> str:
    return Path(folder, run.json["journal"]).read_text()


def test_program_solves_a_trial_as_an_mcp_client(tmp_path: Path) -> None:
    """The program also reports its tokens and its cost, which the product cannot know."""
    run = run_with_agent(tmp_path, MCP_AGENT)
    replay = run_in_process("replay", "last", "--verify", cwd=tmp_path)

    assert run.code == EXIT_SUCCESS, run.err + run.out
    (trial,) = run.json["trials"]
    assert trial["score"] == 1.0
    assert trial["tokens"] == 120
    assert trial["cost_usd"] == 0.001
    journal = journal_of(run, tmp_path)
    assert "passed the gates" in journal
    assert "the program ended with exit code 0" in journal
    assert replay.code == EXIT_SUCCESS


EXIT_WITH_FAILED_TRIAL = 1
"""The exit code of a run if a trial has no answer."""


class GivenUpRun(NamedTuple):
    """A run whose program gave up, and the text of its journal."""

    run: CommandResult
    journal: str


AGENT_THAT_GIVES_UP = """
# This trial was not resumed, and the task is on the standard input.
test -z "$CONTROLPLANE_RESUMED" || exit 9
grep -q "How many loans are overdue" || exit 8

call() { "$PYTHON" -m controlplane mcp call "$@"; }
call execute_script '{"code": "print(harness.find(\\"*.json\\", root=\\"/loans\\").paths)"}'
call read '{"path": "/loans/loan-01.json"}'
call nonsense && exit 7  # There is no such tool, so that the call must fail.

# Give up.
echo "no such model" >&2
exit 3
"""
"""A program for a shell: it makes three calls, of which the last one fails, and gives no answer."""


@pytest.fixture(scope="module")
def given_up_run(tmp_path_factory: pytest.TempPathFactory) -> GivenUpRun:
    """The run of a trial on which `AGENT_THAT_GIVES_UP` worked."""
    folder = tmp_path_factory.mktemp("given_up")
    (folder / "agent.sh").write_text(AGENT_THAT_GIVES_UP)
    run = run_with_agent(folder, "sh agent.sh")
    return GivenUpRun(run, journal_of(run, folder))


class TestProgramThatGivesUp:
    """A shell program calls three tools, and ends without an answer.

    1. It runs a script that prints the paths of the loans, and reads `loan-01.json`.
    2. It calls `nonsense`, which no server offers, so that the call fails.
    3. It writes "no such model" to its standard error, and ends with the exit code 3.
    """

    def test_trial_whose_program_gives_up_ends_with_a_fallback(
        self, given_up_run: GivenUpRun
    ) -> None:
        """A fallback is an answer that the harness submits in place of the program's."""
        run = given_up_run.run

        assert run.code == EXIT_WITH_FAILED_TRIAL, run.err
        (trial,) = run.json["trials"]
        assert trial["state"] == "fallback"

    def test_reason_of_a_fallback_has_the_last_line_of_the_program(
        self, given_up_run: GivenUpRun
    ) -> None:
        """The program prints "no such model", and ends with the exit code 3."""
        (trial,) = given_up_run.run.json["trials"]

        assert trial["reason"].startswith("the trial broke: ")
        expected_reason = (
            "exit code 3 and without an accepted answer; its last line: no such model"
        )
        assert expected_reason in trial["reason"]

    def test_program_with_only_a_shell_calls_tools(
        self, given_up_run: GivenUpRun
    ) -> None:
        """The command `controlplane mcp call read ...` is a call. Two of the three calls succeed,
        and the path that the first one printed is in the journal."""
        (trial,) = given_up_run.run.json["trials"]

        assert trial["steps"] >= 2
        assert "loan-01" in given_up_run.journal

    def test_failed_call_of_a_program_is_recorded(
        self, given_up_run: GivenUpRun
    ) -> None:
        """The call is `controlplane mcp call nonsense`."""
        assert "there is no tool 'nonsense'" in given_up_run.journal


AGENT_THAT_IS_INTERRUPTED = f"""
if [ "$CONTROLPLANE_RESUMED" = 1 ]
then
    exec {MCP_AGENT}
else
    "$PYTHON" -m controlplane mcp call read '{{"path": "/loans/loan-01.json"}}'
    touch has_made_a_call && sleep 600
fi
"""
"""At its first start, it makes one call and waits. In a resumed trial, it solves the task."""


class TestProgramsThatAreStopped:
    """A program is killed when its trial ends, and started again when it resumes.

    The trial may take 3 s, or is interrupted by Ctrl-C and resumed later.
    """

    @pytest.mark.second_tier
    def test_program_that_hangs_is_killed_at_the_end_of_the_trials_time(
        self, tmp_path: Path
    ) -> None:
        """The trial may take 3 s. Then the harness ends it with a fallback, an answer of its
        own."""
        run = run_with_agent(tmp_path, "sleep 600", "--trial-time", "3")

        (trial,) = run.json["trials"]
        assert trial["state"] == "fallback"
        expected_reason = "no answer within 3 s: the program was still at work"
        assert trial["reason"].startswith(expected_reason)
        assert "was killed" in journal_of(run, tmp_path)

    def test_program_of_an_interrupted_trial_is_started_again_and_told_so(
        self, tmp_path: Path
    ) -> None:
        """1. The program makes a call, and then waits.
        2. The run is interrupted, as by Ctrl-C.
        3. The run is resumed. The program is started with CONTROLPLANE_RESUMED=1, and solves the
        task."""
        (tmp_path / "agent.sh").write_text(AGENT_THAT_IS_INTERRUPTED)

        start = [*RUN_TASK, "--agent=command:sh agent.sh"]
        with start_controlplane(*start, cwd=tmp_path, PYTHON=sys.executable) as run:
            wait_until((tmp_path / "has_made_a_call").exists)
            run.send_signal(signal.SIGINT)
            exit_code = run.wait(60)
        resumed_run = run_in_process(
            "resume", "last", "--json", cwd=tmp_path, PYTHON=sys.executable
        )
        replay = run_in_process("replay", "last", "--verify", cwd=tmp_path)

        assert exit_code == Interrupted.exit_code
        assert resumed_run.code == EXIT_SUCCESS, resumed_run.err + resumed_run.out
        assert [trial["score"] for trial in resumed_run.json["trials"]] == [1.0]
        assert replay.code == EXIT_SUCCESS

"""A program that nobody here wrote works on a trial, an attempt at a task, as a client of an MCP server.

    controlplane run overdue-loans --agent "command:python mcp_agent.py"

MCP is a protocol by which agents call the tools of a server. The program is started for the trial.
"""

import sys
from pathlib import Path

from tests.support.command import ROOT, run_in_process


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

    assert run.code == 0, run.err + run.out
    (trial,) = run.json["trials"]
    assert trial["score"] == 1.0
    assert trial["tokens"] == 120
    assert trial["cost_usd"] == 0.001
    journal = (tmp_path / run.json["journal"]).read_text()
    assert "passed the gates" in journal
    assert "the program ended with exit code 0" in journal
    assert replay.code == 0

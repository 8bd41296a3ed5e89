"""A public agent, which only has a shell, solves a task by the command `controlplane mcp call`.

The agent is mini-swe-agent, from PyPI. Our example `shell_agent.py` starts it for a task: how many
loans of a library are overdue? The agent asks a model, which is played here, and runs the command
of each reply. The test is skipped if the agent cannot be downloaded, and runs only with `--heavy`.
"""

import os
from pathlib import Path

import pytest

from tests.controlplane.mcp.public.counting_commands import COMMANDS_OF_MODEL
from tests.controlplane.mcp.public.installed_controlplane import (
    folder_with_controlplane,
)
from tests.controlplane.mcp.public.public_packages import install_from_pypi
from tests.support.command import ROOT, run_controlplane, run_in_process
from tests.support.endpoints import completion_json, http_response, model_server

pytestmark = [pytest.mark.heavy, pytest.mark.second_tier]


def test_agent_that_only_has_a_shell_solves_a_trial(
    tmp_path: Path, foreign_programs: Path
) -> None:
    """The model replies with three calls of our command, and then ends the agent:

    1. a script that finds the overdue loans, /loans/loan-01.json and another one
    2. an answer that cites a file which does not exist, and so "was not read": it is refused
    3. the answer that cites both loans
    """
    python = install_from_pypi(foreign_programs, "mini-swe-agent") / "python"
    commands = iter(COMMANDS_OF_MODEL)

    def reply_with_next_command(request: object, connection: object) -> bytes:
        text = f"Next.\n\n```mswea_bash_command\n{next(commands)}\n```"
        return http_response(200, completion_json(text))

    with model_server(reply_with_next_command) as model:
        run = run_controlplane(
            "run",
            "overdue-loans",
            f"--benchmark=folder:{ROOT / 'docs/examples/library'}",
            f"--agent=command:{python} {ROOT / 'docs/examples/shell_agent.py'}",
            "--json",
            cwd=tmp_path,
            PATH=f"{folder_with_controlplane(tmp_path)}:{os.environ['PATH']}",
            HOME=str(tmp_path),
            MSWEA_MODEL_NAME="openai/scripted",
            MSWEA_SILENT_STARTUP="1",
            OPENAI_BASE_URL=model.url,
            OPENAI_API_KEY="none",
        )
    replay = run_in_process("replay", "last", "--verify", cwd=tmp_path)

    assert run.code == 0, run.err + run.out
    (trial,) = run.json["trials"]
    assert trial["score"] == 1.0
    assert trial["state"] == "answered"
    # Each request tells the model what its commands have printed so far.
    _, request_after_count, request_after_wrong_answer, *_ = model.asked
    assert "/loans/loan-01.json" in str(request_after_count.body["messages"])
    assert "was not read" in str(request_after_wrong_answer.body["messages"])
    assert replay.code == 0

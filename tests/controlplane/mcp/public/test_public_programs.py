"""Public programs use our tools by MCP: an agent that only has a shell, and an inspector.

MCP is a protocol by which agents call the tools of a server. The programs are downloaded from
PyPI and npm; the tests are skipped if that fails, and run only with `--heavy`.
"""

import json
import os
import sys
from pathlib import Path

import pytest

from tests.controlplane.mcp.public.public_packages import install_from_pypi, run_npx
from tests.support.command import ROOT, run_controlplane, run_in_process
from tests.support.endpoints import completion_json, http_response, model_server

pytestmark = [pytest.mark.heavy, pytest.mark.second_tier]

EXIT_SUCCESS = 0


def folder_with_controlplane(folder: Path) -> Path:
    """Return a folder with a program `controlplane`, as an installation has one."""
    program = folder / "bin/controlplane"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m controlplane "$@"\n'
    )
    program.chmod(0o755)
    return program.parent


COUNT_OVERDUE_LOANS = """
import json
overdue = []
for path in harness.find("*.json", root="/loans", limit=0).paths:
    loan = json.loads(harness.read(path).content)
    if loan["due"] < "2027-03-11":
        overdue.append(path)
print(overdue)
"""
"""A script that prints the paths of the overdue loans."""
OVERDUE_REASON = "it was due before today"
WRONG_ANSWER = {
    "answer": "[COUNT:2]",
    "citations": [{"path": "/loans/gone.json", "reason": OVERDUE_REASON}],
}
RIGHT_ANSWER = {
    "answer": "[COUNT:2]",
    "citations": [
        {"path": "/loans/loan-01.json", "reason": OVERDUE_REASON},
        {"path": "/loans/loan-03.json", "reason": OVERDUE_REASON},
    ],
}
"""The arguments of `report_completion`, which ends the trial: with an unknown file as citation,
and with the two overdue loans."""


def call_command(tool: str, arguments: dict[str, object]) -> str:
    """Return the shell command that calls a tool of the trial."""
    return f"controlplane mcp call {tool} '{json.dumps(arguments)}'"


COMMANDS_OF_MODEL = [
    call_command("execute_script", {"code": COUNT_OVERDUE_LOANS}),
    call_command("report_completion", WRONG_ANSWER),
    call_command("report_completion", RIGHT_ANSWER),
    # With this line, mini-swe-agent ends.
    "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT",
]


class TestAgentWithShell:
    """The public agent mini-swe-agent lets a model answer with shell commands.

    Our example `shell_agent.py` starts it for a trial, whose task is: how many loans of a
    library are overdue? The agent asks the model at OPENAI_BASE_URL, which is played here: it
    replies with `COMMANDS_OF_MODEL` in turn. The agent runs the command of each reply, and
    sends its output with the next request. `foreign_programs` is the folder in which packages
    are installed.
    """

    def test_agent_that_only_has_a_shell_solves_a_trial(
        self, tmp_path: Path, foreign_programs: Path
    ) -> None:
        """The model counts the overdue loans, cites a file that does not exist, which is refused,
        and then cites the right ones."""
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

        assert run.code == EXIT_SUCCESS, run.err + run.out
        (trial,) = run.json["trials"]
        assert trial["score"] == 1.0
        assert trial["state"] == "answered"
        request_after_count, request_after_wrong_answer = model.asked[1:3]
        assert "/loans/loan-01.json" in str(request_after_count.body["messages"])
        assert "was not read" in str(request_after_wrong_answer.body["messages"])
        assert replay.code == EXIT_SUCCESS


class TestInspector:
    """The inspector of the protocol's authors lists our tools and calls one, `execute_script`.

    It is a client from npm. It starts `controlplane mcp docs`, and prints JSON.
    """

    def test_inspector_of_the_protocol_lists_and_calls_our_tools(
        self, tmp_path: Path
    ) -> None:
        """The inspector is a client that starts a server and calls one of its methods."""
        (tmp_path / "docs").mkdir()
        (tmp_path / "docs/loans.md").write_text("loan-02: kept until 2026-03-01\n")
        controlplane = folder_with_controlplane(tmp_path) / "controlplane"
        package = "@modelcontextprotocol/inspector"
        inspect = ["mcp-inspector", "--cli", controlplane, "mcp", "docs"]
        call_script = [
            "--method",
            "tools/call",
            "--tool-name",
            "execute_script",
            "--tool-arg",
            "code=print(harness.read('/loans.md').content)",
        ]

        listing = run_npx(package, *inspect, "--method", "tools/list", cwd=tmp_path)
        call = run_npx(package, *inspect, *call_script, cwd=tmp_path)

        assert listing.returncode == EXIT_SUCCESS, listing.stderr
        tools = json.loads(listing.stdout)["tools"]
        names = [tool["name"] for tool in tools]
        assert names == ["begin", "execute_script", "submit_answer"]
        text = json.loads(call.stdout)["content"][0]["text"]
        assert "kept until 2026-03-01" in text, call.stderr

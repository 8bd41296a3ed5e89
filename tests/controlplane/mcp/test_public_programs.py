"""Programs from public package indexes, which are downloaded: agents, clients and servers.

They show that the product works with MCP as others have built it: an agent that only has a
shell, the inspector of the protocol's authors, and servers from PyPI and npm. All tests are
skipped if a package cannot be installed, and run only with `--heavy`.
"""

import json
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from controlplane.mcp.offered_servers import with_tools
from controlplane.mcp.server_specs import ServerSpec
from controlplane.mcp.tool_access import ToolAccess
from controlplane.sandbox.interface import CallError
from tests.controlplane.mcp.small_servers import EmptyEnvironment
from tests.support.command import (
    ROOT,
    clean_environment,
    run_controlplane,
    run_in_process,
)
from tests.support.endpoints import completion_json, http_response, model_server

pytestmark = [pytest.mark.heavy, pytest.mark.second_tier]

EXIT_SUCCESS = 0
MAX_INSTALL_S = 600
"""How long the download and installation of packages may take, in seconds."""

InstallPackages = Callable[..., Path]
"""Installs packages of PyPI, and returns the folder with their programs."""


@pytest.fixture(scope="session")
def install_packages(tmp_path_factory: pytest.TempPathFactory) -> InstallPackages:
    """Installs packages of PyPI: `install_packages("mcp-server-git", "mcp<2")` installs both in a
    new virtual environment. The second time, the environment is there already."""
    folder = tmp_path_factory.mktemp("foreign")

    def install_packages(package: str, *further_packages: str) -> Path:
        environment = folder / package
        programs = environment / "bin"
        if environment.exists():
            return programs
        subprocess.run(
            [sys.executable, "-m", "venv", environment],
            check=True,
            timeout=MAX_INSTALL_S,
        )
        pip_install = [programs / "python", "-m", "pip", "install", "-q"]
        finished = subprocess.run(
            [*pip_install, package, *further_packages],
            capture_output=True,
            text=True,
            timeout=MAX_INSTALL_S,
            check=False,
        )
        if finished.returncode != 0:
            reason = finished.stderr.strip()[-200:]
            pytest.skip(f"{package} cannot be installed here: {reason}")
        return programs

    return install_packages


def folder_with_controlplane(folder: Path) -> Path:
    """Return a folder with a program `controlplane`, as an installation has one."""
    program = folder / "bin/controlplane"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m controlplane "$@"\n'
    )
    program.chmod(0o755)
    return program.parent


# --- An agent that only has a shell ---
#
# The public program mini-swe-agent lets a model answer with shell commands. Our example
# `shell_agent.py` starts it for a trial, whose task is: how many loans of a library are overdue?
# It asks the model at OPENAI_BASE_URL, here one that replies with `COMMANDS_OF_MODEL` in turn, runs
# the command of each reply, and sends its output with the next request.

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


def test_agent_that_only_has_a_shell_solves_a_trial(
    tmp_path: Path, install_packages: InstallPackages
) -> None:
    """The model counts the overdue loans, cites a file that does not exist, which is refused, and then
    cites the right ones."""
    python = install_packages("mini-swe-agent") / "python"
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


def npx_command(package: str, *words: str | Path) -> list[str]:
    """Return the command that runs a program of a package of npm."""
    return ["npx", "-y", "-p", "node@22", "-p", package, *map(str, words)]


def run_npx(
    package: str, *words: str | Path, cwd: Path
) -> subprocess.CompletedProcess[str]:
    """Run a program of a package of npm. Skip the test if the package cannot be downloaded."""
    home = os.environ.get("HOME", "/")
    try:
        finished = subprocess.run(
            npx_command(package, *words),
            cwd=cwd,
            env={**clean_environment(HOME=home), "npm_config_yes": "true"},
            capture_output=True,
            text=True,
            timeout=MAX_INSTALL_S,
            check=False,
        )
    except FileNotFoundError:
        pytest.skip("there is no npx here")
    if "npm error" in finished.stderr or "npm ERR" in finished.stderr:
        pytest.skip(f"{package} cannot be downloaded here: {finished.stderr[-200:]}")
    return finished


def test_inspector_of_the_protocol_lists_and_calls_our_tools(tmp_path: Path) -> None:
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


def kill_processes(command_part: str) -> int:
    """Kill the processes below this one whose command has this part. Return their number."""
    count = 0
    for process in psutil.Process().children(recursive=True):
        if command_part in " ".join(process.cmdline()):
            process.kill()
            count += 1
    return count


def check_server_that_is_killed(
    spec: ServerSpec,
    *,
    operation: str,
    arguments: dict[str, object],
    expected_text: str,
    command_part: str,
) -> None:
    """Check that a server named `it` works, and is started again once if it is killed.

    A killed server fails the next call; after the second time, it is not started again.
    `command_part` is a part of its command, by which its process is found. `expected_text` is in the
    result of a call.
    """
    access = ToolAccess({"it": spec}, allow=("it.*",))
    with with_tools(EmptyEnvironment(), access) as environment:
        result = environment.call(operation, arguments)
        assert expected_text in str(result["text"])
        assert str(result["call_path"]).startswith("/mcp/it/calls/")

        failed = f"{re.escape(operation)} failed: .*"
        assert kill_processes(command_part) > 0
        with pytest.raises(CallError, match=f"{failed}was started anew"):
            environment.call(operation, arguments)
        result_of_new_server = environment.call(operation, arguments)
        assert expected_text in str(result_of_new_server["text"])

        assert kill_processes(command_part) > 0
        with pytest.raises(CallError, match=f"{failed}has ended again"):
            environment.call(operation, arguments)


ANSWER_WITH_DAY = """
scratchpad.cite(result.call_path, "it names the day of loan-02", "2026-04-01")
scratchpad["answer"] = "On 2026-04-01."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "2026-04-01" in sp["answer"])
"""
"""The end of a script: answers with the day in the `result` of a call, and cites the call."""


def check_question(folder: Path, server: str, script: str, *options: str) -> None:
    """Check that a question is answered by a server, from the `result` of this script."""
    (folder / "notes.md").write_text("nothing\n")
    code = f"{script}\nprint(result.text)\n{ANSWER_WITH_DAY}"
    (folder / "replies.toml").write_text(f"[[reply]]\ncode = {json.dumps(code)}\n")

    answer = run_controlplane(
        "ask",
        "When is loan-02 due?",
        "notes.md",
        "--json",
        "--model=scripted:replies.toml",
        f"--mcp=it={server}",
        *options,
        cwd=folder,
        HOME=os.environ.get("HOME", "/"),
    )
    replay = run_in_process("replay", "last", "--verify", cwd=folder)

    assert answer.code == EXIT_SUCCESS, answer.err + answer.out
    quotes = [citation["quote"] for citation in answer.json["citations"]]
    assert quotes == ["2026-04-01"]
    assert replay.code == EXIT_SUCCESS


@pytest.fixture
def loans_database(tmp_path: Path) -> Path:
    """A SQLite file with two loans. `loan-02` is due on 2026-04-01."""
    path = tmp_path / "loans.db"
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("create table loans (id text, due text)")
        connection.execute("insert into loans values ('loan-01', '2026-03-01')")
        connection.execute("insert into loans values ('loan-02', '2026-04-01')")
    connection.close()
    return path


MCP_1 = "mcp<2"
"""A requirement of the servers from PyPI: they were written for version 1 of the library `mcp`."""


def test_database_server_from_pypi_is_used_and_started_again(
    tmp_path: Path, loans_database: Path, install_packages: InstallPackages
) -> None:
    """The server reads a SQLite file by queries. Its tool needs the permission of the user."""
    program = install_packages("mcp-server-sqlite", MCP_1) / "mcp-server-sqlite"
    command = [str(program), "--db-path", str(loans_database)]
    query = "select due from loans where id = 'loan-02'"

    check_server_that_is_killed(
        ServerSpec(command=command[0], args=tuple(command[1:])),
        operation="it.read_query",
        arguments={"query": query},
        expected_text="2026-04-01",
        command_part=str(loans_database),
    )
    check_question(
        tmp_path,
        " ".join(command),
        f"result = harness.it.read_query(query={query!r})",
        "--allow=it.read_query",
    )


def test_file_server_from_npm_is_used_and_started_again(tmp_path: Path) -> None:
    """The server reads files below a folder. Its tools say that they only read."""
    package = "@modelcontextprotocol/server-filesystem"
    # Any command with the package downloads it. The server then starts at once.
    run_npx(package, "node", "--version", cwd=tmp_path)
    folder = Path(os.path.realpath(tmp_path)) / "files"
    folder.mkdir()
    file = folder / "loan.txt"
    file.write_text("loan-02 is due on 2026-04-01\n")
    command = npx_command(package, "mcp-server-filesystem", folder)

    check_server_that_is_killed(
        ServerSpec(command=command[0], args=tuple(command[1:])),
        operation="it.read_text_file",
        arguments={"path": str(file)},
        expected_text="2026-04-01",
        command_part=str(folder),
    )
    check_question(
        tmp_path,
        " ".join(command),
        f"""
harness.it.list_allowed_directories()
harness.it.list_directory(path={str(folder)!r})
result = harness.it.read_text_file(path={str(file)!r})
""",
    )


def check_tool(
    spec: ServerSpec, tool: str, arguments: dict[str, object], expected_text: str
) -> None:
    """Check that a tool of a server named `it` is offered to scripts and can be called."""
    access = ToolAccess({"it": spec}, allow=("it.*",))
    with with_tools(EmptyEnvironment(), access) as environment:
        operations = environment.tool_schema.operations
        result = environment.call(f"it.{tool}", arguments)

    assert f"it.{tool}" in [operation.name for operation in operations]
    assert expected_text in str(result)
    assert environment.notices == []


@pytest.mark.parametrize(
    ("package", "program", "tool", "arguments", "expected_text"),
    [
        pytest.param(
            "@modelcontextprotocol/server-everything",
            "mcp-server-everything",
            "echo",
            {"message": "due"},
            "due",
            id="everything",
        ),
        pytest.param(
            "@modelcontextprotocol/server-memory",
            "mcp-server-memory",
            "read_graph",
            {},
            "entities",
            id="memory",
        ),
    ],
)
def test_tool_of_a_server_from_npm_can_be_called(
    tmp_path: Path,
    package: str,
    program: str,
    tool: str,
    arguments: dict[str, object],
    expected_text: str,
) -> None:
    """Both servers are examples by the authors of MCP, the Model Context Protocol."""
    # Any command with the package downloads it. The server then starts at once.
    run_npx(package, "node", "--version", cwd=tmp_path)
    command = npx_command(package, program)
    spec = ServerSpec(command=command[0], args=tuple(command[1:]), cwd=str(tmp_path))

    check_tool(spec, tool, arguments, expected_text)


def test_tool_of_the_time_server_from_pypi_can_be_called(
    tmp_path: Path, install_packages: InstallPackages
) -> None:
    """The server is one of the examples by the authors of MCP."""
    program = install_packages("mcp-server-time", MCP_1) / "mcp-server-time"
    spec = ServerSpec(command=str(program), cwd=str(tmp_path))

    check_tool(spec, "get_current_time", {"timezone": "UTC"}, "UTC")


def test_tool_of_the_git_server_from_pypi_can_be_called(
    tmp_path: Path, install_packages: InstallPackages
) -> None:
    """The server reads the repository in its folder, which has one commit."""
    program = install_packages("mcp-server-git", MCP_1) / "mcp-server-git"
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c"]
    commit = [*git, "commit", "-q", "--allow-empty", "-m", "the first loan"]
    for command in (["git", "init", "-q"], commit):
        subprocess.run(command, cwd=tmp_path, check=True, env=clean_environment())
    spec = ServerSpec(
        command=str(program), args=("--repository", "."), cwd=str(tmp_path)
    )

    check_tool(spec, "git_log", {"repo_path": "."}, "the first loan")

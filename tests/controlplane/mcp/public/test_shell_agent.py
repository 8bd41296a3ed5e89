"""Public MCP servers, clients and agents of others work with the product.

Tools of servers from PyPI and npm are offered to scripts and called, and a server that is killed is
started again. The inspector of MCP's authors lists and calls our tools. An agent that only has a
shell solves a task. Packages that cannot be downloaded skip their tests.
"""

import json
import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from controlplane.mcp.server_specs import ServerSpec
from controlplane.mcp.tool_access import ToolAccess
from controlplane.mcp.tool_environment import with_tools
from controlplane.sandbox.interface import CallError
from tests.controlplane.mcp.small_servers import EmptyEnvironment
from tests.support.command import clean_environment, run_controlplane, run_in_process
from tests.support.phonebook_model import completion_json, http_response, model_server
from tests.support.product_files import ROOT

# Checks that a public MCP server answers the question "When is loan-02 due?".
#
#     check_question(folder, "mcp-server-sqlite --db-path loans.db", "result = harness.it.read_query(...)")
#
# The server is named `it`. The script calls a tool of it; its `result` names the day, 2026-04-01.

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

    assert answer.code == 0, answer.err + answer.out
    quotes = [citation["quote"] for citation in answer.json["citations"]]
    assert quotes == ["2026-04-01"]
    assert replay.code == 0


# Checks that a tool of a public MCP server is offered to scripts, and can be called.
#
#     check_tool(spec, "echo", {"message": "due"}, "due")
#
# The server is given the name `it`, so that this calls `it.echo`, and looks for "due" in the result.


def check_tool(
    spec: ServerSpec, tool: str, arguments: dict[str, object], expected_text: str
) -> None:
    """Check that a tool is offered to scripts and can be called, and that its result has a text.

    The server is given the name `it`: `check_tool(spec, "echo", {"message": "due"}, "due")` calls
    `it.echo`.
    """
    access = ToolAccess({"it": spec}, allow=("it.*",))
    with with_tools(EmptyEnvironment(), access) as environment:
        operations = environment.tool_schema.operations
        result = environment.call(f"it.{tool}", arguments)

    assert f"it.{tool}" in [operation.name for operation in operations]
    assert expected_text in str(result)
    assert environment.notices == []


# The commands `controlplane mcp call` with which a model counts the overdue loans of a library.
#
#     controlplane mcp call report_completion '{"answer": "[COUNT:2]", "citations": [...]}'
#
# The model first cites a file that does not exist, which is refused, and then the two overdue loans.

COUNT_OVERDUE_LOANS = """
import json
today = "2027-03-11"
overdue = []
for path in harness.find("*.json", root="/loans", limit=0).paths:
    loan = json.loads(harness.read(path).content)
    if loan["due"] < today:
        overdue.append(path)
print(overdue)
"""
"""A script that prints the paths of the overdue loans."""

OVERDUE_REASON = "it was due before today"

ANSWER_WITH_WRONG_CITATION = {
    "answer": "[COUNT:2]",
    "citations": [{"path": "/loans/gone.json", "reason": OVERDUE_REASON}],
}
"""The arguments of `report_completion`, which submits an answer. The cited file does not exist."""

RIGHT_ANSWER = {
    "answer": "[COUNT:2]",
    "citations": [
        {"path": "/loans/loan-01.json", "reason": OVERDUE_REASON},
        {"path": "/loans/loan-03.json", "reason": OVERDUE_REASON},
    ],
}
"""The same answer with citations of the two overdue loans."""


def call_command(tool: str, arguments: dict[str, object]) -> str:
    """Return the shell command that calls a tool; no argument may have an apostrophe."""
    return f"controlplane mcp call {tool} '{json.dumps(arguments)}'"


COMMANDS_OF_MODEL = [
    call_command("execute_script", {"code": COUNT_OVERDUE_LOANS}),
    call_command("report_completion", ANSWER_WITH_WRONG_CITATION),
    call_command("report_completion", RIGHT_ANSWER),
    # The agent, mini-swe-agent, ends when a command prints this line.
    "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT",
]


# A folder with a program `controlplane`, as an installation has one, for a PATH.
#
# For example:
#
#     folder_with_controlplane(tmp_path)    ->    the folder "bin" in tmp_path


def folder_with_controlplane(folder: Path) -> Path:
    """Return a folder with a program `controlplane`, as an installation has one."""
    program = folder / "bin/controlplane"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m controlplane "$@"\n'
    )
    program.chmod(0o755)
    return program.parent


# Checks that an MCP server works, and that it is started again once if its process is killed.
#
#     check_server_that_is_killed(
#         spec, operation="it.echo", arguments={"message": "due"}, expected_text="due",
#         command_part="server.py",
#     )
#
# The server is named `it`; `command_part` is a part of its command, by which its process is found.


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
    `command_part` is a part of its command, by which its process is found. `expected_text` is in
    the result of a call."""
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


# Packages of PyPI and npm, the public indexes, whose programs tests run.
#
#     programs = install_from_pypi(folder, "mcp-server-git", "mcp<2")
#     subprocess.run([programs / "mcp-server-git", "--help"])
#     run_npx("@modelcontextprotocol/inspector", "mcp-inspector", "--help", cwd=folder)
#
# A test is skipped if a package cannot be downloaded.

MAX_INSTALL_S = 600
"""How long the download and installation of packages may take, in seconds."""


def install_from_pypi(folder: Path, package: str, *further_packages: str) -> Path:
    """Install packages in a new virtual environment, and return the folder with its programs.

    The second time, the environment is there already: it has the name of the first package.
    """
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


# A public MCP server for databases answers a question, and is started again if it is killed.
#
# The tests give the server the name `it`, so that a script calls the server's tool `read_query` as
# `harness.it.read_query(query="select due from loans")`. The server is downloaded from PyPI; the test
# is skipped if that fails, and runs only with `--heavy`.

database_server_pytestmark = [pytest.mark.heavy, pytest.mark.second_tier]


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


def test_database_server_from_pypi_is_used_and_started_again(
    tmp_path: Path, loans_database: Path, foreign_programs: Path
) -> None:
    """The tool may change the file, so that `ask` needs the user's permission: `--allow`."""
    # The server was written for version 1 of the library `mcp`.
    programs = install_from_pypi(foreign_programs, "mcp-server-sqlite", "mcp<2")
    program = str(programs / "mcp-server-sqlite")
    options = ("--db-path", str(loans_database))
    query = "select due from loans where id = 'loan-02'"

    # A call after the server was killed fails; then the server is started again.
    check_server_that_is_killed(
        ServerSpec(command=program, args=options),
        operation="it.read_query",
        arguments={"query": query},
        expected_text="2026-04-01",
        # The process to kill is the one with this part in its command.
        command_part=str(loans_database),
    )
    check_question(
        tmp_path,
        " ".join([program, *options]),
        f"result = harness.it.read_query(query={query!r})",
        "--allow=it.read_query",
    )


# A public MCP server for files answers a question, and is started again if it is killed.
#
# A script calls its tool as `harness.it.read_text_file(path="/tmp/files/loan.txt")`. The server is
# downloaded from npm; the test is skipped if that fails, and runs only with `--heavy`.

file_server_pytestmark = [pytest.mark.heavy, pytest.mark.second_tier]


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


# The inspector of MCP's authors lists the tools of `controlplane mcp docs`, and calls one.
#
# MCP is a protocol by which agents call the tools of a server. The inspector is a client from npm, which
# starts the server and prints JSON. The test is skipped without npm, and runs only with `--heavy`.

inspector_pytestmark = [pytest.mark.heavy, pytest.mark.second_tier]


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

    assert listing.returncode == 0, listing.stderr
    tools = json.loads(listing.stdout)["tools"]
    names = [tool["name"] for tool in tools]
    assert names == ["begin", "execute_script", "submit_answer"]
    text = json.loads(call.stdout)["content"][0]["text"]
    assert "kept until 2026-03-01" in text, call.stderr


# Tools of two public MCP servers from npm can be called by scripts.
#
# The servers are examples by the authors of MCP, the Model Context Protocol. The tests are skipped if a
# server cannot be downloaded, and run only with `--heavy`.

servers_from_npm_pytestmark = [pytest.mark.heavy, pytest.mark.second_tier]


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
    # Any command with the package downloads it. The server then starts at once.
    run_npx(package, "node", "--version", cwd=tmp_path)
    command = npx_command(package, program)
    spec = ServerSpec(command=command[0], args=tuple(command[1:]), cwd=str(tmp_path))

    check_tool(spec, tool, arguments, expected_text)


# Tools of two public MCP servers from PyPI can be called by scripts.
#
# The servers are examples by the authors of MCP, the Model Context Protocol: one tells the time, and one
# reads a git repository. The tests are skipped if a server cannot be downloaded, and run only with
# `--heavy`.

servers_from_pypi_pytestmark = [pytest.mark.heavy, pytest.mark.second_tier]


def test_tool_of_the_time_server_from_pypi_can_be_called(
    tmp_path: Path, foreign_programs: Path
) -> None:
    # The server was written for version 1 of the library `mcp`.
    programs = install_from_pypi(foreign_programs, "mcp-server-time", "mcp<2")
    program = programs / "mcp-server-time"
    spec = ServerSpec(command=str(program), cwd=str(tmp_path))

    check_tool(spec, "get_current_time", {"timezone": "UTC"}, "UTC")


def test_tool_of_the_git_server_from_pypi_can_be_called(
    tmp_path: Path, foreign_programs: Path
) -> None:
    """The server reads the repository in its folder, which has one commit."""
    # The server was written for version 1 of the library `mcp`.
    programs = install_from_pypi(foreign_programs, "mcp-server-git", "mcp<2")
    program = programs / "mcp-server-git"
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c"]
    commit = [*git, "commit", "-q", "--allow-empty", "-m", "the first loan"]
    for command in (["git", "init", "-q"], commit):
        subprocess.run(command, cwd=tmp_path, check=True, env=clean_environment())
    spec = ServerSpec(
        command=str(program), args=("--repository", "."), cwd=str(tmp_path)
    )

    check_tool(spec, "git_log", {"repo_path": "."}, "the first loan")


pytestmark = [pytest.mark.heavy, pytest.mark.second_tier]


# A public agent, which only has a shell, solves a task by the command `controlplane mcp call`.
#
# The agent is mini-swe-agent, from PyPI. Our example `shell_agent.py` starts it for a task: how
# many loans of a library are overdue? The agent asks a model, which is played here, and runs the
# command of each reply. The test is skipped if the agent cannot be downloaded, and runs only with
# `--heavy`.


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

"""Public MCP servers, which are downloaded, offer their tools to our scripts.

A server is named `it` here, and its tool `echo` is called as `harness.it.echo(message="due")`.
The tests are skipped if a server cannot be downloaded, and run only with `--heavy`.
"""

import json
import os
import sqlite3
import subprocess
from pathlib import Path

import pytest

from controlplane.mcp.offered_servers import with_tools
from controlplane.mcp.server_specs import ServerSpec
from controlplane.mcp.tool_access import ToolAccess
from tests.controlplane.mcp.killed_server import check_server_that_is_killed
from tests.controlplane.mcp.public_packages import (
    install_from_pypi,
    npx_command,
    run_npx,
)
from tests.controlplane.mcp.small_servers import EmptyEnvironment
from tests.support.command import clean_environment, run_controlplane, run_in_process

pytestmark = [pytest.mark.heavy, pytest.mark.second_tier]

EXIT_SUCCESS = 0

MCP_1 = "mcp<2"
"""A requirement of the servers from PyPI: they were written for version 1 of the library `mcp`."""

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


class TestUsedServers:
    """Public servers answer a question, and are started again once if they are killed.

    The question is "When is loan-02 due?". A script calls a tool of the server, and cites the
    call: a SQLite file, or a text file, says 2026-04-01. `foreign_programs` is the folder in
    which packages are installed.
    """

    def test_database_server_from_pypi_is_used_and_started_again(
        self, tmp_path: Path, loans_database: Path, foreign_programs: Path
    ) -> None:
        """The server reads a SQLite file by queries. Its tool needs the permission of the user."""
        program = (
            install_from_pypi(foreign_programs, "mcp-server-sqlite", MCP_1)
            / "mcp-server-sqlite"
        )
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

    def test_file_server_from_npm_is_used_and_started_again(
        self, tmp_path: Path
    ) -> None:
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


class TestPublicTools:
    """Scripts can call a tool of each of four further servers, named `it` here.

    `check_tool(spec, "echo", {"message": "due"}, "due")` starts the server, calls its tool,
    and looks for the text in the result. `foreign_programs` is the folder in which packages
    are installed.
    """

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
        self,
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
        spec = ServerSpec(
            command=command[0], args=tuple(command[1:]), cwd=str(tmp_path)
        )

        check_tool(spec, tool, arguments, expected_text)

    def test_tool_of_the_time_server_from_pypi_can_be_called(
        self, tmp_path: Path, foreign_programs: Path
    ) -> None:
        """The server is one of the examples by the authors of MCP."""
        program = (
            install_from_pypi(foreign_programs, "mcp-server-time", MCP_1)
            / "mcp-server-time"
        )
        spec = ServerSpec(command=str(program), cwd=str(tmp_path))

        check_tool(spec, "get_current_time", {"timezone": "UTC"}, "UTC")

    def test_tool_of_the_git_server_from_pypi_can_be_called(
        self, tmp_path: Path, foreign_programs: Path
    ) -> None:
        """The server reads the repository in its folder, which has one commit."""
        program = (
            install_from_pypi(foreign_programs, "mcp-server-git", MCP_1)
            / "mcp-server-git"
        )
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c"]
        commit = [*git, "commit", "-q", "--allow-empty", "-m", "the first loan"]
        for command in (["git", "init", "-q"], commit):
            subprocess.run(command, cwd=tmp_path, check=True, env=clean_environment())
        spec = ServerSpec(
            command=str(program), args=("--repository", "."), cwd=str(tmp_path)
        )

        check_tool(spec, "git_log", {"repo_path": "."}, "the first loan")

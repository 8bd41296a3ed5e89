"""Public MCP servers, which are downloaded, answer questions, and are started again if they are killed.

A server is given the name `it`, so that a script calls its tool `read_query` as `harness.it.read_query(...)`.
The tests are skipped if a server cannot be downloaded, and run only with `--heavy`.
"""

import json
import os
import sqlite3
from pathlib import Path

import pytest

from controlplane.mcp.server_specs import ServerSpec
from tests.controlplane.mcp.killed_server import check_server_that_is_killed
from tests.controlplane.mcp.public.public_packages import (
    install_from_pypi,
    npx_command,
    run_npx,
)
from tests.support.command import run_controlplane, run_in_process

pytestmark = [pytest.mark.heavy, pytest.mark.second_tier]

EXIT_SUCCESS = 0

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
        # The server was written for version 1 of the library `mcp`.
        programs = install_from_pypi(foreign_programs, "mcp-server-sqlite", "mcp<2")
        program = programs / "mcp-server-sqlite"
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

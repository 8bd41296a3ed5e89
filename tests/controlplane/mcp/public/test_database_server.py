"""A public MCP server for databases answers a question, and is started again if it is killed.

The tests give the server the name `it`, so that a script calls the server's tool `read_query` as
`harness.it.read_query(query="select due from loans")`. The server is downloaded from PyPI; the test
is skipped if that fails, and runs only with `--heavy`.
"""

import sqlite3
from pathlib import Path

import pytest

from controlplane.mcp.server_specs import ServerSpec
from tests.controlplane.mcp.public.answered_question import check_question
from tests.controlplane.mcp.public.killed_server import check_server_that_is_killed
from tests.controlplane.mcp.public.public_packages import install_from_pypi

pytestmark = [pytest.mark.heavy, pytest.mark.second_tier]


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

"""A task of a benchmark may say that it needs an MCP server, `[mcp.loans]`, and not which.

The user names the server, by an option or in `controlplane.toml`: a task may be a download, so it must
not start a server of its own choice.
"""

import json
import shutil
import sys
from pathlib import Path

import pytest

from controlplane.errors import Unreachable, UsageError
from tests.support.command import check_error_line, run_in_process, write_config
from tests.support.product_files import ROOT


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a task that needs the server `loans`, and a model's reply that solves it."""
    files = {
        "tasks/loan/files/notes.md": "nothing\n",
        "tasks/loan/task.toml": """
instruction = "Until when may loan-2 be kept?"
[mcp.loans]
[expected]
outcome = "OUTCOME_OK"
answer = "Until 2026-03-01."
""",
        "replies.toml": """
[[reply]]
code = '''
loan = harness.loans.loan(number=2)
scratchpad.cite(loan.call_path, "loan-2 is kept until 2026-03-01", "kept until 2026-03-01")
scratchpad["answer"] = "Until 2026-03-01."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])
'''
""",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


PLAIN_LOANS = ROOT / "tests/support/plain_loans.py"
"""The program of a server with the tool `loan(number)`."""


RUN_TASK = (
    "run",
    "--benchmark=folder:tasks",
    "--model=scripted:replies.toml",
)


def test_task_is_refused_without_the_server_that_it_needs(folder: Path) -> None:
    result = run_in_process(*RUN_TASK, "--json", cwd=folder)

    check_error_line(
        result,
        UsageError.exit_code,
        "tasks use the MCP server loans: name it with --mcp",
    )


CONFIGURATION = f"""
[mcp.loans]
command = {json.dumps(sys.executable)}
args = [{json.dumps(str(PLAIN_LOANS))}]
"""


def test_task_uses_the_server_of_the_users_configuration(folder: Path) -> None:
    write_config(folder / "controlplane.toml", CONFIGURATION)

    run = run_in_process(*RUN_TASK, "--json", cwd=folder)

    assert [trial["score"] for trial in run.json["trials"]] == [1.0], run.out


def test_a_loop_uses_the_server_of_the_users_configuration(folder: Path) -> None:
    """All worlds are solved, so that there is nothing to improve."""
    write_config(folder / "controlplane.toml", CONFIGURATION)
    for name in ("check", "final"):
        copy = shutil.copytree(folder / "tasks/loan", folder / "tasks" / name)
        text = (copy / "task.toml").read_text()
        (copy / "task.toml").write_text(
            text.replace("Until when", f"{name}: until when")
        )
    _, *options = RUN_TASK
    parts = ["--train=loan", "--check=check", "--final=final"]

    loop = run_in_process(
        "improve", "--with=command:true", *parts, *options, cwd=folder
    )

    assert "the original has the best score on 1 check world" in loop.out, loop.err


def test_run_whose_server_did_not_start_can_be_resumed_with_another_one(
    folder: Path,
) -> None:
    """The command of the server is not in the journal, so it is named again."""
    failed_run = run_in_process(*RUN_TASK, "--mcp=loans=/nowhere/server", cwd=folder)
    assert failed_run.code == Unreachable.exit_code

    working_server = f"--mcp=loans={sys.executable} {PLAIN_LOANS}"
    resumed_run = run_in_process("resume", "last", working_server, "--json", cwd=folder)

    scores = [trial["score"] for trial in resumed_run.json["trials"]]
    assert scores == [1.0], resumed_run.err

"""The program of an MCP server with the tool `loan(number)`, and the words that run a task with it.

For example:

    run_in_process(*RUN_TASK, f"--mcp=loans=python {PLAIN_LOANS}", cwd=folder)
"""

from tests.support.command import ROOT

PLAIN_LOANS = ROOT / "tests/support/plain_loans.py"
"""The program of a server with the tool `loan(number)`."""


RUN_TASK = (
    "run",
    "--benchmark=folder:tasks",
    "--model=scripted:replies.toml",
)

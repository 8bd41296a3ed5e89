"""A task of a benchmark that needs an MCP server, in a folder with a reply that solves it."""

from pathlib import Path

import pytest


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

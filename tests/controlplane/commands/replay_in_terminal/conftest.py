"""A terminal in which `replay` shows the first page of a recorded trial."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import controlplane
from controlplane import Task
from controlplane.tool_benchmark.tool_benchmark import TaskList
from tests.support.terminal import Terminal

REPLIES = """
[[reply]]
state = "read"
plan = ["read", "answer"]
code = '''
scratchpad["days"] = harness.read("/loans.md").content
print("it says", scratchpad["days"])
'''
[[reply]]
state = "answer without words"
code = '''
scratchpad["answer"], scratchpad["outcome"] = "OUTCOME_OK", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == "OUTCOME_OK")
'''
[[reply]]
state = "answer"
code = '''
scratchpad["answer"] = "21"
harness.answer(scratchpad, lambda sp: sp["answer"] == "21")
'''
"""
"""The model's replies. Gate 6 sends the answer "OUTCOME_OK" back, because it is no text."""


@pytest.fixture(scope="session")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the journal of two trials: loan.1 has the score 0, and loan.2 has 1."""
    folder = tmp_path_factory.mktemp("loans")
    (folder / "replies.toml").write_text(REPLIES)
    files = {"/loans.md": "21"}
    wrong = Task("loan.1", "For how long?", files=files, grade=lambda end: 0.0)
    right = Task("loan.2", "For how long?", files=files, grade=lambda end: 1.0)
    run = controlplane.run(
        TaskList([wrong, right], citations="none"),
        model=f"scripted:{folder / 'replies.toml'}",
        runs_dir=str(folder),
    )
    return run.journal


@pytest.fixture
def terminal(journal: Path) -> Iterator[Terminal]:
    """Return a terminal in which `replay` shows the first page of the trial."""
    with Terminal(
        "replay", journal, "--trial=loan.1", cwd=journal.parent, columns=80, rows=60
    ) as terminal:
        terminal.wait_for(r"q quit\s*$")  # The list of keys stands below each page.
        yield terminal

"""The events of a small run, in which the tests replace numbers."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import CommandRunner
from tests.support.journals.chained_lines import CHAIN_FIELDS

REPLIES = """
[[reply]]
code = '''
print(harness.read("/a.txt").content)
scratchpad["answer"], scratchpad["outcome"] = "done", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == "done")
'''
"""
"""The model of a small run: a script that reads a file and answers."""


@pytest.fixture
def recorded_events(
    run_command_here: CommandRunner, tmp_path: Path
) -> list[dict[str, Any]]:
    """The events of a small run, without the fields of a line that hold hashes (`CHAIN_FIELDS`)."""
    (tmp_path / "a.txt").write_text("It is blue.\n")
    (tmp_path / "replies.toml").write_text(REPLIES)
    question = run_command_here(
        "ask", "Read a.txt.", "a.txt", "--model", "scripted:replies.toml"
    )
    assert question.code == 0, question.err

    (journal,) = (tmp_path / "runs").glob("*.jsonl")
    events: list[dict[str, Any]] = []
    for line in journal.read_text().splitlines():
        event = json.loads(line)
        for name in CHAIN_FIELDS:
            event.pop(name, None)
        events.append(event)
    return events

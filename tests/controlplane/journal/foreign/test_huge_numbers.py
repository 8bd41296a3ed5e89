"""Numbers of any size in a stranger's journal.

Somebody may send a journal in which a number of tokens is 10**400. Every command that reads
journals either shows such a number or calls the journal damaged, and none ends with an exception.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from controlplane.errors import JournalDamaged, NotAJournal
from controlplane.journal.journal_lines import GENESIS, line_of
from tests.controlplane.journal.foreign.number_fields import (
    field_name,
    paths_of_numbers,
    with_value_at,
)
from tests.support.command import CommandRunner
from tests.support.journals.chained_lines import CHAIN_FIELDS

READING_COMMANDS = (
    "show theirs.jsonl",
    "show theirs.jsonl --json",
    "replay theirs.jsonl",
    "replay theirs.jsonl --trial read",
    "compare theirs.jsonl theirs.jsonl",
    "report theirs.jsonl -o page.html",
    "export theirs.jsonl --to trials.csv",
    "export theirs.jsonl --to steps.csv",
    "export theirs.jsonl --to calls.csv",
    "export theirs.jsonl --to otel.jsonl",
    "runs --runs-dir .",
)
"""Every command that reads a journal."""


REFUSED = (NotAJournal.exit_code, JournalDamaged.exit_code)
"""The exit codes of a command that refuses a journal."""

REPLIES = """
[[reply]]
code = '''
print(harness.read("/a.txt").content)
scratchpad["answer"], scratchpad["outcome"] = "done", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == "done")
'''
"""
"""The model of a small run: a script that reads a file and answers."""


def write_strangers_journal(events: list[dict[str, Any]]) -> None:
    """Write the events of a journal as somebody else could: with numbers of any size.

    The file is `theirs.jsonl`. Its hashes are valid, since anybody can compute them.
    """
    previous_hash = GENESIS
    data = b""
    for event in events:
        text = json.dumps(event, separators=(",", ":"))
        line, previous_hash = line_of(text.encode(), previous_hash)
        data += line
    Path("theirs.jsonl").write_bytes(data)


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


def check_commands_show_or_refuse(field: str, run_command: CommandRunner) -> None:
    """Assert that each command reads `theirs.jsonl` or refuses it, and raises no exception.

    Python would print an exception as `OverflowError: ...`. All commands read a journal in the same
    way. So if the first, `show`, refuses it, the others are not tried. `field` is only for the
    message of a failed assertion: the field that was changed.
    """
    for command in READING_COMMANDS:
        result = run_command(*command.split())
        assert result.code == 0 or result.code in REFUSED, (field, command, result.err)
        assert "Error:" not in result.err, (field, command)
        if result.code in REFUSED:
            return


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(10**400, id="too large for a float"),
        pytest.param(-1, id="below every bound"),
        pytest.param(1e308, id="almost the largest float"),
    ],
)
def test_a_number_of_any_size_is_shown_or_called_damaged(
    number: float,
    recorded_events: list[dict[str, Any]],
    run_command_here: CommandRunner,
) -> None:
    """1. A small run is recorded. One of its events is `{"type": "step", "step": 1, ...}`.
    2. A stranger's copy has `number` in place of the 1, and a valid chain of hashes.
    3. Commands that read journals, such as `show theirs.jsonl`, show the copy or refuse it.

    This is done with each field of the journal that is a number, in turn.
    """
    tried_fields: set[str] = set()
    for index, event in enumerate(recorded_events):
        for path in paths_of_numbers(event):
            field = field_name(path, event)
            if field in tried_fields:
                continue
            tried_fields.add(field)

            events = list(recorded_events)
            events[index] = with_value_at(path, event, number)
            write_strangers_journal(events)
            check_commands_show_or_refuse(field, run_command_here)

    # The events of a run have more numeric fields than this: the loop has found them.
    assert len(tried_fields) > 30

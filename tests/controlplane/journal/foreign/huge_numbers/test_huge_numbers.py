"""Numbers of any size in a stranger's journal are shown, or the journal is called damaged.

A journal is the record of a run, a file with an event in each line. Somebody may send one in which a
number of tokens is 10**400. No command that reads journals may end with an exception.
"""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from controlplane.errors import JournalDamaged, NotAJournal
from controlplane.journal.journal_lines import GENESIS, line_of
from tests.support.command import CommandRunner
from tests.support.journals import CHAIN_FIELDS

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


# Finds the numbers in an event of a journal, and replaces one of them.
#
# An event is the fields of one line. In `{"type": "model_replied", "usage": {"prompt_tokens": 90}}`,
# the one number has the path `("usage", "prompt_tokens")`, and its field the name
# `model_replied.usage.prompt_tokens`.

FieldPath = tuple[str | int, ...]
"""Where a value is in an event: `("usage", "prompt_tokens")` or `("trials", 0, "number")`."""


def paths_of_numbers(value: Any, path: FieldPath = ()) -> Iterator[FieldPath]:
    """Yield the path of each number in an event."""
    if isinstance(value, dict):
        for name, field in value.items():
            yield from paths_of_numbers(field, (*path, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from paths_of_numbers(item, (*path, index))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path


def with_value_at(path: FieldPath, event: dict[str, Any], value: float) -> Any:
    """Return a copy of an event with another value at this path."""
    changed_event: Any = copy.deepcopy(event)
    container = changed_event
    for part in path[:-1]:
        container = container[part]
    container[path[-1]] = value
    return changed_event


def field_name(path: FieldPath, event: dict[str, Any]) -> str:
    """Return the name of the field at a path: `run_started.trials.number`.

    It is the same for all items of a list.
    """
    names = [event["type"]]
    names += [part for part in path if isinstance(part, str)]
    return ".".join(names)


# A stranger's journal, `theirs.jsonl`, and the commands that read it.
#
#     write_strangers_journal([{"type": "run_opened", ...}, ...])
#     check_commands_show_or_refuse("step.step", run_command_here)
#
# Somebody else can write any event with valid hashes, such as a number of tokens of 10**400.

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

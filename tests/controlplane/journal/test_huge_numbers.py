"""Numbers of any size in a stranger's journal end no command with an error of ours."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from controlplane.errors import JournalDamaged, NotAJournal
from controlplane.journal.journal_lines import GENESIS, line_of
from tests.controlplane.journal.test_unencodable_texts import SCRIPT
from tests.support.command import CommandRunner

NUMBERS = (10**400, -1, 1e308)
"""One that is too large for a float, one below every bound, and the largest float."""
COMMANDS = (
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
REFUSED = {NotAJournal.exit_code, JournalDamaged.exit_code}
Place = tuple[str | int, ...]


def places_of_numbers(value: Any, place: Place = ()) -> Iterator[Place]:
    """Yield where numbers are in an event, as `("usage", "prompt_tokens")`."""
    if isinstance(value, dict):
        for name, field in value.items():
            yield from places_of_numbers(field, (*place, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from places_of_numbers(item, (*place, index))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield place


def write_journal(events: list[dict[str, Any]]) -> None:
    """Write these events, with a chain of their own, as `theirs.jsonl`."""
    previous = GENESIS
    data = b""
    for event in events:
        line, previous = line_of(
            json.dumps(event, separators=(",", ":")).encode(), previous
        )
        data += line
    Path("theirs.jsonl").write_bytes(data)


def recorded_events(journal: Path) -> list[dict[str, Any]]:
    """Return the events of a journal without the fields of its chain."""
    events = []
    for line in journal.read_text().splitlines():
        event = json.loads(line)
        for name in ("prev", "hash", "mark"):
            event.pop(name, None)
        events.append(event)
    return events


@pytest.mark.parametrize("number", NUMBERS, ids=["1e400", "-1", "1e308"])
def test_a_number_of_any_size_is_shown_or_called_damaged(
    number: float, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("It is blue.\n")
    (tmp_path / "replies.toml").write_text(SCRIPT)
    asked = run_command_here(
        "ask", "Read a.txt.", "a.txt", "--model", "scripted:replies.toml"
    )

    assert asked.code == 0, asked.err
    (journal,) = (tmp_path / "runs").glob("*.jsonl")
    events = recorded_events(journal)

    seen: set[Place] = set()
    for event in events:
        for place in list(places_of_numbers(event)):
            kind: Place = (
                event["type"],
                *(part for part in place if isinstance(part, str)),
            )
            if kind in seen:
                continue
            seen.add(kind)

            container: Any = event
            for part in place[:-1]:
                container = container[part]
            recorded = container[place[-1]]
            container[place[-1]] = number
            write_journal(events)
            container[place[-1]] = recorded

            for command in COMMANDS:
                shown = run_command_here(*command.split())
                assert shown.code in {0, *REFUSED}, (kind, command, shown.err)
                assert "Error:" not in shown.err, (kind, command)
                if shown.code in REFUSED:
                    break  # every command reads a journal in the same way
    assert len(seen) > 30

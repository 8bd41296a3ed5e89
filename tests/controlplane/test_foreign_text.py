"""Texts of strangers in a journal do not steer the user's terminal.

A text may contain escape sequences that clear the screen, and characters that turn the direction of a
line. Commands print such characters in a visible form.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import ROOT, run_in_process
from tests.support.journals.chained_lines import chained_lines

OK = 0

CLEAR_SCREEN = "\x1b[2J"

RIGHT_TO_LEFT = "\u202e"


def with_steering_texts(value: Any, field: str) -> Any:
    """Return a value of an event with steering characters behind every text of this field."""
    if isinstance(value, list):
        return [with_steering_texts(item, field) for item in value]
    if not isinstance(value, dict):
        return value
    changed: dict[str, Any] = {}
    for name, item in value.items():
        changed[name] = with_steering_texts(item, field)
    if isinstance(changed.get(field), str):
        changed[field] += CLEAR_SCREEN + RIGHT_TO_LEFT
    return changed


@pytest.mark.parametrize(
    "command", [("show",), ("replay", "--trial", "calendar")], ids=" ".join
)
@pytest.mark.parametrize("field", ["task_id", "outcome", "name", "operation"])
def test_no_text_of_a_journal_steers_the_terminal(
    field: str, command: tuple[str, ...], tmp_path: Path
) -> None:
    """In each event but the first, the texts of one field get steering characters at their ends."""
    # The journal of a small run, which is part of the repository.
    sample = ROOT / "runs/sample.jsonl"
    opened, *events = [json.loads(line) for line in sample.read_bytes().splitlines()]
    changed_events = [with_steering_texts(event, field) for event in events]
    path = tmp_path / "r.jsonl"
    path.write_bytes(chained_lines([opened, *changed_events]))
    verb, *options = command

    result = run_in_process(verb, path, *options, cwd=tmp_path)

    assert result.code == OK, result.err
    assert "\x1b" not in result.out
    assert RIGHT_TO_LEFT not in result.out

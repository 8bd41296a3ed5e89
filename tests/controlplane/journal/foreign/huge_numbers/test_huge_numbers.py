"""Numbers of any size in a stranger's journal are shown, or the journal is called damaged.

A journal is the record of a run, a file with an event in each line. Somebody may send one in which a
number of tokens is 10**400. No command that reads journals may end with an exception.
"""

from typing import Any

import pytest

from tests.controlplane.journal.foreign.huge_numbers.number_fields import (
    field_name,
    paths_of_numbers,
    with_value_at,
)
from tests.controlplane.journal.foreign.huge_numbers.strangers_journal import (
    check_commands_show_or_refuse,
    write_strangers_journal,
)
from tests.support.command import CommandRunner


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

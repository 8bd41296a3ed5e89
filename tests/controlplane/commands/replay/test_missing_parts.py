"""`replay` refuses a trial or step that is not in the journal, and shows one as far as it goes.

    replay first --trial seat-005 --step 9    ->    ... has no step 9; it has steps 1 to 3

The run "first" has the trials seat-001 to seat-025, of three steps each.
"""

import json
from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.support.command import run_in_process
from tests.support.recorded_run import RecordedRun


@pytest.mark.parametrize(
    ("options", "message_part"),
    [
        pytest.param(
            ("--trial", "seat-005", "--step", "9"),
            "has no step 9; it has steps 1 to 3",
            id="no such step",
        ),
        pytest.param(
            ("--trial", "seat-0"), "fits several trials", id="an ambiguous trial"
        ),
        pytest.param(("--trial", "nobody"), "no trial 'nobody'", id="no such trial"),
        pytest.param(
            ("--step", "2"), "--step needs --trial", id="a step without a trial"
        ),
    ],
)
def test_a_trial_or_step_that_does_not_exist_is_a_usage_error(
    options: tuple[str, ...], message_part: str, recorded: RecordedRun
) -> None:
    result = recorded.run_command("replay", "first", *options)

    assert result.code == UsageError.exit_code
    assert message_part in result.out + result.err


def test_a_trial_that_was_cut_off_in_a_step_shows_what_was_recorded(
    recorded: RecordedRun, tmp_path: Path
) -> None:
    """The journal is cut right before the event that ends the first step of a trial."""
    lines = recorded.journal.read_bytes().splitlines(keepends=True)
    events = [json.loads(line) for line in lines]
    end_of_first_step = [event["type"] for event in events].index("step")
    trial_id = events[end_of_first_step]["trial_id"]
    cut_journal = tmp_path / "cut.jsonl"
    cut_journal.write_bytes(b"".join(lines[:end_of_first_step]))

    result = run_in_process("replay", cut_journal, "--trial", trial_id, cwd=tmp_path)

    assert result.code == 0
    assert "harness.count()" in result.out
    assert "the journal breaks off here" in result.out

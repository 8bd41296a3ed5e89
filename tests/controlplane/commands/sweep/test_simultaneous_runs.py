"""The runs of a sweep play at the same time.

`sweep s.toml` plays the same tasks under several settings, here a base run and one without checks of
answers. The one starts before the other has ended.
"""

import json
from pathlib import Path

from tests.controlplane.commands.sweep.sweep_results import (
    BASE_JOURNAL,
    JOURNAL_WITHOUT_GATES,
    sweep_text,
)
from tests.support.command import CommandRunner


def start_and_end_of_trials(journal: Path) -> tuple[int, int]:
    """Return when a run's first trial started and its last one ended, in milliseconds."""
    starts = []
    ends = []
    for line in journal.read_text("utf-8").splitlines():
        event = json.loads(line)
        if event["type"] == "trial_started":
            starts.append(event["at_ms"])
        elif event["type"] == "trial_ended":
            ends.append(event["at_ms"])
    return min(starts), max(ends)


def test_the_runs_of_a_sweep_play_at_the_same_time(
    script: Path, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """Every call takes 0.3 s, so that each run lasts: one starts before the other has ended."""
    slow_calls = "set = {seconds = '0.3'}"
    text = sweep_text(script, base=slow_calls)
    (tmp_path / "s.toml").write_text(text, encoding="utf-8")

    assert run_command_here("sweep", "s.toml", "--quiet").code == 0

    base_start, base_end = start_and_end_of_trials(tmp_path / BASE_JOURNAL)
    other_start, other_end = start_and_end_of_trials(tmp_path / JOURNAL_WITHOUT_GATES)
    assert base_start < other_end
    assert other_start < base_end

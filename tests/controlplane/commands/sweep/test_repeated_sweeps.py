"""A sweep that is repeated plays only what is not recorded yet.

`sweep s.toml` plays three tasks with all checks of answers, and without: `gates=none`. Each of the
two runs has a journal named after its settings, such as `runs/s-gates-none-42a3.jsonl`.
"""

from pathlib import Path

import pytest

from tests.controlplane.commands.sweep.sweep_results import (
    BASE_JOURNAL,
    JOURNAL_WITHOUT_GATES,
    means_by_label,
)
from tests.support.command import CommandRunner


def contents_by_name(folder: Path) -> dict[str, bytes]:
    """Return the contents of a folder's files, as in `{"a.jsonl": b"..."}`."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.usefixtures("file_of_two_runs")
def test_a_repeated_sweep_prints_the_comparison_and_plays_nothing_again(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """The journals of the first sweep stay as they are, byte for byte."""
    result = run_command_here("sweep", "s.toml", "--json").json
    journals = contents_by_name(tmp_path / "runs")

    printed = run_command_here("sweep", "s.toml").out
    repeated_result = run_command_here("sweep", "s.toml", "--json").json

    assert "gates=none" in printed
    assert printed.count("0 better, 3 worse, 0 equal · difference -1.000") == 1
    assert repeated_result == result
    assert contents_by_name(tmp_path / "runs") == journals


@pytest.mark.usefixtures("file_of_two_runs")
def test_a_repeated_sweep_resumes_a_run_that_was_cut_off_and_plays_a_missing_one(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """After a first sweep, half of one journal is cut off, and the other is deleted."""
    whole_sweep = run_command_here("sweep", "s.toml", "--json").json

    base_journal = tmp_path / BASE_JOURNAL
    lines = base_journal.read_bytes().splitlines(keepends=True)
    first_half = lines[: len(lines) // 2]
    base_journal.write_bytes(b"".join(first_half))
    (tmp_path / JOURNAL_WITHOUT_GATES).unlink()

    repeated_sweep = run_command_here("sweep", "s.toml", "--quiet", "--json").json

    assert means_by_label(repeated_sweep) == means_by_label(whole_sweep)
    assert run_command_here("replay", "s-base", "--verify").code == 0

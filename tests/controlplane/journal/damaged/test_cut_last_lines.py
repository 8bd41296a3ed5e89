"""A journal whose last line was cut is replayed and resumed, since a kill may cut that line.

A journal is a file of JSON lines, to which a run adds a line for each event. The last line of a
finished journal is longer than 30 bytes, so that a journal without its last 30 bytes ends in the
middle of that line. If the cut line goes on with something else, the journal is damaged: no kill
does so.
"""

from pathlib import Path

import pytest

from controlplane.errors import JournalDamaged
from tests.support.command import CommandRunner, check_error_line


def test_a_journal_whose_last_line_was_cut_is_replayed_and_resumed(
    finished_journal: bytes, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    (tmp_path / "it.jsonl").write_bytes(finished_journal[:-30])

    replay = run_command_here("replay", "it.jsonl", "--verify")
    resumed = run_command_here("resume", "it.jsonl")

    assert replay.code == 0, replay.err
    assert "the last line was cut off" in replay.out
    assert resumed.code in (0, 1)  # 1: a trial has no answer.


@pytest.mark.parametrize(
    "command",
    [("show",), ("replay", "--verify"), ("resume",), ("submit",), ("poll",)],
    ids=" ".join,
)
def test_a_journal_whose_cut_line_goes_on_is_damaged_and_not_changed(
    command: tuple[str, ...],
    finished_journal: bytes,
    run_command_here: CommandRunner,
    tmp_path: Path,
) -> None:
    damaged_journal = finished_journal[:-30] + b"and more\n"
    (tmp_path / "it.jsonl").write_bytes(damaged_journal)

    result = run_command_here(*command, "it.jsonl")

    check_error_line(result, JournalDamaged.exit_code, "it.jsonl", "is damaged at line")
    assert (tmp_path / "it.jsonl").read_bytes() == damaged_journal

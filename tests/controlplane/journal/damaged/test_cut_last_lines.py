"""A journal whose last line was cut is replayed and resumed, since a kill may cut that line.

A journal is a file of JSON lines, to which a run adds a line for each event. `replay --verify` says
that "the last line was cut off", and `resume` goes on with the run. If another line follows the cut
one, the journal is damaged, and no command changes it.
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
def test_a_journal_with_a_line_after_the_cut_one_is_damaged(
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

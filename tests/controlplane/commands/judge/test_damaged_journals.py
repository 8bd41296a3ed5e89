"""`judge FOLDER` leaves out a damaged journal, names it, and judges the others.

In the journal `free.jsonl`, a line was changed. It no longer fits the hash that the next line has of
it: "left out: ... free.jsonl is damaged at line ...".
"""

import shutil
from pathlib import Path

from controlplane.errors import JournalDamaged
from tests.support.command import CommandRunner


def test_judge_names_a_damaged_journal_of_a_folder_and_judges_the_others(
    runs_of_two_answers: Path, tmp_path: Path, run_command_here: CommandRunner
) -> None:
    folder = tmp_path / "mixed"
    shutil.copytree(runs_of_two_answers, folder)
    damaged_journal = folder / "free.jsonl"
    content = damaged_journal.read_bytes()
    damaged_journal.write_bytes(content.replace(b"In a week", b"In a wxxk"))

    judged_folder = run_command_here("judge", str(folder))
    judged_journal = run_command_here("judge", str(damaged_journal))

    assert judged_folder.code == JournalDamaged.exit_code
    assert "left out: " in judged_folder.err
    assert "2 as before" in judged_folder.out  # The two answers of gated.jsonl.
    assert judged_journal.code == JournalDamaged.exit_code

"""A stranger's journal of a run can be read, and the reader says what it does not prove.

Each line of a journal has a *mark*: a signature with the key of the user whose run wrote it. A journal
with a line that lacks this user's mark is *foreign*: "you did not write its line 12 here".
"""

import re
from pathlib import Path

from controlplane.journal.journal_reader import open_journal
from tests.controlplane.journal.foreign.foreign_runs.all_forgeries import each_forgery
from tests.support.command import run_in_process


@each_forgery
def test_a_journal_with_an_unmarked_line_can_be_read(
    foreign_journal: Path, tmp_path: Path
) -> None:
    """`show` prints it as any other."""
    with open_journal(foreign_journal) as journal:
        fault = journal.fault_of_marks

    assert re.fullmatch(r"you did not write its line \d+ here", fault), fault
    assert run_in_process("show", foreign_journal, cwd=tmp_path).code == 0


@each_forgery
def test_a_replay_says_what_it_cannot_verify_without_marks(
    foreign_journal: Path, tmp_path: Path
) -> None:
    """A replay runs the recorded scripts again. What it cannot compute, such as the settings of
    the run, only a mark proves."""
    with open_journal(foreign_journal) as journal:
        fault = journal.fault_of_marks

    replay = run_in_process("replay", foreign_journal, "--verify", cwd=tmp_path)

    assert replay.code == 0, replay.err
    assert f"not verified, as {fault}: settings" in replay.out

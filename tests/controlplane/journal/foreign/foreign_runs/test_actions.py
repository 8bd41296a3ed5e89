"""No command acts on a stranger's journal of a run that is over.

Some lines of such a *foreign* journal lack this user's mark, a signature. It may come from a stranger,
and names programs and modules to run. So it stays as it is, byte for byte, and its benchmark and model
are used for nothing.
"""

from pathlib import Path

import pytest

from controlplane.errors import UsageError
from controlplane.journal.journal_reader import open_journal
from tests.controlplane.journal.foreign.foreign_runs.all_forgeries import each_forgery
from tests.support.command import run_in_process


@each_forgery
@pytest.mark.parametrize(
    "command", [("resume",), ("submit", "--force"), ("poll",)], ids=" ".join
)
def test_commands_that_continue_a_run_leave_a_foreign_journal_as_it_is(
    command: tuple[str, ...], foreign_journal: Path, tmp_path: Path
) -> None:
    """`resume`, `submit` and `poll` add lines to a journal. Here each of them is refused, or finds
    that the run is over. In neither case may it write a line."""
    bytes_before = foreign_journal.read_bytes()
    verb, *options = command

    run_in_process(verb, foreign_journal, *options, cwd=tmp_path)

    assert foreign_journal.read_bytes() == bytes_before


@each_forgery
@pytest.mark.parametrize(
    "command",
    [
        ("rerun",),
        ("fork", "--trial", "seat-001-t0", "--step", "1"),
        ("judge", "--grader"),
    ],
    ids=" ".join,
)
def test_no_new_run_is_made_from_a_foreign_journal(
    command: tuple[str, ...], foreign_journal: Path, tmp_path: Path
) -> None:
    """`rerun` repeats a run, `fork` plays a trial on from one of its steps, and `judge
    --grader` scores its answers again. All three would take the benchmark and the model from
    the journal."""
    with open_journal(foreign_journal) as journal:
        fault = journal.fault_of_marks
    verb, *options = command

    refused = run_in_process(verb, foreign_journal, *options, cwd=tmp_path)

    assert refused.code == UsageError.exit_code
    assert f"can only be read: {fault}; if you trust" in refused.err

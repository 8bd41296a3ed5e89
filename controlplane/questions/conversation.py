"""Which runs are questions of `controlplane ask`, and which question was asked last.

The journal of a question is that of a run with a single trial.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from controlplane.configuration.recorded_settings import check_own
from controlplane.configuration.runs_folder import run_argument
from controlplane.errors import UsageError
from controlplane.journal.journal_files import journal_id, newest_first
from controlplane.journal.journal_reader import glance_at, open_journal
from controlplane.lifecycle import run_refusals
from controlplane.program_invocation import invocation
from controlplane.run_names import last_own_journal

if TYPE_CHECKING:
    from controlplane.journal.totals.run_summary import RunSummary

BENCHMARK: Final = "files"


def last_question(folder: Path, *, is_trusted: bool) -> Path:
    """Return the journal of the last question in a folder.

    Raises `UsageError` if there is none, or if it belongs to another user.
    """
    # The name of a journal contains its benchmark: `20261120-071410-files-....jsonl`.
    journals = [path for path in newest_first(folder) if f"-{BENCHMARK}-" in path.name]
    if not journals:
        msg = f"--continue: no question was asked yet (no journal of one in {folder}); ask one first"
        raise UsageError(msg)
    last = journals[0] if is_trusted else last_own_journal(folder, journals)
    with open_journal(last) as journal:
        check_own(journal, is_trusted=is_trusted)
    return last


def is_question(summary: RunSummary) -> bool:
    """Return True if a run is a question about files: one trial of the benchmark `files`."""
    opened = summary.opened
    if opened is None or len(summary.trials) != 1:
        return False
    return opened.benchmark.partition(":")[0] == BENCHMARK


def nothing_to_poll(path: Path) -> str:
    """Return why there are no scores to ask for in a journal's run; empty if there are some."""
    if is_question(glance_at(path)):
        show = invocation("show", run_argument(path))
        return f"{journal_id(path)} is a question, which has no scores to ask for; see: {show}"
    return run_refusals.reason_not_to_poll(path)

"""A run that still plays, in whose journal a test writes events, and a server of its pages.

    with live_run(folder) as (writer, view):
        writer.write(start)
        view.text("/runs/live")    ->    "... Running now ..."

The run has the trials "a" and "b".
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from controlplane.journal.journal_writer import JournalWriter
from tests.controlplane.report.listed_runs import rows_of_runs
from tests.controlplane.report.running_view import serving_view
from tests.controlplane.report.served_pages import RunningView
from tests.controlplane.report.unfinished_journal import unfinished_journal
from tests.support.command import wait_until


@contextmanager
def live_run(folder: Path) -> Iterator[tuple[JournalWriter, RunningView]]:
    """Yield the writer of the run's journal, and a server that has noticed that the run plays."""
    with (
        unfinished_journal(folder / "live.jsonl", "a", "b") as writer,
        serving_view(folder) as view,
    ):
        wait_until(lambda: "running" in rows_of_runs(view)[0])
        yield writer, view

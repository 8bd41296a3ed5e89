"""Prints the list of journals, newest first."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from rich.console import Console
from rich.table import Table
from rich.text import Text

from controlplane.errors import ControlPlaneError, JournalDamaged
from controlplane.journal.journal_digest import glance_at, is_being_written
from controlplane.journal.journal_file import journal_id
from controlplane.journal.run_summary import RunSummary
from controlplane.lifecycle.next_commands import invocation
from controlplane.view.display_text import age_text, cost_text, one_line, score_style, score_text
from controlplane.view.report import print_lines
from controlplane.view.result_json import run_object

STAMP: Final = len("20261120-071410")
"""Characters of a journal's id that hold the start of its run."""
COLUMNS: Final = ("run", "benchmark", "model", "trials", "score", "cost", "age", "ended")
CUT: Final = ("benchmark", "model")
"""Columns whose texts are cut if the window is too narrow."""
LEAST: Final = 5
"""Characters that a cut text keeps."""
RIGHT: Final = ("trials", "score", "cost", "age")
"""Columns aligned to the right."""
ENDED_STYLES: Final = {"finished": "green", "running": "cyan", "damaged": "red", "no journal": "red"}


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One row of the list: a journal, or a file that cannot be read as one."""

    path: Path
    summary: RunSummary
    ended: str
    """finished, interrupted, failed, running, cut off (its process is gone), damaged, no journal."""
    error: str = ""
    """Why the file cannot be read."""

    def as_object(self) -> dict[str, object]:
        """Return the row as plain JSON types."""
        found = run_object(self.summary, self.path)
        return {**found, "ended": self.ended, "error": self.error or found["error"]}

    @property
    def name(self) -> str:
        """The run's `--name`; empty if it has none."""
        return self.summary.opened.name if self.summary.opened else ""


def list_journals(paths: Sequence[Path], on_progress: Callable[[int, int], None]) -> list[JournalEntry]:
    """Return one entry for each path, also for those that cannot be read. `on_progress` receives (done, total)."""
    found = []
    for number, path in enumerate(paths, start=1):
        found.append(_entry(path))
        on_progress(number, len(paths))
    return found


def _entry(path: Path) -> JournalEntry:
    try:
        summary = glance_at(path)
    except ControlPlaneError as error:
        ended = "damaged" if isinstance(error, JournalDamaged) else "no journal"
        return JournalEntry(path, RunSummary(), ended, str(error))
    return JournalEntry(path, summary, summary.closed or ("running" if is_being_written(path) else "cut off"))


def print_runs(journals: Sequence[JournalEntry], folder: Path, older: int) -> None:
    """Print one line per journal, and how many `older` ones are left out."""
    console = Console(highlight=False)
    where = () if os.fspath(folder) == "runs" else ("--runs-dir", str(folder))
    if not journals:
        start = invocation("run", *where)
        console.print(f"no journals in {folder}; start a run with: {start}", soft_wrap=True, markup=False)
        return
    names = _shortest_names(journals)
    rows = [_row(each, name) for each, name in zip(journals, names, strict=True)]
    columns = [at for at, name in enumerate(COLUMNS) if name != "cost" or any(row[at].plain != "-" for row in rows)]
    ids = [len(name) for each, name in zip(journals, names, strict=True) if journal_id(each.path).startswith(name)]
    widths = _widths(rows, columns, console.width, least=max(STAMP, *ids, 0))
    table = Table(box=None, pad_edge=False, header_style="bold")
    for at in columns:
        name = COLUMNS[at]
        justify: Literal["left", "right"] = "right" if name in RIGHT else "left"
        table.add_column(name, no_wrap=True, overflow="ellipsis", justify=justify, width=widths[at])
    for row in rows:
        table.add_row(*(row[at] for at in columns))
    print_lines(console, table)
    if older:
        console.print(Text(f"and {older} older: {invocation('runs', '--all', *where)}"), soft_wrap=True, style="dim")


def _widths(rows: Sequence[Sequence[Text]], columns: Sequence[int], available: int, *, least: int) -> dict[int, int]:
    """Return the width of each column: as wide as its texts, except that `CUT` columns share the remaining space.

    In a narrow window the names of runs shrink first, down to `least` characters; further only if that is not enough.
    """
    widths = {at: max(len(COLUMNS[at]), *(row[at].cell_len for row in rows)) for at in columns}
    available -= 2 * (len(columns) - 1)
    others = sum(width for at, width in widths.items() if at)
    fixed = sum(width if COLUMNS[at] not in CUT else LEAST for at, width in widths.items() if at)
    widths[0] = min(widths[0], max(available - others, least), max(available - fixed, LEAST))
    left = available - sum(width for at, width in widths.items() if COLUMNS[at] not in CUT)
    # The narrowest first, so that the space it leaves goes to the others.
    cut = sorted((at for at in columns if COLUMNS[at] in CUT), key=lambda at: widths[at])
    for place, at in enumerate(cut):
        widths[at] = max(min(widths[at], left // (len(cut) - place)), LEAST)
        left -= widths[at]
    return widths


def _row(entry: JournalEntry, name: str) -> list[Text]:
    summary = entry.summary
    ended = Text(entry.ended, style=ENDED_STYLES.get(entry.ended, "yellow"))
    if summary.opened is None:
        return [Text(name), *(Text("-", style="dim") for _ in range(6)), ended]
    over = summary.over
    return [
        Text(one_line(name)),
        Text(one_line(summary.opened.benchmark)),
        Text(one_line(summary.opened.model)),
        Text(f"{over}/{len(summary.trials)}" if over < len(summary.trials) else f"{over}"),
        Text(score_text(summary.score, 3), style=score_style(summary.score)),
        Text(cost_text(summary.cost_usd) if summary.cost_usd else "-"),
        Text(age_text(time.time() - summary.last_ms / 1000)),
        ended,
    ]


def _shortest_names(journals: Sequence[JournalEntry]) -> list[str]:
    """Return for each journal the shortest unique name that RUN accepts: its name, its start time, or its id."""
    names = Counter(each.name for each in journals)
    stamps = Counter(journal_id(each.path)[:STAMP] for each in journals)
    found = []
    for each in journals:
        stem = journal_id(each.path)
        stamp_or_id = stem[:STAMP] if stamps[stem[:STAMP]] == 1 else stem
        found.append(each.name if each.name and names[each.name] == 1 else stamp_or_id)
    return found

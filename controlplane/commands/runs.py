"""`controlplane runs`: lists the journals, newest first."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.segment import Segment, Segments
from rich.text import Text

from controlplane.commands.options import AS_JSON, RUNS_DIR, progress_bar
from controlplane.journal.journal_file import how_ended, journal_id, newest_first
from controlplane.lifecycle.next_commands import invocation, runs_folder
from controlplane.view.display_text import age_text, cost_or_dash, cut_in_the_middle, one_line, score_style, score_text
from controlplane.view.report import WIDEST_LINE
from controlplane.view.runs_index import IndexedRun, indexed_runs

NEWEST: Final = 20
"""Journals listed without --all."""


@click.command("runs")
@click.option("--all", "everything", is_flag=True, help=f"List every journal, not only the newest {NEWEST}.")
@RUNS_DIR
@AS_JSON
def runs_command(everything: bool, runs_dir: str | None, as_json: bool) -> None:
    """List journals, newest first: name, benchmark, model, trials, score, cost, age, how each ended."""
    folder = runs_folder(runs_dir)
    paths = newest_first(folder)
    shown = paths if everything or as_json else paths[:NEWEST]
    with progress_bar("reading journals") as on_progress:
        journals = list_journals(folder, shown, on_progress)
    if as_json:
        print(json.dumps([journal.as_object() for journal in journals]))
        return
    print_runs(journals, folder, len(paths) - len(shown))
    for journal in journals:
        if journal.run.fault:
            click.echo(journal.run.error, err=True)


STAMP: Final = len("20261120-071410")
"""Characters of a journal's id that hold the start of its run."""
COLUMNS: Final = ("run", "benchmark", "model", "trials", "score", "cost", "age", "ended")
CUT: Final = ("benchmark", "model")
"""Columns whose texts are cut if the window is too narrow."""
DROPPED: Final = ("cost", "benchmark", "model")
"""Columns that a narrow window does without, in this order."""
LEAST_NAME: Final = 24
"""Columns of a run's name that no other column takes."""
LEAST: Final = 5
"""Characters that a cut text keeps."""
RIGHT: Final = ("trials", "score", "cost", "age")
"""Columns aligned to the right."""
ENDED_STYLES: Final = {"finished": "green", "running": "cyan", "damaged": "red", "no journal": "red"}


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One row of the list: a journal, or a file that cannot be read as one."""

    path: Path
    run: IndexedRun
    ended: str
    """finished, interrupted, failed, running, cut off (its process is gone), damaged, no journal."""

    def as_object(self) -> dict[str, object]:
        """Return the row as plain JSON types, in the order of the object that `show` prints."""
        fields = self.run.model_dump(exclude={"fault"})
        head = {"run": journal_id(self.path), "name": fields.pop("name"), "run_id": fields.pop("run_id")}
        return {**head, "journal": str(self.path), **fields, "ended": self.ended}


def list_journals(folder: Path, paths: Sequence[Path], on_progress: Callable[[int, int], None]) -> list[JournalEntry]:
    """Return one entry for each path, also for those that cannot be read. `on_progress` receives (done, total)."""
    runs = indexed_runs(folder, paths, on_progress)
    return [
        JournalEntry(path, run, run.fault or how_ended(path, run.ended)) for path, run in zip(paths, runs, strict=True)
    ]


def print_runs(journals: Sequence[JournalEntry], folder: Path, older: int) -> None:
    """Print one line per journal, and how many `older` ones are left out."""
    console = Console(highlight=False)
    where = () if os.fspath(folder) == "runs" else ("--runs-dir", str(folder))
    if not journals:
        start = invocation("run", *where)
        console.print(f"no journals in {folder}; start a run with: {start}", soft_wrap=True, markup=False)
        return
    names = _shortest_names(journals)
    rows = [_row(journal, name) for journal, name in zip(journals, names, strict=True)]
    columns = [at for at, name in enumerate(COLUMNS) if name != "cost" or any(row[at].plain != "-" for row in rows)]
    is_bounded = console.is_terminal or bool(os.environ.get("COLUMNS"))
    available = console.width if is_bounded else WIDEST_LINE
    widths = _widths(rows, _fitting(rows, columns, available), available)
    for row in rows:
        row[0] = Text(cut_in_the_middle(row[0].plain, widths[0]))
    header = [Text(column, style="bold") for column in COLUMNS]
    console.print(
        Segments([each for row in (header, *rows) for each in _line(console, row, widths)]), end="", soft_wrap=True
    )
    if older:
        console.print(Text(f"and {older} older: {invocation('runs', '--all', *where)}"), soft_wrap=True, style="dim")


def _line(console: Console, row: Sequence[Text], widths: Mapping[int, int]) -> Iterator[Segment]:
    """Yield a row within the widths of its columns. A table of rich's takes ten times as long."""
    last = max(widths)
    for at, width in widths.items():
        text = row[at].plain
        if row[at].cell_len > width:
            text = f"{set_cell_size(text, width - 1)}…"
        blank = " " * (width - cell_len(text))
        padded = f"{blank}{text}" if COLUMNS[at] in RIGHT else text if at == last else f"{text}{blank}"
        yield Segment(padded, console.get_style(row[at].style))
        yield Segment.line() if at == last else Segment("  ")


def _fitting(rows: Sequence[Sequence[Text]], columns: Sequence[int], available: int) -> list[int]:
    """Return the columns to show: those of `DROPPED` go, one by one, until runs can be told apart by their names."""
    kept = list(columns)
    natural = _natural(rows, columns)
    for dropped in DROPPED:
        least = sum(LEAST if COLUMNS[at] in CUT else natural[at] for at in kept if at) + 2 * (len(kept) - 1)
        if available - least >= min(natural[0], LEAST_NAME):
            break
        kept = [at for at in kept if COLUMNS[at] != dropped]
    return kept


def _natural(rows: Sequence[Sequence[Text]], columns: Sequence[int]) -> dict[int, int]:
    return {at: max(len(COLUMNS[at]), *(row[at].cell_len for row in rows)) for at in columns}


def _widths(rows: Sequence[Sequence[Text]], columns: Sequence[int], available: int) -> dict[int, int]:
    """Return the width of each column: as wide as its texts, except that `CUT` columns share the remaining space.

    In a narrow window the names of runs shrink first, down to `LEAST_NAME` columns; further only if that is not enough.
    """
    widths = _natural(rows, columns)
    available -= 2 * (len(columns) - 1)
    others = sum(width for at, width in widths.items() if at)
    fixed = sum(width if COLUMNS[at] not in CUT else LEAST for at, width in widths.items() if at)
    widths[0] = min(widths[0], max(available - others, LEAST_NAME), max(available - fixed, LEAST))
    left = available - sum(width for at, width in widths.items() if COLUMNS[at] not in CUT)
    # The narrowest first, so that the space it leaves goes to the others.
    cut = sorted((at for at in columns if COLUMNS[at] in CUT), key=lambda at: widths[at])
    for place, at in enumerate(cut):
        widths[at] = max(min(widths[at], left // (len(cut) - place)), LEAST)
        left -= widths[at]
    return widths


def _row(entry: JournalEntry, name: str) -> list[Text]:
    run = entry.run
    ended = Text(entry.ended, style=ENDED_STYLES.get(entry.ended, "yellow"))
    if run.fault:
        return [Text(name), *(Text("-", style="dim") for _ in range(6)), ended]
    return [
        Text(one_line(name)),
        Text(one_line(run.played)),
        Text(one_line(run.model)),
        Text(f"{run.trials_over}/{run.trials_total}" if run.trials_over < run.trials_total else f"{run.trials_over}"),
        Text(score_text(run.score, 3), style=score_style(run.score)),
        Text(cost_or_dash(run.cost_usd)),
        Text(age_text(time.time() - run.last_event_ms / 1000)),
        ended,
    ]


def _shortest_names(journals: Sequence[JournalEntry]) -> list[str]:
    """Return for each journal the shortest unique name that RUN accepts: its name, its start time, or its id."""
    names = Counter(journal.run.name for journal in journals)
    stamps = Counter(journal_id(journal.path)[:STAMP] for journal in journals)
    found = []
    for journal in journals:
        stem = journal_id(journal.path)
        stamp_or_id = stem[:STAMP] if stamps[stem[:STAMP]] == 1 else stem
        found.append(journal.run.name if journal.run.name and names[journal.run.name] == 1 else stamp_or_id)
    return found

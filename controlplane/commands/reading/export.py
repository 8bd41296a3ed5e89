"""`controlplane export`: journals as tables for notebooks and spans for tracing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import click

from controlplane.commands.options import AS_JSON, RUNS_DIR, find_journal
from controlplane.commands.shell_words import complete_run
from controlplane.errors import UsageError
from controlplane.export.otel_spans import write_spans
from controlplane.export.step_lines_file import write_steps
from controlplane.export.trial_table import trial_rows, write_csv, write_parquet
from controlplane.journal.journal_content import Journal, open_journal
from controlplane.view.display_text import count_text

KINDS: Final = {"trials.csv": "trial", "trials.parquet": "trial", "steps.jsonl": "step", "otel.jsonl": "span"}
"""What a file is by the end of its name, and what it holds."""


@click.command("export")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", shell_complete=complete_run)
@click.option("--to", "target", required=True, metavar="FILE", help=f"A file whose name ends with {', '.join(KINDS)}.")
@RUNS_DIR
@AS_JSON
def command(runs: tuple[str, ...], target: str, runs_dir: str | None, as_json: bool) -> None:
    """Write the trials, steps or OpenTelemetry spans of each RUN to one file.

    docs/reading.md describes the columns. In a CSV file, a text that a spreadsheet would take for a formula has an
    apostrophe in front.
    """
    kind = next((each for each in KINDS if Path(target).name.endswith(each)), "")
    if not kind:
        msg = f"--to {target}: the file's name says what it is to hold, and ends with one of {', '.join(KINDS)}"
        raise UsageError(msg)
    paths = [find_journal(each, runs_dir) for each in runs]
    try:
        Path(target).parent.mkdir(parents=True, exist_ok=True)
        count = _write(kind, Path(target), paths)
    except OSError as error:
        msg = f"cannot write {target}: {error.strerror}; name another file with --to"
        raise UsageError(msg) from error
    told = {"file": target, "runs": len(paths), f"{KINDS[kind]}s": count}
    print(json.dumps(told) if as_json else f"{count_text(count, KINDS[kind])} in {target}")


def _write(kind: str, target: Path, paths: Sequence[Path]) -> int:
    journals = _opened(paths)
    if kind == "steps.jsonl":
        return write_steps(target, journals)
    if kind == "otel.jsonl":
        return write_spans(target, journals)
    rows = (row for journal in journals for row in trial_rows(journal))
    return write_csv(target, rows) if kind == "trials.csv" else write_parquet(target, rows)


def _opened(paths: Sequence[Path]) -> Iterator[Journal]:
    """Yield the journals one after another, each closed when the next is asked for."""
    for each in paths:
        with open_journal(each) as journal:
            yield journal

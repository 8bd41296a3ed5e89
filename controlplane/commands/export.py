"""`controlplane export`: writes runs as tables, as an Inspect log, or as OpenTelemetry spans."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from controlplane.commands.options import AS_JSON, RUNS_DIR
from controlplane.errors import UsageError, as_usage_error
from controlplane.report.export_tables import (
    RowsOf,
    call_rows,
    step_rows,
    trial_rows,
    write_csv,
    write_parquet,
)
from controlplane.report.inspect_log import write_inspect_log
from controlplane.report.otel_spans import write_spans
from controlplane.run_names import find_journal
from controlplane.terminal_text import count_text

CSV: Final = ".csv"
SPANS: Final = "otel.jsonl"
INSPECT_LOG: Final = ".eval"
ENDINGS: Final = (
    "trials.csv",
    "trials.parquet",
    "steps.csv",
    "steps.parquet",
    "calls.csv",
    "calls.parquet",
    SPANS,
    INSPECT_LOG,
)
"""What a file's name ends with says what it is to hold."""


@dataclass(frozen=True, slots=True)
class Written:
    """What was written to a file."""

    noun: str
    count: int


@click.command("export")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--to",
    "target",
    required=True,
    metavar="FILE",
    help="A file whose name says what it is to hold.",
)
@RUNS_DIR
@AS_JSON
def export_command(runs: tuple[str, ...], target: str, runs_dir: str | None, as_json: bool) -> None:
    """Write each RUN to one file: a table, an Inspect log, or OpenTelemetry spans.

    The file's name ends with trials, steps or calls and .csv or .parquet for a table of these, with .eval for a log
    that `inspect view` opens, or with otel.jsonl for spans. Parquet needs the extra `tables`, .eval the extra
    `inspect`. docs/commands.md describes the columns.
    """
    ending = _ending_of(target)
    paths = [find_journal(run, runs_dir) for run in runs]
    if ending == INSPECT_LOG and len(paths) > 1:
        msg = f"--to {target}: an Inspect log holds one run; name one"
        raise UsageError(msg)

    with as_usage_error(f"cannot write {target}", OSError):
        Path(target).parent.mkdir(parents=True, exist_ok=True)
        try:
            written = _write(ending, Path(target), paths)
        except ModuleNotFoundError as error:
            extra = "inspect" if ending == INSPECT_LOG else "tables"
            msg = f"{ending} needs {error.name}: pip install 'grounded-control-plane[{extra}]'"
            raise UsageError(msg) from error

    if as_json:
        result = {"file": target, "runs": len(paths), f"{written.noun}s": written.count}
        print(json.dumps(result))
    else:
        print(f"{count_text(written.count, written.noun)} in {target}")


def _ending_of(target: str) -> str:
    """Return the known ending of a file's name. Raises `UsageError` if it has none."""
    for ending in ENDINGS:
        if Path(target).name.endswith(ending):
            return ending
    endings = ", ".join(ENDINGS)
    msg = f"--to {target}: the file's name says what it is to hold, and ends with one of {endings}"
    raise UsageError(msg)


def _write(ending: str, target: Path, paths: Sequence[Path]) -> Written:
    """Write runs in the form that the ending of the file's name says."""
    if ending == INSPECT_LOG:
        return Written("sample", write_inspect_log(target, paths[0]))
    if ending == SPANS:
        return Written("span", write_spans(target, paths))
    table = Path(ending)
    noun = table.stem.removesuffix("s")
    rows_of = _rows_of(noun)
    if table.suffix == CSV:
        return Written(noun, write_csv(rows_of, target, paths))
    return Written(noun, write_parquet(rows_of, target, paths))


def _rows_of(noun: str) -> RowsOf:
    """Return the function that yields a journal's rows for a table of trials, steps or calls."""
    match noun:
        case "trial":
            return trial_rows
        case "step":
            return step_rows
        case _:
            return call_rows

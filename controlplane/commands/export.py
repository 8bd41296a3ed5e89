"""`controlplane export`: writes runs as tables, as an Inspect log, or as OpenTelemetry spans."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import click

from controlplane.commands.arguments.options import AS_JSON, RUNS_DIR
from controlplane.configuration.run_names import find_journal
from controlplane.errors import UsageError, as_usage_error
from controlplane.package_version import install_command
from controlplane.quantity_texts import count_text
from controlplane.report.export.inspect_log import write_inspect_log
from controlplane.report.export.otel_spans import write_spans
from controlplane.report.export.tables import (
    RowsOf,
    call_rows,
    step_rows,
    trial_rows,
    write_csv,
    write_parquet,
)

_SPANS: Final = "otel.jsonl"
_INSPECT_LOG: Final = ".eval"
_TABLES: Final[dict[str, RowsOf]] = {
    "trial": trial_rows,
    "step": step_rows,
    "call": call_rows,
}
"""The functions that yield a journal's rows, by what a row is about."""
_TABLE_WRITERS: Final = {"csv": write_csv, "parquet": write_parquet}
_ENDINGS: Final = (
    # such as `trials.csv`
    *(f"{noun}s.{form}" for noun in _TABLES for form in _TABLE_WRITERS),
    _SPANS,
    _INSPECT_LOG,
)
"""What the name of a file may end with. The ending decides what is written to the file."""


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
def export_command(
    runs: tuple[str, ...], target: str, runs_dir: str | None, as_json: bool
) -> None:
    """Write each RUN to one file: a table, an Inspect log, or OpenTelemetry spans.

    The file's name ends with trials, steps or calls and .csv or .parquet for a table of
    these, with .eval for a log that `inspect view` opens, or with otel.jsonl for spans.
    Parquet needs the extra `tables`, .eval the extra `inspect`. docs/commands.md
    describes the columns.
    """
    ending = _ending_of(target)
    paths = [find_journal(run, runs_dir) for run in runs]
    if ending == _INSPECT_LOG and len(paths) > 1:
        msg = f"--to {target}: an Inspect log holds one run; name one"
        raise UsageError(msg)

    file = Path(target)
    with as_usage_error(f"cannot write {target}", OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        # The file is written whole or not at all: half of a table looks like a whole one.
        with TemporaryDirectory(prefix=".export-", dir=file.parent) as folder:
            part = Path(folder, file.name)
            try:
                noun, count = _write(ending, part, paths)
            except ModuleNotFoundError as error:
                extra = "inspect" if ending == _INSPECT_LOG else "tables"
                msg = f"{ending} needs {error.name}: {install_command(extra)}"
                raise UsageError(msg) from error
            part.replace(file)

    if as_json:
        result = {"file": target, "runs": len(paths), f"{noun}s": count}
        print(json.dumps(result))
    else:
        print(f"{count_text(count, noun)} in {target}")


def _ending_of(target: str) -> str:
    """Return the known ending of a file's name: `out/june-trials.csv` -> `trials.csv`.

    Raises `UsageError` if it has none of `_ENDINGS`.
    """
    for ending in _ENDINGS:
        if Path(target).name.endswith(ending):
            return ending
    endings = ", ".join(_ENDINGS)
    msg = f"--to {target}: the file's name says what it is to hold, and ends with one of {endings}"
    raise UsageError(msg)


def _write(ending: str, target: Path, paths: Sequence[Path]) -> tuple[str, int]:
    """Write the runs of some journals to one file; return the noun and the number of what it holds.

    `ending`, one of `_ENDINGS`, says what is written, and in which format. Raises
    `ModuleNotFoundError` if the format needs a package that is not installed.
    """
    if ending == _INSPECT_LOG:
        return "sample", write_inspect_log(target, paths[0])
    if ending == _SPANS:
        return "span", write_spans(target, paths)
    # The ending of a table is, for example, `trials.csv`.
    plural, _, file_format = ending.partition(".")
    noun = plural.removesuffix("s")
    count = _TABLE_WRITERS[file_format](_TABLES[noun], target, paths)
    return noun, count

"""Writes trials, steps or calls of runs as a table, in CSV or Parquet."""

from __future__ import annotations

import csv
import io
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, TypeAlias

import re2

from controlplane.agent.events import CallRecord
from controlplane.errors import UsageError
from controlplane.facts.step_facts import step_facts
from controlplane.facts.trial_facts import Row, TrialRow, row_of, trial_facts
from controlplane.gates.text_folding import encodable
from controlplane.journal.journal_reader import Journal, open_journal
from controlplane.journal.state_files import open_regular
from controlplane.journal.trial_reader import RecordedTrial

RowsOf: TypeAlias = Callable[[Journal], Iterator[Row]]
"""A function that yields the rows of a table for one journal, such as `trial_rows`."""


def trial_rows(journal: Journal) -> Iterator[Row]:
    """Yield a row for each trial."""
    opened = journal.opened
    for trial in journal.summary.trials.values():
        facts = trial_facts(trial)
        row: Row = {
            "run": journal.run,
            "run_name": opened.name,
            "benchmark": opened.benchmark,
            "model": opened.model,
            "seed": journal.setting("seed"),
            "instruction": facts.instruction,
        }
        row |= row_of(facts, TrialRow)
        # In tables, an unknown time is None, and a trial that is not over has no score.
        row["started_ms"] = facts.started_ms or None
        row["elapsed_ms"] = facts.elapsed_ms or None
        row["score"] = facts.own_score
        yield row


def step_rows(journal: Journal) -> Iterator[Row]:
    """Yield a row for each complete step of each trial."""
    for trial in journal.trials.values():
        for step in trial.record.whole_steps:
            yield _trial_cells(journal, trial) | row_of(step_facts(step))


def call_rows(journal: Journal) -> Iterator[Row]:
    """Yield a row for each call of each trial, those of the initial prompt as step 0."""
    for trial in journal.trials.values():
        record = trial.record
        if record.initial_prompt:
            for number, call in enumerate(record.initial_prompt.calls):
                yield _trial_cells(journal, trial) | _call_cells(0, number, call)
        for step in record.step_summaries:
            for number, call in enumerate(step.calls):
                cells = _call_cells(step.step, number, call)
                yield _trial_cells(journal, trial) | cells


def _trial_cells(journal: Journal, trial: RecordedTrial) -> Row:
    """Return the columns that tell which trial a row is about."""
    return {"run": journal.run, "trial_id": trial.trial_id, "task_id": trial.task_id}


def _call_cells(step: int, number: int, call: CallRecord) -> Row:
    """Return the columns about a call. `number` counts the calls of its step, from 0."""
    return {
        "step": step,
        "number": number,
        "operation": call.operation,
        "arguments": call.arguments,
        "result": call.result,
        "error": call.error.code if call.error else "",
        "error_message": call.error.message if call.error else "",
        "in_verify": call.in_verify,
        "elapsed_ms": call.elapsed_ms,
    }


def _flat_rows(rows_of: RowsOf, paths: Sequence[Path]) -> Iterator[Row]:
    """Yield the rows of all runs; lists and objects in them are JSON texts."""
    for path in paths:
        with open_journal(path) as journal:
            for row in rows_of(journal):
                for name, value in row.items():
                    if isinstance(value, list | dict):
                        row[name] = json.dumps(value)
                yield row


# Writes trials, steps or calls of runs as a Parquet table, with the library DuckDB.
#
# A column needs one type for all rows, which is known only after the last row. So the rows are
# first written to a temporary file.


def write_parquet(rows_of: RowsOf, target: Path, paths: Sequence[Path]) -> int:
    """Write the rows of these journals; return their number.

    Raises `UsageError` if there are none, and `ModuleNotFoundError` without DuckDB.
    """
    import duckdb

    count = 0
    types: dict[str, set[type]] = {}
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "rows.jsonl"
        # DuckDB refuses half a surrogate pair, so `errors` writes a question mark instead.
        with lines.open("w", encoding="utf-8", errors="replace") as file:
            for row in _flat_rows(rows_of, paths):
                for name, value in row.items():
                    types.setdefault(name, set()).add(type(value))
                file.write(f"{json.dumps(row, ensure_ascii=False)}\n")
                count += 1
        if count == 0:
            msg = "the runs hold nothing to write"
            raise UsageError(msg)
        columns = {name: _duckdb_type(kinds) for name, kinds in types.items()}
        with duckdb.connect() as database:
            table = database.read_json(
                str(lines), format="newline_delimited", columns=columns
            )
            table.write_parquet(str(target))
    return count


def _duckdb_type(types: set[type]) -> str:
    """Return DuckDB's type for a column with values of these types."""
    known_types = types - {type(None)}
    if known_types == {bool}:
        return "BOOLEAN"
    if known_types == {int}:
        return "BIGINT"
    if known_types and known_types <= {int, float}:
        return "DOUBLE"
    return "VARCHAR"


# Writes a CSV table. It holds only data: a text that begins with `=`, such as `=1+1`, would be a
# formula in a spreadsheet, so an apostrophe is put before it.


def write_csv(rows_of: RowsOf, target: Path, paths: Sequence[Path]) -> int:
    """Write the rows of these journals; return their number."""
    count = 0
    with text_file(target) as file:
        table = csv.writer(file)
        for row in _flat_rows(rows_of, paths):
            if count == 0:
                table.writerow(row)
            table.writerow([_csv_cell(value) for value in row.values()])
            count += 1
    return count


def text_file(target: Path) -> io.TextIOWrapper:
    """Open a file to write. Half a surrogate pair, which UTF-8 lacks, is written as an escape.

    The user has named its place, so the user's umask decides who may read it.
    """
    binary = open_regular(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode=0o666)
    return io.TextIOWrapper(
        binary, encoding="utf-8", errors="backslashreplace", newline=""
    )


_CELL_START: Final = r"^|[;|\t\r\n\v\f]"
"""The beginning of a cell: some spreadsheets split cells at each of these separators."""
_BLANKS: Final = (
    r"[\s\v"
    r"\x{85}\x{a0}"  # next line, no-break space
    r"\x{feff}\x{200b}"  # byte-order mark, zero-width space
    r"\x{2028}\x{2029}"  # line and paragraph separator
    r"]*"
)
"""Blanks that spreadsheets ignore before a formula."""
_FORMULA_SIGN: Final = (
    r"[=+\-@"
    r"\x{ff1d}\x{ff0b}\x{ff0d}\x{ff20}"  # the same signs in their full-width forms
    r"]"
)
"""A sign with which a formula begins."""
_FORMULA: Final = re2.compile(rf"({_CELL_START})({_BLANKS})({_FORMULA_SIGN})")
"""What a spreadsheet may take for the beginning of a formula, as in `=1+1` or `a;=1`.

Its groups are the beginning of the cell, the blanks, and the sign.
"""


def _csv_cell(value: object) -> object:
    """Return a cell's value, with an apostrophe before what spreadsheets take for a formula."""
    if not isinstance(value, str):
        return value
    # The apostrophe goes between the blanks and the sign: ` =1+1` becomes ` '=1+1`.
    guarded: str = _FORMULA.sub(r"\1\2'\3", encodable(value))
    # Some spreadsheets drop a tab or line break at the beginning. The rest may be a formula.
    if guarded.startswith(("\t", "\r")):
        return f"'{guarded}"
    return guarded

"""The table of trials: one row each, as CSV that a spreadsheet takes for data alone, or as Parquet."""

from __future__ import annotations

import csv
import importlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

from controlplane.comparison.compared_trials import numbered
from controlplane.errors import UsageError
from controlplane.journal.journal_content import Journal

FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""A text that begins so is taken for a formula by spreadsheets."""


@dataclass(frozen=True, slots=True)
class TrialRow:
    """One trial. Absent numbers are empty, never 0."""

    run: str
    """The journal's id."""
    run_name: str
    """The run's `--name`."""
    benchmark: str
    """The benchmark."""
    model: str
    """Who played."""
    seed: int | None
    """The run's seed."""
    trial_id: str
    """The trial's id at its benchmark."""
    task_id: str
    """Its task."""
    try_number: int
    """The number of its try of the task, from 0."""
    state: str
    """`waiting`, `running`, `open`, `answered`, `fallback`, `unanswered`, `failed`."""
    score: float | None
    """The grader's score, 0 to 1; empty while it is sealed."""
    outcome: str
    """The outcome that was submitted."""
    answer: str
    """The message that was submitted."""
    refs: str
    """The cited paths, a JSON list."""
    steps: int
    """The number of its last step."""
    tokens: int
    """Its tokens."""
    cost_usd: float | None
    """What it cost in US dollars; null if nobody knows."""
    started_ms: int | None
    """When it started, in milliseconds since the epoch."""
    elapsed_ms: float | None
    """Milliseconds from its start to its end."""
    rejections: str
    """How often each gate and rule rejected, a JSON object."""
    reason: str
    """Why it has no answer, did not start, or was left open."""
    details: str
    """The grader's words, a JSON list."""
    instruction: str
    """What was asked."""


COLUMNS: Final = tuple(each.name for each in fields(TrialRow))


def trial_rows(journal: Journal) -> Iterator[TrialRow]:
    """Yield the row of each trial, in the order of the benchmark."""
    seed = journal.setting("seed")
    for each in numbered(journal.summary, journal.run):
        trial = each.summary
        yield TrialRow(
            run=journal.run,
            run_name=journal.opened.name,
            benchmark=journal.opened.benchmark,
            model=journal.opened.model,
            seed=seed if isinstance(seed, int) else None,
            trial_id=trial.trial_id,
            task_id=trial.task_id,
            try_number=each.number,
            state=trial.state,
            score=trial.score,
            outcome=trial.outcome,
            answer=trial.answer,
            refs=json.dumps(trial.refs),
            steps=trial.step,
            tokens=trial.tokens,
            cost_usd=trial.cost_usd,
            started_ms=trial.started_ms or None,
            elapsed_ms=trial.elapsed_ms or None,
            rejections=json.dumps(dict(sorted(trial.rejections.items()))),
            reason=trial.reason,
            details=json.dumps(trial.details),
            instruction=trial.instruction,
        )


def write_csv(path: Path, rows: Iterable[TrialRow]) -> int:
    """Write the rows with a head line and return how many there are. Texts like formulas get an apostrophe in front."""
    count = 0
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for each in rows:
            writer.writerow([_cell(getattr(each, name)) for name in COLUMNS])
            count += 1
    return count


def _cell(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def write_parquet(path: Path, rows: Iterable[TrialRow]) -> int:
    """Write the rows as Parquet and return how many there are. Raises `UsageError` if its package is not installed."""
    try:
        pyarrow, parquet = (importlib.import_module(each) for each in ("pyarrow", "pyarrow.parquet"))
    except ModuleNotFoundError as error:
        msg = "Parquet needs the extra: pip install 'grounded-control-plane[parquet]'; trials.csv needs nothing"
        raise UsageError(msg) from error
    kinds = {
        "str": pyarrow.string(),
        "int": pyarrow.int64(),
        "int | None": pyarrow.int64(),
        "float": pyarrow.float64(),
        "float | None": pyarrow.float64(),
    }
    schema = pyarrow.schema([(each.name, kinds[str(each.type)]) for each in fields(TrialRow)])
    told = [{name: _clean(getattr(each, name)) for name in COLUMNS} for each in rows]
    parquet.write_table(pyarrow.Table.from_pylist(told, schema=schema), path)
    return len(told)


def _clean(value: object) -> object:
    """Return `value`, a text without lone surrogates."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value

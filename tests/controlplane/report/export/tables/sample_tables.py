"""The journal of the repository, runs/sample.jsonl, and the rows of exported tables.

    rows_of_csv(path)    ->    [{"task_id": "a", "score": "0.5", ...}]

The sample has one trial of the task calendar-date.1, with three steps.
"""

import csv
from collections.abc import Callable
from pathlib import Path

from tests.support.product_files import ROOT

SAMPLE = str(ROOT / "runs/sample.jsonl")
"""A journal in the repository: one trial of the task calendar-date.1, which has three steps."""


def rows_of_csv(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table, as in `[{"task_id": "a", "score": "0.5", ...}]`."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


TableReader = Callable[[str], list[dict[str, str]]]

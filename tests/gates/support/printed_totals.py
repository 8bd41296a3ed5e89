"""Scripts that print the total of three fees, and how that total is marked.

`LIBRARY_FILES` has `/loans.csv` with the fees 300, 470 and 300. A script reads the file and prints
their sum: `run_that_printed(SUM_FEES + "print(total)", "1070")` -> a `ScriptRun`, the record of a
script and its output. `mark_of_total` says what then supports "All cost 1,070 EUR.".
"""

from __future__ import annotations

import contextlib
import io
from types import SimpleNamespace

from controlplane.gates.support.marks import Mark
from controlplane.gates.trial.script_runs import ScriptRun
from tests.gates.support.marked_answers import LIBRARY_FILES, only_mark_of

TOTAL_ANSWER = "All cost 1,070 EUR."
"""The sum of the three fees in `/loans.csv`, 300, 470 and 300. No file states it."""

# The beginnings of the scripts below: they define `rows`, the three loans, then `total`, the sum of
# the fees, and then `big`, the number of fees above 8000, which is 0.
READ_ROWS = """\
import csv
rows = list(csv.DictReader(harness.read("/loans.csv").content.splitlines()))
"""
SUM_FEES = READ_ROWS + 'total = sum(int(row["fee_eur"]) for row in rows)\n'


def run_that_printed(script: str, printed: str) -> ScriptRun:
    """Return the record of a script, as if it had been run, and what it printed."""
    return ScriptRun(script, f"{printed}\n")


def mark_of_total(run: ScriptRun) -> Mark:
    """Return the mark of the amount in "All cost 1,070 EUR.", after the run of one script."""
    return only_mark_of(TOTAL_ANSWER, script_runs=[run])


class ReadableFiles:
    """The object `harness` of a script, by which it reads the library's files."""

    def read(self, path: str) -> SimpleNamespace:
        return SimpleNamespace(content=LIBRARY_FILES[path])

    def earlier(self) -> dict[str, int]:
        """Return what an earlier script kept: its own words, not evidence."""
        return {"total": 1070}


def run_script(script: str) -> ScriptRun:
    """Run a script with a `harness` that reads the library's files.

    Returns the script with what it printed, and with what it stored in `scratchpad`.
    """
    scratchpad: dict[str, object] = {}
    printed = io.StringIO()
    names = {
        "harness": ReadableFiles(),
        "scratchpad": scratchpad,
        "console": SimpleNamespace(log=print),
    }
    with contextlib.redirect_stdout(printed):
        exec(script, names)
    return ScriptRun(script, printed.getvalue(), scratchpad)

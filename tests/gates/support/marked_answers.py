"""Answers about a small library, with what supports each of their values.

A mark says what supports one value of an answer: `found` in a text that was read, `computed` by a
script, `given` by the question, `written` by the trial, or `unverified`. In "The fee of L-02 is
470 EUR.", both values are found in line 3 of `/loans.csv`.
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.gates.support.marks import Mark
from controlplane.gates.support.sources.sources import Source
from controlplane.gates.support.value_support import ValueMarker
from controlplane.gates.trial.script_runs import ScriptRun

LIBRARY_FILES = {
    "/loans.csv": (
        "loan,until,fee_eur\n"
        "L-01,2026-03-01,300\n"
        "L-02,2026-05-09,470\n"
        "L-03,2026-06-02,300\n"
    ),
    "/rules.md": (
        "# Rules\n"
        "\n"
        "A loan runs 21 days. The fee is 5 % of the price.\n"
        "Open from 09:30 to 20:00.\n"
    ),
    "/old.md": "The fee was 470 EUR in 2019.\n",
}


def marks_of(
    answer: str,
    *,
    script_runs: Sequence[ScriptRun] = (),
    cited: Sequence[str] = (),
    question: str = "?",
) -> tuple[Mark, ...]:
    """Return the marks of an answer's values in order, after a trial that read all library files.

    `cited` are the paths that the answer cites. `script_runs` are the scripts that the trial ran, with what they printed.
    """
    sources = [Source(path, text) for path, text in LIBRARY_FILES.items()]
    marker = ValueMarker(
        sources, question, script_runs=script_runs, cited=frozenset(cited)
    )
    return marker.marks(answer)


def only_mark_of(answer: str, script_runs: Sequence[ScriptRun] = ()) -> Mark:
    """Return the mark of an answer that has one value."""
    marks = marks_of(answer, script_runs=script_runs)
    assert len(marks) == 1, marks
    return marks[0]

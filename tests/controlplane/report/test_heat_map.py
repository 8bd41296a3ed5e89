"""Tasks against runs, and which of them blink."""

from __future__ import annotations

import pytest

from controlplane.journal.run_summary import TrialSummary
from controlplane.report.heat_map import HeatCell, heat_cell, task_rows
from controlplane.report.reported_trial import TrialFacts


def tried(task: str, score: float | None, outcome: str = "ok", state: str = "answered") -> TrialFacts:
    return TrialFacts("a", 0, TrialSummary(task, task, state=state, score=score, outcome=outcome), "", (), ())


@pytest.mark.parametrize(
    ("cells", "blinks", "agrees"),
    [
        ([[tried("t", 1.0)], [tried("t", 1.0)]], False, False),
        ([[tried("t", 1.0)], [tried("t", 0.5)]], True, False),
        ([[tried("t", 1.0), tried("t", 0.0)], []], True, False),
        ([[tried("t", 1.0)], [tried("t", None)]], False, False),
        ([[tried("t", None, "ok")], [tried("t", None, "denied")]], True, False),
        ([[tried("t", None, "ok")], [tried("t", None, "ok")]], False, True),
        ([[tried("t", None, "ok")], [tried("t", None, "", "running")]], False, False),
    ],
)
def test_a_task_blinks_if_its_tries_differ(cells: list[list[TrialFacts]], blinks: bool, agrees: bool) -> None:
    (row,) = task_rows(cells)
    assert (row.blinks, row.agrees) == (blinks, agrees)


def test_a_task_that_a_run_lacks_has_an_empty_cell() -> None:
    rows = task_rows([[tried("b", 1.0)], [tried("a", 0.0), tried("b", 1.0)]])
    assert [(each.task, [len(cell) for cell in each.cells]) for each in rows] == [("a", [0, 1]), ("b", [1, 1])]


@pytest.mark.parametrize(
    ("score", "text", "background"),
    [
        (None, "n/a", "#f3f4f6"),
        (0.0, "0", "#dc2626"),
        (0.5, "0.5", "#f59e0b"),
        (0.75, "0.75", "#86a02a"),
        (1.0, "1", "#16a34a"),
        (1.5, "1.5", "#16a34a"),
    ],
)
def test_a_score_is_a_colour_between_red_amber_and_green(score: float | None, text: str, background: str) -> None:
    assert heat_cell(score) == HeatCell(text, background)

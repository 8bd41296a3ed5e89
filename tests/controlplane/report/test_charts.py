from __future__ import annotations

import pytest

from controlplane.journal.run_summary import TrialSummary
from controlplane.report.charts import HeatCell, heat_cell, step_means, task_rows
from controlplane.report.run_facts import StepCost, TrialFacts


def costing(*costs: StepCost) -> TrialFacts:
    return TrialFacts("trial-1-1", 0, TrialSummary("t"), "", (), costs)


def cost(step: int, prompt: int = 100, cached: int = 40, reply: int = 10, ms: float = 500.0) -> StepCost:
    return StepCost(step, prompt, cached, reply, model_ms=ms, script_ms=ms / 5)


def test_a_mean_is_over_the_trials_that_came_to_the_step() -> None:
    first, second = step_means([costing(cost(1), cost(2)), costing(cost(1, prompt=300, ms=1_500))])
    assert (first.step, first.trials, first.fresh_tokens, first.cached_tokens) == (1, 2, 160, 40)
    assert (first.model_s, first.script_s) == (1.0, 0.2)
    assert (second.step, second.trials, second.completion_tokens) == (2, 1, 10)


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

from __future__ import annotations

import pytest

from controlplane.journal.run_summary import TrialSummary
from controlplane.report.charts import (
    BOTTOM,
    HEIGHT,
    LEFT,
    TOP,
    WIDTH,
    HeatCell,
    heat_cell,
    step_means,
    task_rows,
    time_chart,
    token_chart,
)
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


@pytest.mark.parametrize(
    ("most", "top"),
    [(0.003, "0.004"), (0.9, "1"), (1, "1"), (37, "40"), (4_100, "5000"), (9_999, "10k"), (81_000, "100k")],
)
def test_the_scale_ends_at_a_round_number(most: float, top: str) -> None:
    chart = time_chart(step_means([costing(StepCost(1, 0, 0, 0, model_ms=most * 1000, script_ms=0))]))
    assert chart
    assert chart.up[-1].text == top


def test_bars_stand_on_each_other_inside_the_drawing() -> None:
    means = step_means([costing(*(cost(step, prompt=50 * step) for step in range(1, 41)))])
    chart = token_chart(means)
    assert chart
    for bar in chart.bars:
        assert bar.x >= LEFT
        assert bar.x + bar.width <= WIDTH
        assert bar.y >= TOP - 0.1
        assert bar.y + bar.height <= HEIGHT - BOTTOM + 0.2
    last = [each for each in chart.bars if each.x == chart.bars[-1].x]
    assert [each.part for each in last] == [0, 1, 2]
    assert last[0].y == pytest.approx(last[1].y + last[1].height, abs=0.2)
    assert len(chart.across) <= 12


def test_what_was_not_counted_has_no_chart() -> None:
    means = step_means([costing(StepCost(1, 0, 0, 0, model_ms=0, script_ms=0))])
    assert (token_chart(means), time_chart(means), token_chart([])) == (None, None, None)


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

"""Tokens and time by step: the means, and the bars that show them."""

from __future__ import annotations

import pytest

from controlplane.journal.run_summary import TrialSummary
from controlplane.report.reported_trial import StepCost, TrialFacts
from controlplane.report.step_costs import BOTTOM, HEIGHT, LEFT, TOP, WIDTH, step_means, time_chart, token_chart


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

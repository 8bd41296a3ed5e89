"""Sums tokens and time up by step, and lays them out as stacked bars."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.report.reported_trial import StepCost, TrialFacts

WIDTH: Final = 460
HEIGHT: Final = 190
LEFT: Final = 46
BOTTOM: Final = 24
TOP: Final = 10
_PLOT_HEIGHT: Final = HEIGHT - TOP - BOTTOM
_PLOT_WIDTH: Final = WIDTH - LEFT - 6
_MOST_LABELS: Final = 12


@dataclass(frozen=True, slots=True)
class StepMeans:
    """What a step took on average, over the trials that came to it."""

    step: int
    trials: int
    fresh_tokens: float
    """Prompt tokens that no cache held."""
    cached_tokens: float
    completion_tokens: float
    model_s: float
    script_s: float


@dataclass(frozen=True, slots=True)
class Bar:
    """One part of a stacked bar, in the units of the drawing."""

    x: float
    y: float
    width: float
    height: float
    part: int
    """The number of its part, which gives its colour and pattern."""


@dataclass(frozen=True, slots=True)
class Tick:
    """A label at an axis."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class BarChart:
    """A chart of stacked bars, one a step."""

    bars: tuple[Bar, ...]
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]


def step_means(trials: Iterable[TrialFacts]) -> list[StepMeans]:
    """Return the means of each step, in order."""
    by_step: dict[int, list[StepCost]] = {}
    for trial in trials:
        for cost in trial.costs:
            by_step.setdefault(cost.step, []).append(cost)
    return [_means(step, by_step[step]) for step in sorted(by_step)]


def _means(step: int, costs: Sequence[StepCost]) -> StepMeans:
    def mean(of: Callable[[StepCost], float]) -> float:
        return sum(map(of, costs)) / len(costs)

    return StepMeans(
        step=step,
        trials=len(costs),
        fresh_tokens=mean(lambda each: max(each.prompt_tokens - each.cached_tokens, 0)),
        cached_tokens=mean(lambda each: each.cached_tokens),
        completion_tokens=mean(lambda each: each.completion_tokens),
        model_s=mean(lambda each: each.model_ms / 1000),
        script_s=mean(lambda each: each.script_ms / 1000),
    )


def token_chart(means: Sequence[StepMeans]) -> BarChart | None:
    """Return the chart of tokens; None if none were counted."""
    return _chart([(each.cached_tokens, each.fresh_tokens, each.completion_tokens) for each in means], means)


def time_chart(means: Sequence[StepMeans]) -> BarChart | None:
    """Return the chart of seconds; None if none passed."""
    return _chart([(each.model_s, each.script_s) for each in means], means)


def _chart(stacks: Sequence[Sequence[float]], means: Sequence[StepMeans]) -> BarChart | None:
    most = max(map(sum, stacks), default=0)
    if not most:
        return None
    top = _round_up(most)
    slot = _PLOT_WIDTH / len(stacks)
    width = min(slot * 0.72, 34)
    bars = []
    for place, stack in enumerate(stacks):
        x, floor = LEFT + slot * place + (slot - width) / 2, float(TOP + _PLOT_HEIGHT)
        for part, value in enumerate(stack):
            height = value / top * _PLOT_HEIGHT
            floor -= height
            if height > 0:
                bars.append(Bar(round(x, 1), round(floor, 1), round(width, 1), round(height, 1), part))
    every = -(-len(stacks) // _MOST_LABELS)
    across = tuple(
        Tick(round(LEFT + slot * (place + 0.5), 1), str(each.step))
        for place, each in enumerate(means)
        if place % every == 0
    )
    up = tuple(Tick(round(TOP + _PLOT_HEIGHT * (1 - part), 1), _short(top * part)) for part in (0, 0.5, 1))
    return BarChart(tuple(bars), across, up)


def _round_up(value: float) -> float:
    """Return the next of 1, 2, 4, 5, 10 times a power of ten."""
    power = 1.0
    while power > value:
        power /= 10
    while power * 10 <= value:
        power *= 10
    return next(step * power for step in (1, 2, 4, 5, 10) if step * power >= value)


def _short(value: float) -> str:
    """Return a number in few characters: 0, 0.25, 40, 12k."""
    return f"{value / 1000:g}k" if value >= 10_000 else f"{value:g}"

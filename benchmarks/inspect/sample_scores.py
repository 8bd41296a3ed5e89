"""Scores the final state of a sample by the scorers of its task.

A scorer of Inspect looks at the messages and the answer of a sample:

| scorer | its value | scores |
|---|---|---|
| `match` | `"C"` (correct) | `{"match": 1.0}` |
| `kept` | `{"kept": 1, "traced": 2}` | `{"kept": 1.0, "kept.traced": 2.0}` |
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from controlplane.benchmarks.inspect.solver_runs import PreparedSample

if TYPE_CHECKING:
    from inspect_ai.solver import TaskState


@dataclass(frozen=True, slots=True)
class SampleScores:
    """The scores of one sample."""

    first: float | None
    """The first scorer's score, which is the sample's: another scorer's never takes its place.

    None if it gave none, and not finite if it gave something else than a number.
    """
    by_name: dict[str, float]
    """By the names of the scorers, in their order.

    A scorer with several values has a score for each, such as `kept.traced`.
    """
    explanations: list[str]
    """Lines of all scorers. Without a first score, the first one says so."""


def score_sample(sample: PreparedSample, state: TaskState) -> SampleScores:
    """Run the scorers of a sample's task on its final state."""
    from inspect_ai._util.registry import registry_info
    from inspect_ai.scorer import Target

    target = Target(sample.playable.sample.target)
    first: float | None = None
    by_name: dict[str, float] = {}
    explanations: list[str] = []
    for number, scorer in enumerate(sample.playable.task.scorer or ()):
        scorer_name = registry_info(scorer).name.rpartition("/")[2]
        # `scorer(state, target)` is a coroutine. It may also ask for the current state by a
        # function of Inspect, so the context gets the state, too.
        score = sample.context.result_of(scorer(state, target), state)
        numbers = {}
        if score is not None:
            numbers = _numbers_by_name(scorer_name, score.value)
        by_name |= numbers
        if number == 0:
            first = next(iter(numbers.values()), None)
            if first is None:
                explanations.append(f"the scorer {scorer_name} gave no score")
        if score is None:
            continue
        for line in str(score.explanation or "").splitlines():
            if line.strip():
                explanations.append(line)
    return SampleScores(first, by_name, explanations)


def _numbers_by_name(scorer_name: str, value: Any) -> dict[str, float]:
    """Return the values of a score as numbers.

    `{"kept": 1, "traced": 2}` of the scorer `kept` are `kept` and `kept.traced`: a value
    with the scorer's own name is its main score.
    """
    if not isinstance(value, Mapping):
        return {scorer_name: _number(value)}
    numbers = {}
    for key, part in value.items():
        name = scorer_name if key == scorer_name else f"{scorer_name}.{key}"
        numbers[name] = _number(part)
    return numbers


def _number(value: Any) -> float:
    """Return a score's value as a number. `"C"` (correct) is 1.0; `[1, 0]` is its mean, 0.5.

    NaN stands for what is no number, such as one of 400 digits, which no float holds.
    """
    from inspect_ai.scorer import value_to_float

    if isinstance(value, list | tuple):
        if not value:
            return math.nan
        return sum(_number(item) for item in value) / len(value)
    try:
        return float(value_to_float()(value))
    except (OverflowError, ValueError, TypeError):
        return math.nan

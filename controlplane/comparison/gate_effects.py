"""What followed the rejections of each gate and rule: the same trials with and without them, compared one by one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from controlplane.comparison.compared_trials import ComparedRun, ComparedTrial
from controlplane.comparison.run_comparison import pairs_of
from gates.verdict import GATE_NAMES

Change: TypeAlias = Literal["better", "worse", "equal", "no score"]


@dataclass(slots=True)
class Effect:
    """What followed the rejections of one gate or rule."""

    rejections: int = 0
    trials: int = 0
    followed_by: Counter[Change] = field(default_factory=Counter)
    """Trials by how their score compares with that of the trial without gates."""
    score_change: float = 0.0
    """The score with gates minus the score without, summed over the rejected trials."""


def gate_effects(first: ComparedRun, second: ComparedRun) -> dict[str, Effect]:
    """Return what followed each gate's rejections in the one run that has any; nothing if both have, or neither."""
    rejections = [sum(trial.summary.rejections.total() for trial in run.trials) for run in (first, second)]
    effects: dict[str, Effect] = {}
    if all(rejections):
        return effects
    for pair in pairs_of(first, second):
        free, gated = pair if rejections[1] else reversed(pair)
        for key, times in gated.summary.rejections.items():
            name = f"{key} {GATE_NAMES[int(key)]}" if key.isdecimal() and int(key) in GATE_NAMES else key
            effect = effects.setdefault(name, Effect())
            effect.trials += 1
            effect.rejections += times
            effect.followed_by[_change(gated, free)] += 1
            if gated.score is not None and free.score is not None:
                effect.score_change += gated.score - free.score
    return dict(sorted(effects.items()))


def _change(gated: ComparedTrial, free: ComparedTrial) -> Change:
    if gated.score is None or free.score is None:
        return "no score"
    return "equal" if gated.score == free.score else "better" if gated.score > free.score else "worse"


def effects_text(effects: dict[str, Effect]) -> str:
    """Return what the gates did as text, one gate or rule a line."""
    lines = [f"{'gate':34} {'rejections':>10} {'trials':>7} {'better':>7} {'worse':>6} {'equal':>6} {'score':>7}"]
    for name, effect in effects.items():
        counts = effect.followed_by
        lines.append(
            f"{name:34} {effect.rejections:10} {effect.trials:7} {counts['better']:7} "
            f"{counts['worse']:6} {counts['equal']:6} {effect.score_change:+7.2f}"
        )
    return "\n".join(lines)

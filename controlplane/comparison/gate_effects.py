"""What followed the rejections of each gate: the same trials with gates and without, compared one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from controlplane.comparison.compared_trials import ComparedRun, ComparedTrial
from controlplane.comparison.run_comparison import Comparison, compare_runs, pairs_of
from gates import GATE_NAMES

Change: TypeAlias = Literal["better", "worse", "same score, other answer", "same answer", "no score"]
CHANGES: Final[tuple[Change, ...]] = ("better", "worse", "same score, other answer", "same answer", "no score")


@dataclass(slots=True)
class Effect:
    """What followed the rejections of one gate."""

    rejections: int = 0
    trials: int = 0
    followed_by: dict[str, int] = field(default_factory=lambda: dict.fromkeys(CHANGES, 0))
    score_change: float = 0.0
    """The score with gates minus the score without, summed over the rejected trials."""


@dataclass(frozen=True, slots=True)
class GateEffects:
    """A run with gates against one without."""

    comparison: Comparison
    """The run with gates beside the one without, which is the first."""
    by_gate: dict[str, Effect]
    """By gate, as `4 refs were read`, and by rule of a pack."""
    rejections_without: int
    """Enforced rejections in the run that should have had no gates."""


def gate_effects(with_gates: ComparedRun, without: ComparedRun) -> GateEffects:
    """Compare both runs, and count for every gate what followed its rejections. Raises `UsageError`."""
    comparison = compare_runs(without, with_gates)
    effects: dict[str, Effect] = {}
    for free, gated in pairs_of(without, with_gates):
        change = _change(gated, free)
        for key, times in gated.summary.rejections.items():
            effect = effects.setdefault(_name(key), Effect())
            effect.trials += 1
            effect.rejections += times
            effect.followed_by[change] += 1
            if gated.score is not None and free.score is not None:
                effect.score_change += gated.score - free.score
    return GateEffects(comparison, dict(sorted(effects.items())), _rejections(without.trials))


def _rejections(trials: Sequence[ComparedTrial]) -> int:
    return sum(each.summary.rejections.total() for each in trials)


def _name(key: str) -> str:
    return f"{key} {GATE_NAMES[int(key)]}" if key.isdecimal() and int(key) in GATE_NAMES else key


def _change(gated: ComparedTrial, free: ComparedTrial) -> Change:
    if gated.score is None or free.score is None:
        return "no score"
    if gated.score != free.score:
        return "better" if gated.score > free.score else "worse"
    same = _answer(gated) == _answer(free)
    return "same answer" if same else "same score, other answer"


def _answer(trial: ComparedTrial) -> tuple[str, str, tuple[str, ...]]:
    return trial.summary.answer, trial.summary.outcome, trial.summary.refs


def effects_text(found: GateEffects) -> str:
    """Return what the gates did as text, one gate a line."""
    lines = []
    if found.rejections_without:
        lines.append(
            f"the second run had gates too (rejections: {found.rejections_without}): compare with a run under "
            "`--gates none`"
        )
    if not found.by_gate:
        return "\n".join([*lines, "no gate rejected anything in these trials"])
    lines.append(f"{'gate':34} {'rejections':>10} {'trials':>7} {'better':>7} {'worse':>6} {'equal':>6} {'score':>7}")
    for name, effect in found.by_gate.items():
        equal = effect.followed_by["same score, other answer"] + effect.followed_by["same answer"]
        lines.append(
            f"{name:34} {effect.rejections:10} {effect.trials:7} {effect.followed_by['better']:7} "
            f"{effect.followed_by['worse']:6} {equal:6} {effect.score_change:+7.2f}"
        )
    return "\n".join(lines)

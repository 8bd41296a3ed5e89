"""Compares the same trials of two runs, one with gates and one without."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

Change: TypeAlias = Literal["better", "worse", "same score, other answer", "same answer", "no score"]
CHANGES: Final[tuple[Change, ...]] = ("better", "worse", "same score, other answer", "same answer", "no score")


@dataclass(frozen=True, slots=True)
class TrialOutcome:
    """One trial of a run: its score, its answer, and the gates and rules that rejected its earlier submissions."""

    task_id: str
    score: float | None
    """None while it is sealed."""
    answer: tuple[str, str, tuple[str, ...]] | None
    """The submitted message, outcome and references; None if there was no answer."""
    rejected_by: tuple[str, ...] = ()
    """The gate or rule of each enforced rejection, repeated for each rejection."""


@dataclass(slots=True)
class Effect:
    """What followed the rejections of one gate."""

    rejections: int = 0
    trials: int = 0
    followed_by: dict[str, int] = field(default_factory=lambda: dict.fromkeys(CHANGES, 0))
    score_change: float = 0.0
    """The score with gates minus the score without, summed over the rejected trials."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of two runs over the same trials."""

    pairs: int
    unpaired: int
    """How many trials only one of the runs has."""
    mean_with: float | None
    """Like `mean_without`, over the pairs whose scores are both known; None if there is no such pair."""
    mean_without: float | None
    rejections_without: int
    """Enforced rejections in the run that should have had no gates."""
    by_gate: dict[str, Effect]


def compare_runs(with_gates: Sequence[TrialOutcome], without: Sequence[TrialOutcome]) -> Comparison:
    """Pair the trials of both runs by task, in order, and count for every gate what followed its rejections."""
    pairs = list(_paired(with_gates, without))
    effects: dict[str, Effect] = defaultdict(Effect)
    for gated, free in pairs:
        change = _change(gated, free)
        for name in dict.fromkeys(gated.rejected_by):
            effect = effects[name]
            effect.trials += 1
            effect.rejections += gated.rejected_by.count(name)
            effect.followed_by[change] += 1
            if gated.score is not None and free.score is not None:
                effect.score_change += gated.score - free.score
    scored = [(one.score, other.score) for one, other in pairs if one.score is not None and other.score is not None]
    return Comparison(
        pairs=len(pairs),
        unpaired=len(with_gates) + len(without) - 2 * len(pairs),
        mean_with=_mean([one for one, _ in scored]),
        mean_without=_mean([other for _, other in scored]),
        rejections_without=sum(len(each.rejected_by) for each in without),
        by_gate=dict(sorted(effects.items())),
    )


def _paired(
    with_gates: Sequence[TrialOutcome], without: Sequence[TrialOutcome]
) -> Iterator[tuple[TrialOutcome, TrialOutcome]]:
    waiting: dict[str, list[TrialOutcome]] = defaultdict(list)
    for each in without:
        waiting[each.task_id].append(each)
    for each in with_gates:
        if waiting[each.task_id]:
            yield each, waiting[each.task_id].pop(0)


def _change(gated: TrialOutcome, free: TrialOutcome) -> Change:
    if gated.score is None or free.score is None:
        return "no score"
    if gated.score != free.score:
        return "better" if gated.score > free.score else "worse"
    return "same answer" if gated.answer == free.answer else "same score, other answer"


def _mean(scores: Sequence[float]) -> float | None:
    return sum(scores) / len(scores) if scores else None


def comparison_text(found: Comparison) -> str:
    """Return the comparison as text."""
    lines = [
        f"{found.pairs} trials in both runs, {found.unpaired} in one alone",
        f"mean score with gates {_shown(found.mean_with)}, without {_shown(found.mean_without)}",
    ]
    if found.rejections_without:
        lines.append(
            f"the second run had gates too (rejections: {found.rejections_without}): compare with a run under "
            "`--gates none`"
        )
    if not found.by_gate:
        lines.append("no gate rejected anything in these trials")
        return "\n".join(lines)
    lines.append("")
    lines.append(f"{'gate':34} {'rejections':>10} {'trials':>7} {'better':>7} {'worse':>6} {'equal':>6} {'score':>7}")
    for name, effect in found.by_gate.items():
        equal = effect.followed_by["same score, other answer"] + effect.followed_by["same answer"]
        lines.append(
            f"{name:34} {effect.rejections:10} {effect.trials:7} {effect.followed_by['better']:7} "
            f"{effect.followed_by['worse']:6} {equal:6} {effect.score_change:+7.2f}"
        )
    return "\n".join(lines)


def _shown(mean: float | None) -> str:
    return "unknown" if mean is None else f"{mean:.3f}"

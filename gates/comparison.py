"""What the gates did to a run: the same trials with gates and without, side by side."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Final, Literal, TypeAlias

Change: TypeAlias = Literal["better", "worse", "same score, other answer", "same answer", "no score"]
CHANGES: Final[tuple[Change, ...]] = ("better", "worse", "same score, other answer", "same answer", "no score")


@dataclass(frozen=True, slots=True)
class TrialOutcome:
    """One trial of a run: how it ended, and which gates and rules rejected a submission of it on the way."""

    task_id: str
    score: float | None
    """None while it is sealed."""
    answer: tuple[str, str, tuple[str, ...]] | None
    """Message, outcome and references that were submitted; None where there was no answer."""
    rejected_by: tuple[str, ...] = ()
    """One name for each rejection that was enforced; repeats where a gate rejected again."""


@dataclass(slots=True)
class Effect:
    """What followed on the rejections of one gate."""

    rejections: int = 0
    trials: int = 0
    followed_by: dict[str, int] = field(default_factory=lambda: dict.fromkeys(CHANGES, 0))
    score_change: float = 0.0
    """Sum over its trials of the score with gates less the score without."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs over the same trials."""

    pairs: int
    unpaired: int
    """Trials that only one of the runs has."""
    mean_with: float | None
    mean_without: float | None
    by_gate: dict[str, Effect]

    def as_json(self) -> dict[str, object]:
        """Return the comparison as JSON data."""
        return asdict(self)


def compare_runs(with_gates: Sequence[TrialOutcome], without: Sequence[TrialOutcome]) -> Comparison:
    """Pair the trials of both runs by task, in their order, and tell for every gate what followed on its rejections."""
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
    return Comparison(
        pairs=len(pairs),
        unpaired=len(with_gates) + len(without) - 2 * len(pairs),
        mean_with=_mean(gated.score for gated, _ in pairs),
        mean_without=_mean(free.score for _, free in pairs),
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


def _mean(scores: Iterable[float | None]) -> float | None:
    known = [score for score in scores if score is not None]
    return sum(known) / len(known) if known else None


def comparison_text(found: Comparison) -> str:
    """Return the comparison for people."""
    lines = [
        f"{found.pairs} trials in both runs, {found.unpaired} in one alone",
        f"mean score with gates {_shown(found.mean_with)}, without {_shown(found.mean_without)}",
    ]
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

"""Compares the best candidate with the original at the end of a loop.

Both play the final worlds, which no candidate has played and no proposer has seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from controlplane.improving.candidate_player import CandidatePlayer
from controlplane.improving.candidates.candidate_id import id_of
from controlplane.improving.candidates.candidate_journals import (
    loop_score,
    mean_score,
    mean_tokens,
    without_score_text,
)
from controlplane.improving.loop_lines import LoopEnded
from controlplane.improving.loop_record import LoopRecord
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.quantity_texts import score_text, signed_text
from controlplane.run_comparison.certainty import LEAST_CHANGED
from controlplane.score_statistics import Interval, bootstrap_interval, mean_interval

SMALL_SAMPLE: Final = 30
"""With fewer tasks, the intervals of a percentile bootstrap are too narrow.
If all tasks change alike, they even shrink to a point."""


def prove_best(record: LoopRecord, player: CandidatePlayer) -> LoopEnded:
    """Play the final worlds with the original and the best candidate, and return the result.

    Raises the errors of runs.
    """
    plan = record.plan
    best = record.best()
    if best == id_of(plan.texts):
        text = (
            f"no candidate of {len(record.proposals)} was better than the original "
            "on the check worlds"
        )
        return LoopEnded(best=best, is_better=False, text=text)

    before = player.play(plan.texts, plan.final)
    after = player.play(record.candidates[best], plan.final)
    differences = []
    for original, improved in zip(before, after, strict=True):
        differences.append(loop_score(improved) - loop_score(original))
    interval = difference_interval(differences)

    text = result_text(before, after, interval)
    is_above_zero = interval.low > 0
    changed_tasks = sum(1 for difference in differences if difference)
    changed_enough = changed_tasks >= LEAST_CHANGED
    if is_above_zero and not changed_enough:
        text += f"; fewer than {LEAST_CHANGED} tasks changed"
    return LoopEnded(best=best, is_better=is_above_zero and changed_enough, text=text)


def difference_interval(differences: Sequence[float]) -> Interval:
    """Return the mean of the differences with its 95 % interval.

    For many tasks the interval comes from a bootstrap. For few tasks that would be too
    narrow, so it is Wilson's score interval (1927). Wilson's is defined for differences from
    -1 to 1 alone: if a benchmark gives scores beyond 1, the bootstrap is used for few tasks, too.
    """
    interval = bootstrap_interval(differences)
    assert interval is not None  # It is None only without differences.
    is_in_range = all(-1 <= difference <= 1 for difference in differences)
    if len(differences) >= SMALL_SAMPLE or not is_in_range:
        return interval
    wilson = _wilson_interval(differences)
    return Interval(interval.mean, low=wilson.low, high=wilson.high)


def _wilson_interval(differences: Sequence[float]) -> Interval:
    """Return Wilson's score interval of the mean of differences from -1 to 1."""
    # It is defined for values from 0 to 1: -1 becomes 0, and 0 becomes 0.5.
    mapped = mean_interval([(difference + 1) / 2 for difference in differences])
    assert mapped is not None  # It is None only without differences.
    return Interval(
        2 * mapped.mean - 1, low=2 * mapped.low - 1, high=2 * mapped.high - 1
    )


def result_text(
    before: Sequence[TrialSummary], after: Sequence[TrialSummary], interval: Interval
) -> str:
    """Return the result in one line.

    It has the means, the number of tasks, the difference with its interval, and the change
    of tokens.
    """
    text = (
        f"{score_text(mean_score(before))} → {score_text(mean_score(after))} on {len(before)} unseen tasks "
        f"({signed_text(interval.mean)}, 95 % CI [{score_text(interval.low)}, {score_text(interval.high)}])"
    )
    for name, trials in (("before", before), ("after", after)):
        unscored = without_score_text(trials)
        if unscored:
            text += f", {name}: {unscored}"
    tokens_before = mean_tokens(before)
    if tokens_before:
        change = mean_tokens(after) / tokens_before - 1
        text += f", tokens {100 * change:+.0f} %"
    return text

"""An estimate of how long the trials of a run still take."""

from __future__ import annotations

from collections.abc import Iterable

from controlplane.journal.totals.trial_summary import RUNNING, WAITING, TrialSummary


def remaining_s(trials: Iterable[TrialSummary], now_ms: int) -> float | None:
    """Return an estimate of the remaining seconds.

    None before a trial has ended, or if none runs.

    Example: two trials ended after 50 and 70 s,
    two have run for 20 s each, and two wait.

    - A trial is expected to take (50 + 70 + 20 + 20) / 2 = 80 s.
    - Left are 60 s of each running trial, and 80 s of each that waits: 280 s.
    - Two trials run at a time, so these take 140 s.
    """
    ended_s: list[float] = []
    running_s: list[float] = []
    waiting = 0
    for trial in trials:
        if trial.elapsed_ms:
            ended_s.append(trial.elapsed_ms / 1000)
        if trial.state == RUNNING:
            running_s.append(max(now_ms - trial.started_ms, 0) / 1000)
        elif trial.state == WAITING:
            waiting += 1
    if not ended_s or not running_s:
        return None

    # The mean of the ended trials alone would be too low, since short trials end first.
    expected_s = (sum(ended_s) + sum(running_s)) / len(ended_s)

    # A trial that has run for long is assumed to need at least half as long again.
    remaining_s = [max(expected_s - age_s, 0.5 * age_s) for age_s in running_s]
    work_s = sum(remaining_s) + expected_s * waiting
    trials_at_a_time = len(running_s)
    return max(work_s / trials_at_a_time, max(remaining_s))

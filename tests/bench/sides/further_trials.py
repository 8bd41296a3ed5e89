"""What each further trial of a run costs, without the start of the process.

A short and a long run cost the same start-up, so the difference of their costs is that of the further
trials alone. `RunLengths(short=20, long=120).further_trials` is 100.
"""

from dataclasses import dataclass
from typing import NamedTuple

from tests.bench.sides.cost_sides import Side


class TrialCost(NamedTuple):
    """What one trial costs, without the start of the process."""

    cpu_ms: float
    wall_ms: float


@dataclass(frozen=True)
class RunLengths:
    """The numbers of trials of a short and a long run."""

    short: int
    long: int

    @property
    def further_trials(self) -> int:
        return self.long - self.short


def measure_trial(side: Side, lengths: RunLengths) -> TrialCost:
    """Play a short and a long run; print and return what each of the further trials costs."""
    short_run = side.play(lengths.short)
    long_run = side.play(lengths.long)
    cpu_s = long_run.cpu_s - short_run.cpu_s
    wall_s = long_run.wall_s - short_run.wall_s
    cost = TrialCost(
        cpu_ms=cpu_s / lengths.further_trials * 1000,
        wall_ms=wall_s / lengths.further_trials * 1000,
    )
    print(
        f"{side.name:>13}: {cost.cpu_ms:6.2f} ms CPU and {cost.wall_ms:6.2f} ms wall a trial; "
        f"PSS {long_run.peak_pss_mb:5.1f} MiB"
    )
    return cost

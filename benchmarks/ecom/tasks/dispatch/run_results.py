"""What a plan for a dispatch wave earns: the margin of its packages minus the costs.

A plan is simulated several times with different random delays; each time is a run. A run
costs its trips, each unit of time by which a package is late, and each package that never
arrives. A plan is judged by its mean gain over all runs.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.benchmarks.ecom.tasks.dispatch.lanes import RUNS
from controlplane.benchmarks.ecom.tasks.dispatch.simulation import Plan, simulate
from controlplane.benchmarks.ecom.tasks.dispatch.waves import Wave


@dataclass(frozen=True, slots=True)
class RunResult:
    """The earnings and costs of one run of a plan, in cents."""

    margin: int
    transport: int
    late_cost: int
    late: int
    """The number of packages that arrived late."""
    missed_cost: int
    missed: int
    """The number of packages that never arrived."""

    @property
    def gain(self) -> int:
        """The margin minus all costs."""
        return self.margin - self.transport - self.late_cost - self.missed_cost


def run_results(wave: Wave, plan: Plan) -> list[RunResult]:
    """Return the result of every run of a plan.

    In each run, the trips have other delays.
    """
    return [_run_result(wave, plan, run) for run in range(RUNS)]


def _run_result(wave: Wave, plan: Plan, run: int) -> RunResult:
    """Return what a plan earns and costs with the delays of one run.

    A late package still earns its margin, but costs an amount for each unit of time.
    """
    trips = simulate(wave, plan, run)
    margin = 0
    late = 0
    late_units = 0
    for package_id, arrival in trips.arrivals.items():
        package = wave.packages[package_id]
        margin += package.margin_cents
        if arrival > package.due:
            late += 1
            late_units += arrival - package.due
    missed = len(wave.packages) - len(trips.arrivals)
    return RunResult(
        margin=margin,
        transport=trips.cost_cents,
        late_cost=late_units * wave.rates.late_cents,
        late=late,
        missed_cost=missed * wave.rates.missed_cents,
        missed=missed,
    )


def mean_gain(wave: Wave, plan: Plan) -> int:
    """Return the mean gain of a plan over all runs, in whole cents."""
    results = run_results(wave, plan)
    return sum(result.gain for result in results) // len(results)

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
    """What one run of a plan earns and costs."""

    margin_cents: int
    """The margin of all packages that arrived, even late."""
    transport_cents: int
    """The cost of all trips."""
    late_packages: int
    """The number of packages that arrived after they were due."""
    late_cents: int
    """What their lateness costs."""
    missed_packages: int
    """The number of packages that never arrived."""
    missed_cents: int
    """What their loss costs."""

    @property
    def gain(self) -> int:
        """The margin minus all costs, in cents."""
        costs = self.transport_cents + self.late_cents + self.missed_cents
        return self.margin_cents - costs


def run_results(wave: Wave, plan: Plan) -> list[RunResult]:
    """Return the result of every run of a plan. In each run, the trips have other delays."""
    return [_run_result(wave, plan, run) for run in range(RUNS)]


def _run_result(wave: Wave, plan: Plan, run: int) -> RunResult:
    """Return what a plan earns and costs with the delays of one run.

    A late package still earns its margin, but costs an amount for each unit of time.
    """
    trips = simulate(wave, plan, run)
    margin_cents = 0
    late_packages = 0
    late_units = 0
    for package_id, arrival in trips.arrivals.items():
        package = wave.packages[package_id]
        margin_cents += package.margin_cents
        if arrival > package.due:
            late_packages += 1
            late_units += arrival - package.due
    missed_packages = len(wave.packages) - len(trips.arrivals)
    return RunResult(
        margin_cents=margin_cents,
        transport_cents=trips.cost_cents,
        late_packages=late_packages,
        late_cents=late_units * wave.rates.late_cents,
        missed_packages=missed_packages,
        missed_cents=missed_packages * wave.rates.missed_cents,
    )


def mean_gain(wave: Wave, plan: Plan) -> int:
    """Return the mean gain of a plan over all runs, in whole cents."""
    results = run_results(wave, plan)
    return sum(result.gain for result in results) // len(results)

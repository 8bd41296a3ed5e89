"""Asks the benchmark to grade the runs of clients, and keeps the results in the runs.

Clients know a run by a random id. The benchmark knows it by its `id_in_benchmark`.
"""

from __future__ import annotations

from controlplane.benchmark import Benchmark, BenchmarkError, RunState
from controlplane.benchmarks.bitgn.server.runs.served_run import ServedRun


def submit(run: ServedRun, benchmark: Benchmark, *, force: bool) -> None:
    """Close and grade a run. With `force`, trials may be open. Raises `BenchmarkError`."""
    run.close(benchmark.submit_run(run.id_in_benchmark, force=force))


def end_abandoned(run: ServedRun, benchmark: Benchmark) -> None:
    """Close a run that its client has left. It has no scores if the benchmark fails."""
    try:
        submit(run, benchmark, force=True)
    except BenchmarkError:
        run.close(None)


def refresh(run: ServedRun, benchmark: Benchmark) -> None:
    """Ask again for the scores of a submitted run, unless it is already evaluated."""
    if run.result is not None and run.result.state is not RunState.EVALUATED:
        run.result = benchmark.get_run(run.id_in_benchmark)

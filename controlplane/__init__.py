"""Runs benchmarks: the lifecycle of a run, its journal, its replay, its configuration and the command line."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from controlplane.benchmark import Benchmark as Benchmark
    from controlplane.benchmark import BenchmarkError as BenchmarkError
    from controlplane.benchmark import Description as Description
    from controlplane.benchmark import RunRequest as RunRequest
    from controlplane.benchmark import RunResult as RunResult
    from controlplane.benchmark import RunState as RunState
    from controlplane.benchmark import StartedRun as StartedRun
    from controlplane.benchmark import TaskHead as TaskHead
    from controlplane.benchmark import TaskTry as TaskTry
    from controlplane.benchmark import Trial as Trial
    from controlplane.benchmark import TrialHead as TrialHead
    from controlplane.benchmark import TrialScore as TrialScore
    from controlplane.benchmark_opening import BenchmarkContext as BenchmarkContext
    from controlplane.benchmark_opening import BenchmarkIdentity as BenchmarkIdentity
    from controlplane.benchmark_opening import BenchmarkOption as BenchmarkOption
    from controlplane.benchmark_opening import OpenedBenchmark as OpenedBenchmark
    from controlplane.task_selection import TaskSelection as TaskSelection
    from controlplane.task_selection import start_selected_run as start_selected_run

_HOMES = {
    "benchmark": (
        "Benchmark",
        "BenchmarkError",
        "Description",
        "RunRequest",
        "RunResult",
        "RunState",
        "StartedRun",
        "TaskHead",
        "TaskTry",
        "Trial",
        "TrialHead",
        "TrialScore",
    ),
    "benchmark_opening": ("BenchmarkContext", "BenchmarkIdentity", "BenchmarkOption", "OpenedBenchmark"),
    "task_selection": ("TaskSelection", "start_selected_run"),
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use, so that nobody waits for what is not needed."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)

"""Runs benchmarks: the lifecycle of a run, its journal, its replay, its configuration and the command line."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from controlplane.benchmark import (
        Benchmark,
        BenchmarkContext,
        BenchmarkError,
        BenchmarkIdentity,
        BenchmarkOption,
        Description,
        OpenedBenchmark,
        RunRequest,
        RunResult,
        RunState,
        StartedRun,
        TaskHead,
        TaskTry,
        Trial,
        TrialHead,
        TrialScore,
    )
    from controlplane.errors import did_you_mean as did_you_mean
    from controlplane.journal.journal_content import Journal, RecordedTrial, open_journal
    from controlplane.task_selection import TaskSelection, start_selected_run

_HOMES = {
    "benchmark": (
        "Benchmark",
        "BenchmarkContext",
        "BenchmarkError",
        "BenchmarkIdentity",
        "BenchmarkOption",
        "Description",
        "OpenedBenchmark",
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
    "journal.journal_content": ("Journal", "RecordedTrial", "open_journal"),
    "errors": ("did_you_mean",),
    "task_selection": ("TaskSelection", "start_selected_run"),
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use, which keeps the start quick."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)

"""Runs benchmarks: the lifecycle of a run, its journal, its replay, its configuration and the command line."""

import sys

if sys.argv[:1] == ["-m"] and not sys.flags.safe_path and not __file__.startswith(f"{sys.path[0]}/controlplane/"):
    del sys.path[0]  # `python -m` searches the working folder first: being in it runs nothing of it

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
        TaskSelection,
        TaskTry,
        Trial,
        TrialHead,
        TrialScore,
        start_selected_run,
    )
    from controlplane.errors import did_you_mean
    from controlplane.journal.journal_content import Journal, RecordedTrial, open_journal
    from controlplane.text_files import decode_text, is_text


def __getattr__(name: str) -> object:
    """Import a public name at its first use: at the start, the working folder's modules may still hide ours."""
    import agent

    return agent.lazy_face(__name__, __file__)(name)

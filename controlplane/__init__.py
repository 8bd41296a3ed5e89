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
    from controlplane.inspect_bridge import inspect_agent
    from controlplane.journal.journal_reader import Journal, RecordedTrial, open_journal
    from controlplane.library import RunReport, TrialReport, open_run, run, solve
    from controlplane.tasks import Grade, Task, TaskEnvironment, Tool, ToolBenchmark
    from controlplane.text_files import decode_text, is_text


def check_packages() -> None:
    """Raise `HiddenPackage` if another package or module is found under the name of one of ours."""
    import importlib.util
    from pathlib import Path

    ours = Path(__file__).resolve().parents[1]
    for name in ("agent", "sandbox", "gates", "benchmarks"):
        spec = sys.modules[name].__spec__ if name in sys.modules else importlib.util.find_spec(name)
        places = [spec.origin] if spec and spec.origin else [*(spec.submodule_search_locations or ())] if spec else []
        place = Path(places[0] or "").resolve() if places else None
        if place is None or not place.is_relative_to(ours / name):
            msg = (
                f"another package named {name!r} hides that of the control plane: {place}; rename it or take its "
                "folder out of the module path, or uninstall what it belongs to"
                if place
                else f"the control plane's own package {name!r} is missing in {ours}: install it again"
            )
            raise HiddenPackage(msg)


class HiddenPackage(ImportError):
    """Something else is found under the name of a package of ours. The message says where, and what to do."""

    exit_code = 2


def __getattr__(name: str) -> object:
    """Import a public name at its first use: at the start, the working folder's modules may still hide ours."""
    if "agent" not in sys.modules or not hasattr(sys.modules["agent"], "lazy_face"):
        check_packages()
    import agent

    return agent.lazy_face(__name__, __file__)(name)

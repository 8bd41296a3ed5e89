"""Opens the runs of a program, plays them to their end, and reports the results.

The benchmark may be an object of the program, such as a list of tasks. Then a later process cannot load
it by name: the program has to pass it again.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from controlplane.benchmark import (
    OpenedBenchmark,
)
from controlplane.configuration.continuation import resume_text
from controlplane.configuration.named_modules import open_by
from controlplane.configuration.run_settings import settings_with
from controlplane.configuration.setting_uses import Use
from controlplane.errors import (
    Interrupted,
    UsageError,
)
from controlplane.library.run_report import RunReport, open_run
from controlplane.tool_benchmark.task_list import TaskList

if TYPE_CHECKING:
    from controlplane.lifecycle.run_lifecycle import Run


def play_opened(opening: AbstractContextManager[Run]) -> RunReport:
    """Open a run, play it to its end and return its report.

    `opening` is a context manager, such as `opened_run(plan)`. In a notebook, the run is shown.
    Raises `KeyboardInterrupt` if it was interrupted. The run can then be resumed.
    """
    from controlplane.lifecycle.conducting import conduct
    from controlplane.view.progress.notebook_display import notebook_display

    try:
        with opening as run_here, notebook_display(run_here):
            code = conduct(run_here)
    except Interrupted as error:
        raise KeyboardInterrupt(str(error)) from error

    journal = run_here.journal.current_path
    if run_here.controls.interrupted.is_set():
        benchmark = run_here.resources.spec.settings.benchmark
        how = resume_text(journal, benchmark)
        msg = f"interrupted; nothing that was recorded is lost: {journal}; continue with: {how}"
        raise KeyboardInterrupt(msg)
    return replace(open_run(journal), exit_code=code)


def open_benchmark_object(benchmark: Any) -> OpenedBenchmark:
    """Open a benchmark that is given as an object, or as a series of tasks: `[Task("sum", …)]`.

    Its trials cannot be played on a cluster. Raises `UsageError` for any other object.
    """
    is_benchmark = callable(getattr(benchmark, "describe", None))
    if isinstance(benchmark, Iterable) and not is_benchmark:
        benchmark = TaskList(benchmark)

    # An error message begins with it: `... what was given cannot be opened: REASON`.
    subject = "a benchmark, its name, or tasks are needed: what was given"
    opened = open_by(lambda: benchmark, subject=subject)
    why_no_cluster = "its tasks are objects of this program: run them on threads"
    return replace(opened, stays_here=why_no_cluster)


def reopen(
    path: Path, settings: dict[str, Any], opened: OpenedBenchmark | None
) -> AbstractContextManager[Run]:
    """Open the run of a journal, to continue it with changed settings.

    Raises `UsageError` for a setting that a resumed run cannot change.
    """
    from controlplane.lifecycle.reopened_run import reopen_run

    changeable = settings_with(Use.RESUMABLE)
    for name in settings:
        if name not in changeable:
            msg = (
                f"{name} is that of the recorded run; a resumed one can change "
                f"{', '.join(changeable)}"
            )
            raise UsageError(msg)
    return reopen_run(path, plays_trials=True, changes=settings, opened=opened)

"""The library: runs from Python, with every setting of the command line by its name, and their results as objects.

Nothing of the process is set or kept: no environment variable, no working folder, no thread settings. While a run works
in the main thread, Ctrl-C stops it as on the command line; the handlers of before are put back at its end.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from controlplane.benchmark import Benchmark, OpenedBenchmark
from controlplane.configuration.named_modules import OF_A_PROGRAM, opened_as
from controlplane.configuration.run_settings import RunSettings, resolve
from controlplane.errors import ControlPlaneError, Interrupted, UsageError, did_you_mean, extra_module
from controlplane.journal.journal_reader import Journal, open_journal
from controlplane.journal.run_summary import Spent, TrialSummary
from controlplane.tasks import Task, TaskEnvironment, TaskList, ToolBenchmark

if TYPE_CHECKING:
    from agent.evidence import Environment
    from controlplane.lifecycle.run_lifecycle import Run


@dataclass(frozen=True, slots=True)
class RunReport:
    """A run as its journal tells it."""

    journal: Path
    """What `controlplane replay`, `show`, `compare` and `report` take as RUN."""
    mean: float | None
    """The mean of the known scores; None without any."""
    metrics: Mapping[str, float]
    """The means of the graders' further figures, by name."""
    trials: tuple[TrialSummary, ...]
    """In the order of their allotment."""
    spent: Spent
    """Tokens and cost."""
    error: str = ""
    """Why the run did not end as it should; empty if it did, or if it still works."""
    exit_code: int | None = None
    """The exit code of the same run on the command line; None for a run that was only read."""

    def __getitem__(self, task_id: str) -> TrialSummary:
        """Return the first trial of a task. Raises `KeyError` with the names that there are."""
        found = next((trial for trial in self.trials if task_id in (trial.task_id, trial.trial_id)), None)
        if found is None:
            raise KeyError(f"no task {task_id!r}" + did_you_mean(task_id, (trial.task_id for trial in self.trials)))
        return found

    def rows(self) -> list[dict[str, object]]:
        """Return a row for each trial, with the columns of `--json`; each metric is a column of its own, too."""
        from controlplane.view.run_results import trial_result

        return [trial_result(trial) | dict(trial.metrics) for trial in self.trials]

    def to_pandas(self) -> Any:
        """Return the rows as a `pandas.DataFrame`. Raises `UsageError` if pandas is not installed."""
        return extra_module("pandas", "to_pandas()").DataFrame(self.rows())


def run(
    benchmark: str | Benchmark | ToolBenchmark | Iterable[Task],
    *tasks: str,
    resume: str | Path | None = None,
    **settings: Any,
) -> RunReport:
    """Run a benchmark, or tasks, and return the result when every trial is over.

    `benchmark` is a name as on the command line, an object, or tasks; `tasks` choose tasks or families by name.
    `settings` are those of the command line by their names with underscores (`model`, `base_url`, `concurrency`,
    `max_steps`, `set={...}`, `role={...}`, `mcp=[...]`, ...); the environment and controlplane.toml hold where they are
    not given. `resume` continues the run of this journal, if the tasks are objects: give them again.

    Raises `UsageError`, `Unreachable` and their like for a fault that keeps the run from beginning, and
    `KeyboardInterrupt` once an interrupted run is recorded. `error` has a later fault (a budget, a model that is down).
    """
    name, opened = _opened(benchmark)
    try:
        ended, code = _played(name, opened, tasks, settings) if resume is None else _resumed(resume, opened, settings)
    except Interrupted as error:
        raise KeyboardInterrupt(str(error)) from error
    if ended.controls.interrupted.is_set():
        msg = f"interrupted; nothing that was recorded is lost: {ended.journal.path}"
        raise KeyboardInterrupt(msg)
    with open_journal(ended.journal.path) as journal:
        return _report_of(journal, code)


def solve(
    environment: TaskEnvironment | Environment | Mapping[str, str], instruction: str, **settings: Any
) -> TrialSummary:
    """Play one trial in an environment, or over files given as texts by path, and return it.

    `settings` are those of `run`, above all `model`. Raises as `run` does, and `ControlPlaneError` if the trial did not
    end.
    """
    given: Any = TaskEnvironment(files=environment) if isinstance(environment, Mapping) else environment
    report = run([Task("task", instruction, environment=lambda: given)], **settings)
    if report.error:
        raise ControlPlaneError(report.error)
    return report.trials[0]


def open_run(path: str | Path) -> RunReport:
    """Return the run of the journal at `path`. Raises `NotAJournal` and `JournalDamaged`."""
    with open_journal(Path(path)) as journal:
        return _report_of(journal)


def _report_of(journal: Journal, exit_code: int | None = None) -> RunReport:
    summary = journal.summary
    trials = tuple(summary.trials.values())
    return RunReport(journal.path, summary.mean_score, summary.metrics, trials, summary.spent, summary.error, exit_code)


def _opened(benchmark: Any) -> tuple[str, OpenedBenchmark | None]:
    """Return the name of a benchmark, and the benchmark itself if it is an object."""
    if isinstance(benchmark, str):
        return benchmark, None
    if isinstance(benchmark, Iterable) and not callable(getattr(benchmark, "describe", None)):
        benchmark = TaskList(benchmark)
    opened = opened_as(benchmark, "a benchmark, its name, or tasks are needed: what was given")
    here = "its tasks are objects of this program: run them on threads"
    return f"{OF_A_PROGRAM}:{opened.benchmark.describe().name}", replace(opened, stays_here=here)


def _played(
    name: str, opened: OpenedBenchmark | None, tasks: tuple[str, ...], settings: dict[str, Any]
) -> tuple[Run, int]:
    from controlplane.commands.run import FreshRun, conduct, opened_run
    from controlplane.lifecycle.run_resources import RunSpec
    from controlplane.mcp.server_specs import tool_access

    servers = {option: settings.pop(option, None) or () for option in ("mcp", "mcp_config", "allow", "deny")}
    if unknown := next((each for each in settings if each not in RunSettings.model_fields), None):
        msg = f"there is no setting {unknown!r}{did_you_mean(unknown, RunSettings.model_fields, most=8)}"
        raise UsageError(msg)
    resolved = resolve({**settings, "benchmark": name}, os.environ, Path.cwd())
    spec = RunSpec(resolved.settings, tools=tool_access(servers, resolved.mcp), opened=opened)
    with opened_run(FreshRun(spec, resolved.sources, tasks)) as (begun, begin, states):
        return begun, conduct(begun, None, begin, states)


def _resumed(path: str | Path, opened: OpenedBenchmark | None, settings: dict[str, Any]) -> tuple[Run, int]:
    from controlplane.commands.run import conduct, workers_opener
    from controlplane.lifecycle.run_lifecycle import CHANGEABLE, reopen_run

    if wrong := next((each for each in settings if each not in CHANGEABLE), None):
        msg = f"{wrong} is that of the recorded run; a resumed one can change {', '.join(CHANGEABLE)}"
        raise UsageError(msg)
    with reopen_run(Path(path), works=True, changes=settings, open_workers=workers_opener, opened=opened) as reopened:
        again, states = reopened
        return again, conduct(again, None, lambda: None, states)

"""The library: runs from Python, with every setting of the command line by its name, and their results as objects.

Nothing of the process is set or kept: no environment variable, no working folder, no thread settings. While a run works
in the main thread, Ctrl-C stops it as on the command line; the handlers of before are put back at its end.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from controlplane.benchmark import Benchmark, OpenedBenchmark
from controlplane.configuration.named_modules import OF_A_PROGRAM, opened_as
from controlplane.configuration.run_settings import RunSettings
from controlplane.configuration.setting_sources import resolve
from controlplane.errors import ControlPlaneError, Interrupted, UsageError, did_you_mean
from controlplane.journal.journal_reader import Journal, RecordedTrial, open_journal
from controlplane.tasks import Task, TaskEnvironment, TaskList, ToolBenchmark

if TYPE_CHECKING:
    from agent.evidence import Environment
    from controlplane.lifecycle.run_lifecycle import Run
    from controlplane.view.run_view import RunView

_TOOLS: Final = ("mcp", "mcp_config", "allow", "deny")


@dataclass(frozen=True, slots=True)
class TrialReport:
    """One trial of a run as its journal tells it."""

    trial_id: str
    task_id: str
    score: float | None
    """From 0 to 1; None while it is sealed or missing, never 0 then."""
    answer: str
    """The text that was sent; empty if there is none."""
    outcome: str
    refs: tuple[str, ...]
    """The citations of the answer."""
    why: str
    """The grader's lines, and why a trial has no answer of its own; empty if there is nothing to say."""
    metrics: Mapping[str, float]
    """Further figures of the grader, by name."""
    state: str
    """`answered`, `fallback`, `unanswered`, `open` (to be resumed), `failed` (to start) or `waiting`."""
    steps: int
    elapsed_s: float
    tokens: int
    """Tokens of requests and replies."""
    cost_usd: float | None
    """None if a reply's price is unknown."""


@dataclass(frozen=True, slots=True)
class RunReport:
    """A run as its journal tells it."""

    journal: Path
    """What `controlplane replay`, `show`, `compare` and `report` take as RUN."""
    mean: float | None
    """The mean of the known scores; None without any."""
    metrics: Mapping[str, float]
    """The means of the graders' further figures, by name."""
    trials: tuple[TrialReport, ...]
    """In the order of their allotment."""
    tokens: int
    cost_usd: float | None
    """None if a reply's price is unknown."""
    error: str = ""
    """Why the run did not end as it should; empty if it did, or if it still works."""
    exit_code: int | None = None
    """The exit code of the same run on the command line; None for a run that was only read."""

    def __getitem__(self, task_id: str) -> TrialReport:
        """Return the first trial of a task. Raises `KeyError` with the names that there are."""
        found = next((trial for trial in self.trials if task_id in (trial.task_id, trial.trial_id)), None)
        if found is None:
            raise KeyError(f"no task {task_id!r}" + did_you_mean(task_id, (trial.task_id for trial in self.trials)))
        return found

    def rows(self) -> list[dict[str, object]]:
        """Return a row for each trial, of plain values; each metric is a column of its own."""
        names = [name for name in TrialReport.__slots__ if name != "metrics"]
        rows = [{name: getattr(trial, name) for name in names} | dict(trial.metrics) for trial in self.trials]
        return [row | {"refs": " ".join(trial.refs)} for row, trial in zip(rows, self.trials, strict=True)]

    def to_pandas(self) -> Any:
        """Return the rows as a `pandas.DataFrame`. Raises `UsageError` if pandas is not installed."""
        try:
            import pandas  # type: ignore[import-untyped,unused-ignore] # it has no types, or is absent
        except ModuleNotFoundError as error:
            msg = "to_pandas() needs the package 'pandas': pip install pandas; rows() needs nothing"
            raise UsageError(msg) from error
        return pandas.DataFrame(self.rows())


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
    if resume is not None:
        return _resumed(Path(resume), opened, settings)
    return _played(name, opened, tasks, settings)


def solve(
    environment: TaskEnvironment | Environment | Mapping[str, str], instruction: str, **settings: Any
) -> TrialReport:
    """Play one trial in an environment, or over files given as texts by path, and return it.

    `settings` are those of `run`, above all `model`. Raises as `run` does, and `ControlPlaneError` if the trial did not
    end.
    """
    made = TaskEnvironment(files=environment) if isinstance(environment, Mapping) else environment
    given: Any = made
    task = Task("task", instruction, environment=lambda: given)
    report = run([task], **settings)
    if report.error:
        raise ControlPlaneError(report.error)
    return report.trials[0]


def open_run(path: str | Path) -> RunReport:
    """Return the run of the journal at `path`. Raises `NotAJournal` and `JournalDamaged`."""
    with open_journal(Path(path)) as journal:
        return _report_of(journal)


def _report_of(journal: Journal, error: str = "", exit_code: int | None = None) -> RunReport:
    summary = journal.summary
    return RunReport(
        journal.path,
        summary.mean_score,
        summary.metrics,
        tuple(map(_trial_of, journal.trials.values())),
        summary.spent.tokens,
        summary.spent.cost_usd,
        error or summary.error,
        exit_code,
    )


def _trial_of(recorded: RecordedTrial) -> TrialReport:
    trial = recorded.summary
    return TrialReport(
        trial.trial_id,
        trial.task_id,
        trial.score,
        trial.answer,
        trial.outcome,
        trial.refs,
        "; ".join(filter(None, (trial.reason, *trial.details))),
        dict(trial.metrics),
        trial.state,
        trial.step,
        trial.elapsed_ms / 1000,
        trial.spent.tokens,
        trial.spent.cost_usd,
    )


def _opened(benchmark: Any) -> tuple[str, OpenedBenchmark | None]:
    """Return the name of a benchmark, and the benchmark itself if it is an object."""
    if isinstance(benchmark, str):
        return benchmark, None
    if isinstance(benchmark, Iterable) and not callable(getattr(benchmark, "describe", None)):
        benchmark = TaskList(benchmark)
    opened = opened_as(benchmark, "a benchmark, its name, or tasks are needed: what was given")
    here = "its tasks are objects of this program: run them on threads"
    return f"{OF_A_PROGRAM}:{opened.benchmark.describe().name}", replace(opened, stays_here=here)


def _played(name: str, opened: OpenedBenchmark | None, tasks: tuple[str, ...], settings: dict[str, Any]) -> RunReport:
    from controlplane.commands.run import FreshRun, conduct, opened_run
    from controlplane.lifecycle.run_resources import RunSpec
    from controlplane.mcp.server_specs import tool_access

    servers = {option: settings.pop(option, None) or () for option in _TOOLS}
    if unknown := next((each for each in settings if each not in RunSettings.model_fields), None):
        msg = f"there is no setting {unknown!r}{did_you_mean(unknown, RunSettings.model_fields, most=8)}"
        raise UsageError(msg)
    resolved = resolve({**settings, "benchmark": name}, os.environ, Path.cwd())
    spec = RunSpec(resolved.settings, tools=tool_access(servers, resolved.mcp), opened=opened)
    try:
        with opened_run(FreshRun(spec, resolved.sources, tasks)) as (begun, begin, states):
            code = conduct(begun, _view(), begin, states, takes_signals=_is_main(), owns_process=False)
    except Interrupted as error:
        raise KeyboardInterrupt(str(error)) from error
    return _result(begun, code)


def _resumed(path: Path, opened: OpenedBenchmark | None, settings: dict[str, Any]) -> RunReport:
    from controlplane.commands.run import conduct, workers_opener
    from controlplane.lifecycle.run_lifecycle import CHANGEABLE, reopen_run

    if wrong := next((each for each in settings if each not in CHANGEABLE), None):
        msg = f"{wrong} is that of the recorded run; a resumed one can change {', '.join(CHANGEABLE)}"
        raise UsageError(msg)
    reopened = reopen_run(path, works=True, changes=settings, open_workers=workers_opener, opened=opened)
    with reopened as (again, states):
        code = conduct(again, _view(), lambda: None, states, takes_signals=_is_main(), owns_process=False)
    return _result(again, code)


def _result(ended: Run, code: int) -> RunReport:
    if ended.controls.interrupted.is_set():
        msg = f"interrupted; nothing that was recorded is lost: {ended.journal.path}"
        raise KeyboardInterrupt(msg)
    with open_journal(ended.journal.path) as journal:
        return _report_of(journal, exit_code=code)


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()


def _view() -> RunView:
    """Return a view that prints nothing."""
    from controlplane.view.run_view import RunView

    return RunView(quiet=True, as_json=False, reports=False, tells_errors=False)

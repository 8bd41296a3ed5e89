"""The library: runs from Python, with every setting of the command line, and results as objects.

`controlplane` exports the names that are imported here. Nothing is left behind in the
process: no environment variable, no working folder, no thread setting. While a run
works in the main thread, Ctrl-C stops it as on the command line; the previous signal
handlers are restored at its end.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    TaskStub,
    TaskTry,
    Trial,
    TrialScore,
    TrialStub,
)
from controlplane.configuration.continuation import OF_A_PROGRAM, resume_text
from controlplane.configuration.named_modules import open_by
from controlplane.configuration.run_settings import RunSettings, settings_with
from controlplane.configuration.setting_sources import resolve
from controlplane.configuration.setting_uses import Use
from controlplane.errors import (
    ControlPlaneError,
    Interrupted,
    UsageError,
    did_you_mean,
    extra_module,
)
from controlplane.journal.journal_reader import Journal, open_journal
from controlplane.journal.recorded_trial import RecordedTrial
from controlplane.journal.totals.spending_totals import Spent
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.local_benchmark.generated_trial import Grade
from controlplane.selected_run import start_selected_run
from controlplane.task_selection import TaskSelection
from controlplane.text_files import decode_text, is_text
from controlplane.tool_benchmark.environment_calls import EnvironmentCall
from controlplane.tool_benchmark.model_user import ModelUser
from controlplane.tool_benchmark.task_environment import TaskEnvironment
from controlplane.tool_benchmark.task_list import Task, TaskList
from controlplane.tool_benchmark.tool_benchmark import ToolBenchmark
from controlplane.tool_benchmark.truth_script import Truth
from controlplane.tools.function_tool import Tool

if TYPE_CHECKING:
    from inspect_ai.agent import Agent

    from controlplane.agent.evidence import Environment
    from controlplane.lifecycle.playing_again import Consent
    from controlplane.lifecycle.run_lifecycle import Run
    from controlplane.lifecycle.run_plan import RunPlan
    from controlplane.mcp.tool_access import ToolAccess
    from controlplane.view.answer.asked_answer import AskedAnswer

SERVER_OPTIONS = ("mcp", "mcp_config", "allow", "deny")
"""The options that name MCP servers and their tools, as on the command line."""
MAX_NAMES_SHOWN = 8


@dataclass(frozen=True, slots=True)
class RunReport:
    """The results of a run, read from its journal."""

    journal: Path
    """The path of the journal: the RUN of `controlplane replay`, `show`, `compare` and `report`."""
    mean: float | None
    """The mean of the known scores; None if no score is known."""
    metrics: Mapping[str, float]
    """The means of the graders' further figures, by name."""
    trials: tuple[TrialSummary, ...]
    """The trials, in the benchmark's order."""
    spent: Spent
    """The tokens and the cost of the run."""
    error: str = ""
    """Why the run did not end properly; empty if it did, or if it is still working."""
    exit_code: int | None = None
    """The exit code that the command line would give; None for a run that was only read."""

    def __getitem__(self, task_id: str) -> TrialSummary:
        """Return the first trial of a task. Raises `KeyError` with the names of all tasks."""
        for trial in self.trials:
            if task_id in (trial.task_id, trial.trial_id):
                return trial
        hint = did_you_mean(task_id, (trial.task_id for trial in self.trials))
        msg = f"no task {task_id!r}{hint}"
        raise KeyError(msg)

    def __repr__(self) -> str:
        from controlplane.report.notebook_table import report_line

        return f"<{type(self).__name__}: {report_line(self)}>"

    def _repr_html_(self) -> str:
        """Return the HTML table that notebooks show."""
        from controlplane.report.notebook_table import report_table

        return report_table(self)

    def rows(self) -> list[dict[str, object]]:
        """Return a row for each trial, with the columns of `--json` and one for each metric."""
        from controlplane.view.results.trial_result import trial_result

        rows = []
        for trial in self.trials:
            row: dict[str, object] = dict(trial.metrics)
            row |= asdict(trial_result(trial))
            rows.append(row)
        return rows

    def to_pandas(self) -> Any:
        """Return the rows as a `pandas.DataFrame`. Raises `UsageError` if pandas is missing."""
        return extra_module("pandas", "to_pandas()").DataFrame(self.rows())


# New runs


def run(
    benchmark: str | Benchmark | ToolBenchmark | Iterable[Task],
    *tasks: str,
    resume: str | Path | None = None,
    **settings: Any,
) -> RunReport:
    """Run a benchmark, or tasks, and return the result when every trial is over.

    - `benchmark`: a name as on the command line, an object, or tasks.
    - `tasks`: the names of the tasks or families to play; all by default.
    - `resume`: the journal of a run to continue, if its tasks are objects: pass them again.
    - `settings`: those of the command line, with underscores: `model`, `max_steps`,
      `set={...}`, `mcp=[...]`. One that is not given comes from the environment
      or controlplane.toml.

    Raises `UsageError`, `Unreachable` and similar errors if the run cannot begin, and
    `KeyboardInterrupt` after an interrupted run is recorded. A later fault, such as an
    exhausted budget or an unreachable model, is in `error`.
    """
    if isinstance(benchmark, str):
        benchmark_name = benchmark
        opened = None
    else:
        # In the journal, the benchmark is named `python:NAME`: only a program can continue it.
        opened = _open_benchmark_object(benchmark)
        benchmark_name = f"{OF_A_PROGRAM}:{opened.benchmark.describe().name}"
    if resume is not None:
        reopening = _reopen(Path(resume).absolute(), settings, opened)
        return _play(reopening)

    from controlplane.lifecycle.new_run import opened_run
    from controlplane.lifecycle.resources.run_spec import RunSpec
    from controlplane.lifecycle.run_plan import RunPlan
    from controlplane.mcp.tool_access import tool_access

    options = _options_of(settings)
    flags = {**options.settings, "benchmark": benchmark_name}
    resolved = resolve(flags, os.environ, Path.cwd())
    access = tool_access(options.servers, resolved.mcp)
    # Make the path absolute: the program may change its working folder during the run.
    runs_dir = str(Path(resolved.settings.runs_dir).absolute())
    run_settings = resolved.settings.model_copy(update={"runs_dir": runs_dir})
    spec = RunSpec(run_settings, tools=access, opened=opened)
    new_run = RunPlan(spec, resolved.sources, tasks)
    return _play(opened_run(new_run))


def solve(
    environment: TaskEnvironment | Environment | Mapping[str, str],
    instruction: str,
    **settings: Any,
) -> TrialSummary:
    """Play one trial in an environment, or over files given as texts by path, and return it.

    `settings` are those of `run`, above all `model`. Raises the errors of `run`, and
    `ControlPlaneError` if the trial did not end.
    """
    world: Any = environment
    if isinstance(environment, Mapping):
        world = TaskEnvironment(files=environment)
    report = run([Task("task", instruction, environment=lambda: world)], **settings)
    if report.error:
        raise ControlPlaneError(report.error)
    return report.trials[0]


def ask(
    question: str,
    *sources: str | Path,
    write: str | Path | None = None,
    continues: str | Path | None = None,
    **settings: Any,
) -> AskedAnswer:
    """Ask a question about files and folders, and return the answer with its citations.

    Without `sources`, it asks about the working folder. The answer also says what
    supports each of its values. In the folder `write`, it may propose changes of files:
    the answer lists the changes, and the files stay as they are. `continues` is the journal of the
    previous question. Raises the errors of `run`.
    """
    from controlplane.mcp.tool_access import tool_access
    from controlplane.questions.question import Question
    from controlplane.questions.run import ask_question
    from controlplane.questions.scope import question_scope, recorded_scope

    options = _options_of(settings)
    previous = None if continues is None else Path(continues)
    # A further question that names no files is about the files of the previous one.
    if previous is not None and not sources and write is None:
        scope = recorded_scope(previous)
    else:
        names = tuple(str(source) for source in sources)
        scope = question_scope(names, None if write is None else str(write))

    asked = Question(question, scope, options.settings, before=previous)
    configured_servers = resolve({}, os.environ, Path.cwd()).mcp
    return ask_question(asked, tools=tool_access(options.servers, configured_servers))


def inspect_agent(tools: list[Any] | None = None, **settings: Any) -> Agent:
    """Return an agent of Inspect that answers by scripts, with citations.

    Use it as `Task(solver=as_solver(inspect_agent(tools=[...])))`. The scripts run
    in our sandbox and call these tools of Inspect. The agent asks Inspect's active
    model, and Inspect counts its tokens and limits. `settings` are those of `run`;
    without `runs_dir` no journal is kept. Raises `UsageError` if the extra
    `inspect` is not installed.
    """
    from controlplane.inspect_support import agent_that_runs

    return agent_that_runs(run, tools or [], settings)


# Recorded runs


def open_run(path: str | Path) -> RunReport:
    """Return the run of the journal at `path`. Raises `NotAJournal` and `JournalDamaged`."""
    with open_journal(Path(path)) as journal:
        summary = journal.summary
        return RunReport(
            journal=journal.path,
            mean=summary.trials.mean_score,
            metrics=summary.trials.metrics,
            trials=tuple(summary.trials.values()),
            spent=summary.spent,
            error=summary.process.error,
        )


def resume(path: str | Path, **settings: Any) -> RunReport:
    """Continue the run of a journal whose benchmark has a name.

    `settings` may hold the settings that `controlplane resume` can change. Raises the
    errors of `run`.
    """
    # `None`: the journal names its benchmark, so the benchmark is loaded by name.
    return _play(_reopen(Path(path).absolute(), settings, None))


def rerun(
    path: str | Path,
    *trials: str,
    failed: bool = False,
    below: float | None = None,
    **settings: Any,
) -> RunReport:
    """Play trials of a recorded run again, in the same worlds, into a new journal.

    - `trials`: names of trials or tasks.
    - `failed`: choose the trials without an answer of the solver.
    - `below`: choose the trials with a score below this one.

    Without any of them, all trials are played again. Raises the errors of `run`.
    """
    from controlplane.lifecycle.new_run import opened_run
    from controlplane.lifecycle.rerun_choice import TrialChoice, rerun_plan

    options = _options_of(settings)
    choice = TrialChoice(trials, failed, below)
    with open_journal(Path(path)) as journal:
        plan = rerun_plan(journal, choice, options.settings, _consent(options))
    return _play(opened_run(plan))


def fork(
    path: str | Path,
    trial: str,
    step: int,
    *,
    note: str = "",
    repeats: int = 1,
    **settings: Any,
) -> RunReport:
    """Continue a recorded trial from a step (counted from 1), `repeats` times, into a new journal.

    `note` is added to the last message before that step. Raises the errors of `run`.
    """
    from controlplane.lifecycle.new_run import opened_run
    from controlplane.replay.forking import fork_plan, opened_fork_point

    options = _options_of(settings)
    with open_journal(Path(path)) as journal:
        point = opened_fork_point(
            journal, trial, step, note=note, has_new_prompt="prompt" in settings
        )
        plan: RunPlan = fork_plan(
            journal, point, repeats, options.settings, _consent(options)
        )
        return _play(opened_run(plan))


def submit(path: str | Path, *, force: bool = False) -> RunReport:
    """Submit a recorded run. With `force`, open trials score 0. Raises the errors of `run`."""
    from controlplane.lifecycle import recorded_run, run_refusals

    journal = Path(path)
    reason_for_nothing = run_refusals.reason_not_to_submit(journal)
    if reason_for_nothing:
        return open_run(journal)
    code = recorded_run.submit(journal, screen=None, force=force, is_trusted=False)
    return replace(open_run(journal), exit_code=code)


def poll(path: str | Path) -> RunReport:
    """Ask for the scores of a submitted run, and add them to its journal.

    Raises the errors of `run`.
    """
    from controlplane.lifecycle import recorded_run
    from controlplane.questions.conversation import nothing_to_poll

    journal = Path(path)
    reason_for_nothing = nothing_to_poll(journal)
    if reason_for_nothing:
        return open_run(journal)
    code = recorded_run.poll(journal, screen=None, is_trusted=False)
    return replace(open_run(journal), exit_code=code)


# Functions that the others share


def _play(opening: AbstractContextManager[Run]) -> RunReport:
    """Open a run, play it to its end and return its report.

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


def _open_benchmark_object(benchmark: Any) -> OpenedBenchmark:
    """Open a benchmark that is given as an object, or as a series of tasks."""
    is_benchmark = callable(getattr(benchmark, "describe", None))
    if isinstance(benchmark, Iterable) and not is_benchmark:
        benchmark = TaskList(benchmark)

    # An error message begins with it: `... what was given cannot be opened: REASON`.
    subject = "a benchmark, its name, or tasks are needed: what was given"
    opened = open_by(lambda: benchmark, subject=subject)
    why_no_cluster = "its tasks are objects of this program: run them on threads"
    return replace(opened, stays_here=why_no_cluster)


def _reopen(
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


@dataclass(frozen=True, slots=True)
class _Options:
    """The keyword arguments of a function of the library."""

    settings: dict[str, Any]
    """The values of settings."""
    servers: dict[str, Any]
    """The values of `SERVER_OPTIONS`, each an empty tuple if it is not given."""


def _options_of(keywords: Mapping[str, Any]) -> _Options:
    """Return the settings and the server options. Raises `UsageError` for any other name."""
    servers = {name: keywords.get(name) or () for name in SERVER_OPTIONS}
    settings = {
        name: value for name, value in keywords.items() if name not in SERVER_OPTIONS
    }
    for name in settings:
        if name not in RunSettings.model_fields:
            hint = did_you_mean(name, RunSettings.model_fields, most=MAX_NAMES_SHOWN)
            msg = f"there is no setting {name!r}{hint}"
            raise UsageError(msg)
    return _Options(settings, servers)


def _consent(options: _Options) -> Consent:
    """Return the consent to the servers and tools that the options name."""
    from controlplane.lifecycle.playing_again import Consent
    from controlplane.mcp.tool_access import tool_access

    configured_servers = resolve({}, os.environ, Path.cwd()).mcp
    access: ToolAccess | None = tool_access(options.servers, configured_servers)
    return Consent(tools=access)

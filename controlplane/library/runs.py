"""Runs and questions from Python: new ones, and recorded ones that are continued or repeated.

Every setting of the command line is a keyword argument: `run("desk", model="gpt-5-mini", max_steps=20)`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from controlplane.benchmark import Benchmark, OpenedBenchmark
from controlplane.configuration.model_settings import Use
from controlplane.configuration.named_modules import open_by
from controlplane.configuration.run_names import OF_A_PROGRAM, resume_text
from controlplane.configuration.run_settings import (
    SERVER_OPTIONS,
    RunSettings,
    settings_with,
)
from controlplane.configuration.setting_sources import resolve
from controlplane.errors import ControlPlaneError, Interrupted, UsageError, did_you_mean
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.run_events import todays_setting_name
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.library.run_report import RunReport, open_run
from controlplane.tool_benchmark.environments import TaskEnvironment
from controlplane.tool_benchmark.tool_benchmark import Task, TaskList, ToolBenchmark

if TYPE_CHECKING:
    from inspect_ai.agent import Agent

    from controlplane.agent.evidence import Environment
    from controlplane.facts.answer_facts import AskedAnswer
    from controlplane.lifecycle.run_lifecycle import Run
    from controlplane.lifecycle.run_plan import Consent
    from controlplane.mcp.tool_access import ToolAccess

# The keyword arguments of the library's functions: settings, and options about MCP servers.
#
# `run("desk", model="m", mcp=["db=uvx mcp-server-sqlite"])` -> the setting `model` and the option `mcp`.

_MAX_NAMES_SHOWN = 8


@dataclass(frozen=True, slots=True)
class _Options:
    """The keyword arguments of a function of the library."""

    settings: dict[str, Any]
    """The values of settings."""
    servers: dict[str, Any]
    """The values of `SERVER_OPTIONS`, each an empty tuple if it is not given."""


def _options_of(keywords: Mapping[str, Any]) -> _Options:
    """Return the settings and the server options. Raises `UsageError` for any other name.

    `{"model": "m", "mcp": ["db=…"]}` -> the settings `{"model": "m"}`, and `mcp` among the servers.
    """
    servers = {name: keywords.get(name) or () for name in SERVER_OPTIONS}
    settings = {
        todays_setting_name(name): value
        for name, value in keywords.items()
        if name not in SERVER_OPTIONS
    }
    for name in settings:
        if name not in RunSettings.model_fields:
            hint = did_you_mean(name, RunSettings.model_fields, most=_MAX_NAMES_SHOWN)
            msg = f"there is no setting {name!r}{hint}"
            raise UsageError(msg)
    return _Options(settings, servers)


def _consent_of(options: _Options) -> Consent:
    """Return the consent of a program that continues a journal's run: to the servers that it names.

    Servers in controlplane.toml count as well. The journal itself has to be the user's own.
    """
    from controlplane.lifecycle.run_plan import Consent
    from controlplane.mcp.tool_access import tool_access

    configured_servers = resolve({}, os.environ, Path.cwd()).mcp
    access: ToolAccess | None = tool_access(options.servers, configured_servers)
    return Consent(tools=access)


# Opens the runs of a program, plays them to their end, and reports the results.
#
# The benchmark may be an object of the program, such as a list of tasks. Then a later process cannot load
# it by name: the program has to pass it again.


def _play_opened(opening: AbstractContextManager[Run]) -> RunReport:
    """Open a run, play it to its end and return its report.

    `opening` is a context manager, such as `opened_run(plan)`. In a notebook, the run is shown.
    Raises `KeyboardInterrupt` if it was interrupted. The run can then be resumed.
    """
    from controlplane.lifecycle.conducting import conduct
    from controlplane.view.progress import notebook_display

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
    """Open a benchmark that is given as an object, or as a series of tasks: `[Task("sum", …)]`.

    Its trials cannot be played on a cluster. Raises `UsageError` for any other object.
    """
    is_benchmark = callable(getattr(benchmark, "describe", None))
    if isinstance(benchmark, Iterable) and not is_benchmark:
        tasks = list(benchmark)
        if not tasks:
            msg = "there is nothing to run: the list of tasks is empty"
            raise UsageError(msg)
        benchmark = TaskList(tasks)

    # An error message begins with it: `... what was given cannot be opened: REASON`.
    subject = "a benchmark, its name, or tasks are needed: what was given"
    opened = open_by(lambda: benchmark, subject=subject)
    why_no_cluster = "its tasks are objects of this program: run them on threads"
    return replace(opened, stays_here=why_no_cluster)


def _reopen(
    path: Path, options: _Options, opened: OpenedBenchmark | None
) -> AbstractContextManager[Run]:
    """Open the run of a journal, to continue it with changed settings and the servers named now.

    Raises `UsageError` for a setting that a resumed run cannot change.
    """
    from controlplane.lifecycle.run_beginnings import reopen_run

    changeable = settings_with(Use.RESUMABLE)
    for name in options.settings:
        if name not in changeable:
            msg = (
                f"{name} is that of the recorded run; a resumed one can change "
                f"{', '.join(changeable)}"
            )
            raise UsageError(msg)
    return reopen_run(
        path,
        plays_trials=True,
        changes=options.settings,
        consent=_consent_of(options),
        opened=opened,
    )


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
    options = _options_of(settings)
    if resume is not None:
        reopening = _reopen(Path(resume).absolute(), options, opened)
        return _play_opened(reopening)

    from controlplane.lifecycle.resources.run_solver import RunSpec
    from controlplane.lifecycle.run_beginnings import opened_run
    from controlplane.lifecycle.run_plan import RunPlan
    from controlplane.mcp.tool_access import tool_access

    flags = {**options.settings, "benchmark": benchmark_name}
    resolved = resolve(flags, os.environ, Path.cwd())
    access = tool_access(options.servers, resolved.mcp)
    # Make the path absolute: the program may change its working folder during the run.
    runs_dir = str(Path(resolved.settings.runs_dir).absolute())
    run_settings = resolved.settings.model_copy(update={"runs_dir": runs_dir})
    spec = RunSpec(run_settings, tools=access, opened=opened)
    new_run = RunPlan(spec, resolved.sources, tasks)
    return _play_opened(opened_run(new_run))


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
    from controlplane.facts.answer_facts import asked_answer
    from controlplane.lifecycle.conducting import conduct_new
    from controlplane.questions import Question, question_plan, question_scope

    options = _options_of(settings)
    previous = None if continues is None else Path(continues)
    scope = question_scope(
        tuple(str(source) for source in sources),
        None if write is None else str(write),
        previous,
    )
    asked = Question(question, scope, options.settings, before=previous)
    asked_run, _ = conduct_new(question_plan(asked, options.servers), screen=None)
    with open_journal(asked_run.journal.path) as journal:
        return asked_answer(journal, scope.root)


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


# Recorded runs, by a journal's path: each function continues or repeats a run as the command of that name does,
# and returns the run's results.


def resume(path: str | Path, **settings: Any) -> RunReport:
    """Continue the run of a journal whose benchmark has a name.

    `settings` may hold the settings that `controlplane resume` can change, and the MCP
    servers (`mcp=[...]`), which are never taken from a journal. Raises the errors of `run`.
    """
    # `None`: the journal names its benchmark, so the benchmark is loaded by name.
    options = _options_of(settings)
    return _play_opened(_reopen(Path(path).absolute(), options, None))


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
    from controlplane.lifecycle.run_beginnings import opened_run
    from controlplane.lifecycle.run_plan import rerun_plan

    options = _options_of(settings)
    with open_journal(Path(path)) as journal:
        plan = rerun_plan(
            journal,
            options.settings,
            _consent_of(options),
            names=trials,
            failed=failed,
            below=below,
        )
    return _play_opened(opened_run(plan))


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
    from controlplane.lifecycle.run_beginnings import opened_run
    from controlplane.replay.forking import fork_plan

    options = _options_of(settings)
    with open_journal(Path(path)) as journal:
        plan = fork_plan(
            journal.trials[journal.find_trial(trial)],
            step,
            options.settings,
            _consent_of(options),
            note=note,
            repeats=repeats,
        )
        return _play_opened(opened_run(plan))


def submit(path: str | Path, *, force: bool = False) -> RunReport:
    """Submit a recorded run. With `force`, open trials score 0. Raises the errors of `run`."""
    from controlplane.lifecycle import conducting, run_submission

    journal = Path(path)
    if run_submission.nothing_left(journal, "submit"):
        return open_run(journal)
    code = conducting.submit(journal, screen=None, force=force, is_trusted=False)
    return replace(open_run(journal), exit_code=code)


def poll(path: str | Path) -> RunReport:
    """Ask for the scores of a submitted run, and add them to its journal.

    Raises the errors of `run`.
    """
    from controlplane.lifecycle import conducting, run_submission

    journal = Path(path)
    if run_submission.nothing_left(journal, "poll"):
        return open_run(journal)
    code = conducting.poll(journal, screen=None, is_trusted=False)
    return replace(open_run(journal), exit_code=code)

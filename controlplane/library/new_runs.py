"""New runs and questions from Python: `run`, `solve`, `ask`, and an agent of Inspect.

Every setting of the command line is a keyword argument: `run("desk", model="gpt-5-mini", max_steps=20)`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from controlplane.benchmark import (
    Benchmark,
)
from controlplane.configuration.continuation import OF_A_PROGRAM
from controlplane.configuration.setting_sources import resolve
from controlplane.errors import (
    ControlPlaneError,
)
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.library.call_options import options_of
from controlplane.library.run_opening import open_benchmark_object, play_opened, reopen
from controlplane.library.run_report import RunReport
from controlplane.tool_benchmark.task import Task
from controlplane.tool_benchmark.task_environment import TaskEnvironment
from controlplane.tool_benchmark.tool_benchmark import ToolBenchmark

if TYPE_CHECKING:
    from inspect_ai.agent import Agent

    from controlplane.agent.evidence import Environment
    from controlplane.view.answer.asked_answer import AskedAnswer


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
        opened = open_benchmark_object(benchmark)
        benchmark_name = f"{OF_A_PROGRAM}:{opened.benchmark.describe().name}"
    if resume is not None:
        reopening = reopen(Path(resume).absolute(), settings, opened)
        return play_opened(reopening)

    from controlplane.lifecycle.new_run import opened_run
    from controlplane.lifecycle.resources.run_spec import RunSpec
    from controlplane.lifecycle.run_plan import RunPlan
    from controlplane.mcp.tool_access import tool_access

    options = options_of(settings)
    flags = {**options.settings, "benchmark": benchmark_name}
    resolved = resolve(flags, os.environ, Path.cwd())
    access = tool_access(options.servers, resolved.mcp)
    # Make the path absolute: the program may change its working folder during the run.
    runs_dir = str(Path(resolved.settings.runs_dir).absolute())
    run_settings = resolved.settings.model_copy(update={"runs_dir": runs_dir})
    spec = RunSpec(run_settings, tools=access, opened=opened)
    new_run = RunPlan(spec, resolved.sources, tasks)
    return play_opened(opened_run(new_run))


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

    options = options_of(settings)
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

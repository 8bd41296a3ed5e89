"""The runs in which `controlplane mcp` answers the questions of clients."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from controlplane.commands.mcp.question_limits import MOST_CLIENT_STEPS, SESSION_S
from controlplane.configuration.setting_sources import resolve
from controlplane.lifecycle.conducting import conduct
from controlplane.lifecycle.resources.run_resources import open_resources
from controlplane.lifecycle.resources.run_solver import RunSpec
from controlplane.lifecycle.run_beginnings import opened_run
from controlplane.lifecycle.run_plan import RunPlan
from controlplane.mcp.tool_access import tool_access
from controlplane.sandbox.interface import ToolSchema
from controlplane.selected_run import start_selected_run
from controlplane.solver import SolverSpec
from controlplane.task_selection import TaskSelection
from controlplane.view.progress.run_display import SILENT


@dataclass(frozen=True, slots=True)
class QuestionRuns:
    """Makes and conducts the runs in which the questions of clients are answered.

    Each question is a run with one trial. Its solver is the client, which calls tools.
    """

    folder: Path
    """The folder that all questions are about."""
    source_limits: Mapping[str, str]
    """The values of `--set`, such as `most_files`."""
    tools: Mapping[str, Any]
    """The values of the options that name MCP servers."""
    flags: Mapping[str, object]
    """The settings that the user gave."""
    is_over_http: bool

    def new_run(self, question: str, solver: SolverSpec | None = None) -> RunPlan:
        """Return the plan of the run for a question. Raises `UsageError` for an invalid setting.

        `solver` passes the client's calls on to the trial; None if no trial will be played.
        """
        flags = {
            # 1. What the user may set otherwise
            "max_steps": MOST_CLIENT_STEPS,
            "same_scripts": 0,  # a client may repeat a script any number of times
            "trial_time": SESSION_S,
            # 2. What the user has set
            **self.flags,
            # 3. What makes it a question
            "benchmark": f"files:{self.folder}",
            "agent": "client:http" if self.is_over_http else "client:stdio",
            "model": "",
            "workers": "threads",
            "set": {
                **self.source_limits,
                "question": question,
                "outcomes": "platform",  # what is served keeps those of the platform
            },
        }
        resolved = resolve(flags, os.environ, Path.cwd())
        tools = tool_access(dict(self.tools), resolved.mcp)
        spec = RunSpec(resolved.settings, tools=tools, solver=solver)
        return RunPlan(spec, resolved.sources)

    def conduct(
        self, question: str, solver: SolverSpec, set_journal: Callable[[Path], None]
    ) -> None:
        """Conduct the run of a question to its end. First pass its journal to `set_journal`."""
        with opened_run(self.new_run(question, solver)) as run:
            set_journal(run.journal.path)
            conduct(run, SILENT)

    def tool_schema(self) -> ToolSchema:
        """Return what the scripts of a question may call.

        It is the same for every question, so it is known before the first one.
        """
        from controlplane.mcp.questions import UNSTATED_QUESTION

        return _previewed_tool_schema(self.new_run(UNSTATED_QUESTION).spec)


def _previewed_tool_schema(spec: RunSpec) -> ToolSchema:
    """Return what the scripts of a run may call.

    Only a started trial knows that. So a trial is started, without a journal, and nothing
    works on it.
    """
    from controlplane.mcp.tool_environment import with_tools

    with open_resources(spec, plays_trials=False) as resources, ExitStack() as stack:
        benchmark = resources.benchmark
        started = start_selected_run(benchmark, TaskSelection(), name="preview", seed=0)
        (planned_trial,) = started.trials
        environment = benchmark.start_trial(planned_trial.trial_id).environment
        if spec.tools is not None and spec.tools.servers:
            environment = stack.enter_context(with_tools(environment, spec.tools))
        return environment.tool_schema

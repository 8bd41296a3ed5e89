"""The library: runs from Python, with every setting of the command line by its name, and their results as objects; and
this product as an agent inside Inspect (the extra `inspect`). `controlplane` offers the names that are imported here.

Nothing of the process is set or kept: no environment variable, no working folder, no thread settings. While a run works
in the main thread, Ctrl-C stops it as on the command line; the handlers of before are put back at its end.
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections.abc import Callable, Coroutine, Iterable, Mapping
from contextlib import AbstractContextManager
from contextvars import copy_context
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from controlplane.agent.endpoint import chat_message
from controlplane.agent.model import Model, ModelRequest, Reply, ToolCall
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
    TaskStub,
    TaskTry,
    Trial,
    TrialHead,
    TrialScore,
    TrialStub,
    start_selected_run,
)
from controlplane.configuration.named_modules import OF_A_PROGRAM, opened_as
from controlplane.configuration.run_settings import RunSettings, resolve
from controlplane.errors import (
    ControlPlaneError,
    Interrupted,
    UsageError,
    did_you_mean,
    extra_module,
    fault_text,
)
from controlplane.journal.journal_reader import Journal, RecordedTrial, open_journal
from controlplane.journal.run_summary import Spent, TrialSummary
from controlplane.local_benchmark import Grade
from controlplane.text_files import decode_text, is_text
from controlplane.tool_benchmark import (
    EnvironmentCall,
    Task,
    TaskEnvironment,
    TaskList,
    Tool,
    ToolBenchmark,
)

if TYPE_CHECKING:
    from inspect_ai.agent import Agent

    from controlplane.agent.evidence import Environment
    from controlplane.lifecycle.run_lifecycle import Run

Submit: TypeAlias = Callable[[Coroutine[Any, Any, Any]], Any]
"""Returns what a coroutine of Inspect returns."""


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
        found = next(
            (trial for trial in self.trials if task_id in (trial.task_id, trial.trial_id)), None
        )
        if found is None:
            raise KeyError(
                f"no task {task_id!r}"
                + did_you_mean(task_id, (trial.task_id for trial in self.trials))
            )
        return found

    def rows(self) -> list[dict[str, object]]:
        """Return a row for each trial, with the columns of `--json`; each metric is a column of its own, too."""
        from controlplane.view.run_results import trial_result

        rows = []
        for trial in self.trials:
            row: dict[str, object] = dict(trial.metrics)
            row |= asdict(trial_result(trial))
            rows.append(row)
        return rows

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
    from controlplane.commands.run import conduct

    try:
        with _prepared(benchmark, tasks, resume, settings) as ended:
            code = conduct(ended, None)
    except Interrupted as error:
        raise KeyboardInterrupt(str(error)) from error
    if ended.controls.interrupted.is_set():
        msg = f"interrupted; nothing that was recorded is lost: {ended.journal.path}"
        raise KeyboardInterrupt(msg)
    return replace(open_run(ended.journal.path), exit_code=code)


def solve(
    environment: TaskEnvironment | Environment | Mapping[str, str],
    instruction: str,
    **settings: Any,
) -> TrialSummary:
    """Play one trial in an environment, or over files given as texts by path, and return it.

    `settings` are those of `run`, above all `model`. Raises as `run` does, and `ControlPlaneError` if the trial did not
    end.
    """
    given: Any = (
        TaskEnvironment(files=environment) if isinstance(environment, Mapping) else environment
    )
    report = run([Task("task", instruction, environment=lambda: given)], **settings)
    if report.error:
        raise ControlPlaneError(report.error)
    return report.trials[0]


def open_run(path: str | Path) -> RunReport:
    """Return the run of the journal at `path`. Raises `NotAJournal` and `JournalDamaged`."""
    with open_journal(Path(path)) as journal:
        summary = journal.summary
        trials = tuple(summary.trials.values())
        return RunReport(
            journal.path, summary.mean_score, summary.metrics, trials, summary.spent, summary.error
        )


def _prepared(
    benchmark: Any, tasks: tuple[str, ...], resume: str | Path | None, settings: dict[str, Any]
) -> AbstractContextManager[Run]:
    """Return a new run, or that of a journal, to be conducted."""
    from controlplane.commands.run import FreshRun, opened_run
    from controlplane.lifecycle.run_lifecycle import CHANGEABLE, reopen_run
    from controlplane.lifecycle.run_resources import RunSpec
    from controlplane.mcp.server_specs import tool_access

    name, opened = benchmark, None
    if not isinstance(benchmark, str):
        if isinstance(benchmark, Iterable) and not callable(getattr(benchmark, "describe", None)):
            benchmark = TaskList(benchmark)
        opened = opened_as(
            "a benchmark, its name, or tasks are needed: what was given", lambda: benchmark
        )
        opened = replace(
            opened, stays_here="its tasks are objects of this program: run them on threads"
        )
        name = f"{OF_A_PROGRAM}:{opened.benchmark.describe().name}"
    if resume is not None:
        if wrong := next((each for each in settings if each not in CHANGEABLE), None):
            msg = f"{wrong} is that of the recorded run; a resumed one can change {', '.join(CHANGEABLE)}"
            raise UsageError(msg)
        return reopen_run(Path(resume), works=True, changes=settings, opened=opened)
    servers = {
        option: settings.pop(option, None) or ()
        for option in ("mcp", "mcp_config", "allow", "deny")
    }
    if unknown := next((each for each in settings if each not in RunSettings.model_fields), None):
        msg = f"there is no setting {unknown!r}{did_you_mean(unknown, RunSettings.model_fields, most=8)}"
        raise UsageError(msg)
    resolved = resolve({**settings, "benchmark": name}, os.environ, Path.cwd())
    spec = RunSpec(resolved.settings, tools=tool_access(servers, resolved.mcp), opened=opened)
    return opened_run(FreshRun(spec, resolved.sources, tasks))


class _InspectModel(Model):
    """Inspect's active model, asked from the thread that plays a trial, in the loop of Inspect."""

    def __init__(self, submit: Submit) -> None:
        from inspect_ai.model import get_model

        self._model = get_model()
        self.name = str(self._model)
        self._submit = submit

    def reply_to(self, request: ModelRequest) -> Reply:
        reply: Reply = self._submit(self._reply_to(request))
        return reply

    async def _reply_to(self, request: ModelRequest) -> Reply:
        from inspect_ai.model import messages_from_openai
        from inspect_ai.tool import ToolInfo

        messages: list[Any] = [chat_message(one) for one in request.messages]
        tools = [ToolInfo.model_validate(one.model_dump()) for one in request.tools]
        output = await self._model.generate(await messages_from_openai(messages), tools=tools)
        calls = tuple(
            ToolCall(name=call.function, arguments=json.dumps(call.arguments), id=call.id)
            for call in output.message.tool_calls or ()
        )
        return Reply(
            text=output.completion, tool_calls=calls, finish_reason=output.stop_reason or "stop"
        )


def inspect_agent(tools: list[Any] | None = None, **settings: Any) -> Agent:
    """Return the cited loop as an agent of Inspect: `Task(solver=as_solver(inspect_agent(tools=[...])))`.

    It answers the sample's messages by scripts in our sandbox, which call these tools of Inspect, and asks Inspect's
    active model, whose tokens and limits Inspect counts. `settings` are those of `controlplane.run`; without `runs_dir`
    no journal is kept. Raises `UsageError` if the extra `inspect` is not installed.
    """
    extra_module("inspect_ai", "inspect_agent()", "inspect")
    import anyio.to_thread
    from inspect_ai.agent import agent
    from inspect_ai.model import ChatMessageAssistant
    from inspect_ai.tool import ToolDef

    def controlplane_agent() -> Any:  # Inspect evaluates annotations where its names are not known
        async def execute(state: Any) -> Any:
            """Answer by scripts in the sandbox of the control plane."""
            loop, context = asyncio.get_running_loop(), copy_context()

            def submit(work: Coroutine[Any, Any, Any]) -> Any:
                return context.copy().run(asyncio.run_coroutine_threadsafe, work, loop).result()

            asked = "\n\n".join(message.text for message in state.messages)
            offered = [call_of(ToolDef(one), submit) for one in tools or ()]
            task = Task("sample", asked, environment=lambda: TaskEnvironment(offered))
            tasks = TaskList([task], citations="none", player=_InspectModel(submit))
            with tempfile.TemporaryDirectory() as folder:
                play = partial(run, tasks, **{"runs_dir": folder, **settings})
                played = await anyio.to_thread.run_sync(play, abandon_on_cancel=True)
            if played.error:
                raise ControlPlaneError(played.error)
            answer = played.trials[0].answer
            state.messages.append(ChatMessageAssistant(content=answer, source="generate"))
            state.output.completion = answer
            return state

        return execute

    made: Agent = agent(name="controlplane")(controlplane_agent)()
    return made


def call_of(tool: Any, submit: Submit) -> Tool:
    """Return a tool of Inspect, a `ToolDef`, as a call of scripts, whose work `submit` does."""
    from inspect_ai.model._call_tools import tool_call_error, tool_params

    def call(**arguments: Any) -> Any:
        try:
            result = submit(tool.tool(**tool_params(arguments, tool.tool)))
        except Exception as error:  # Inspect says which of them refuse a call.
            if (refusal := tool_call_error(error, tool.name)) is not None:
                raise ValueError(refusal.error.message) from error
            msg = f"the tool {tool.name} broke: {fault_text(error)}"
            raise TypeError(msg) from error
        texts = [
            getattr(part, "text", part)
            for part in (result if isinstance(result, list) else [result])
        ]
        return texts[0] if len(texts) == 1 else texts

    schema = tool.parameters.model_dump(exclude_none=True)
    # Seconds that a tool of Inspect may take.
    return Tool(
        call, "acts", tool.name, tool.description, schema, 600.0
    )  # what it does is not declared

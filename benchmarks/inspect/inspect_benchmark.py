"""Plays tasks of Inspect (the extra `inspect`): its dataset, its solvers up to `generate`, its tools and its scorers.

What the solvers of a task have put together when they ask the model is the instruction; the trial's answer is what
`generate` then returns to them, and what the scorers judge. Models that scorers ask are the run's model `grade`. A
sample with `sandbox="docker"` has a container for each trial. A task whose solvers ask a model themselves is refused.
"""

from __future__ import annotations

import asyncio
import copy
import os
import threading
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from subprocess import SubprocessError
from typing import TYPE_CHECKING, Any, Final, NoReturn

from controlplane import (
    BenchmarkContext,
    BenchmarkError,
    BenchmarkOption,
    OpenedBenchmark,
    TaskEnvironment,
    ToolBenchmark,
)
from controlplane.agent.model import Message
from controlplane.benchmarks.containers import container_settings
from controlplane.benchmarks.containers.compose_file import ComposeError, ComposeService
from controlplane.benchmarks.containers.container_runtime import (
    CommandInterrupted,
    ContainerError,
    find_runtime,
)
from controlplane.benchmarks.containers.container_settings import ContainerSettings
from controlplane.errors import extra_module
from controlplane.inspect_support import tool_of_inspect
from controlplane.sandbox.interface import error_codes
from controlplane.tool_benchmark import ANY_NUMBER

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.dataset import Sample
    from inspect_ai.solver import TaskState
    from inspect_ai.util._sandbox.environment import SandboxEnvironmentSpec

    from controlplane.benchmarks.inspect.sample_container import (
        ContainerSandbox,
        SampleContainers,
        StartedSandbox,
    )

OPTIONS: Final = (
    BenchmarkOption("args", "arguments of the task, as NAME=VALUE,NAME=VALUE"),
    BenchmarkOption(
        "strict",
        "yes: refuse a task of which a sample cannot be played here; else such samples are left out",
        choices=("no", "yes"),
    ),
    *container_settings.OPTIONS,
)
MAX_NAMES_SHOWN: Final = 8


class _Asked(Exception):
    """The solvers have asked for the model's reply, in the state that it holds."""


@dataclass(frozen=True, slots=True)
class AskedSample:
    """A sample at the point where its solvers ask the model."""

    asked: TaskState
    sandbox: StartedSandbox | None
    """Its container; None if it needs none."""


class InspectBenchmark(ToolBenchmark):
    """The samples of one task, or of all tasks of a file, named TASK.SAMPLE."""

    name = "inspect"
    citations = "none"
    scale = ANY_NUMBER  # each scorer has a scale of its own

    def __init__(
        self, argument: str, settings: Mapping[str, str], context: BenchmarkContext
    ) -> None:
        """Raises `BenchmarkError` for a task that is not found or cannot be played here."""
        super().__init__(argument, settings, context)
        extra_module("inspect_ai", "a task of Inspect", "inspect")
        from inspect_ai._eval.loader import load_tasks
        from inspect_ai._util.config import parse_cli_args
        from inspect_ai._util.error import PrerequisiteError

        if not argument:
            _refuse("which task? Name it as inspect:FILE.py@TASK, or inspect:PACKAGE/TASK")
        file, at, named = argument.partition("@")
        place = (
            os.path.relpath(Path(file).expanduser()) if file.endswith(".py") else file
        )  # as its loader asks
        given = parse_cli_args(settings.get("args", "").split(","))
        around = copy_context()
        around.run(self._use_model)
        try:
            tasks = around.run(load_tasks, [f"{place}{at}{named}"], given)
        except (SubprocessError, PrerequisiteError) as error:
            _refuse(f"{argument}: {type(error).__name__}: {error}", error)
        if not tasks:
            _refuse(f"{argument}: no task of Inspect is there")
        self._samples: dict[str, tuple[Task, Sample]] = {}
        self._services: dict[str, ComposeService] = {}
        """The containers that samples want, by the sample's name."""
        self._container_settings = ContainerSettings.parse(settings, os.environ)
        self._containers: SampleContainers | None = None
        """None until a sample wants a container, and if none can be started here."""
        self._untold_notices: list[str] = []
        """Lines for the user, which a run can record once it has begun."""
        self._is_opened = False
        """A benchmark that is being opened generates a task to look at its tools, without a container."""
        self._has_begun = False
        self._lock = threading.Lock()
        self._is_strict = settings.get("strict") == "yes"
        for task in tasks:
            self._add_samples(task)
        if not self._samples:
            _refuse(
                f"{argument}: no sample of {named} can be played: {'; '.join(self._untold_notices)}"
            )

    def _add_samples(self, task: Task) -> None:
        """Add the samples of a task that can be played here, and tell of those that are left out.

        Raises `BenchmarkError` for a task that cannot be graded, and, with `strict`, for a sample
        that cannot be played.
        """
        task_name = task.name.rpartition("/")[2]
        if not task.scorer:
            _refuse(f"{self.argument}: {task_name} has no scorer")
        reasons: dict[str, str] = {}
        for number, sample in enumerate(task.dataset, start=1):
            sample_name = f"{task_name}.{number if sample.id is None else sample.id}"
            reason = self._fault_of_container(task, sample, sample_name)
            if reason:
                reasons[sample_name] = reason
            else:
                self._samples[sample_name] = (task, sample)
        for reason in dict.fromkeys(reasons.values()):
            names = [name for name in reasons if reasons[name] == reason]
            text = ", ".join(names[:MAX_NAMES_SHOWN])
            if len(names) > MAX_NAMES_SHOWN:
                text += f" and {len(names) - MAX_NAMES_SHOWN} more"
            if self._is_strict:
                _refuse(f"{text}: {reason}")
            self._untold_notices.append(
                f"left out: {text}: {reason} (--set strict=yes refuses the task instead)"
            )

    def _fault_of_container(self, task: Task, sample: Sample, sample_name: str) -> str:
        """Return why the container of a sample is not started here; empty if it is, or if it needs none."""
        spec = sandbox_of(task, sample)
        if spec is None and sample.setup is None:
            return ""
        if spec is None:
            return "it has a setup script and no sandbox to run it in"
        from controlplane.benchmarks.inspect.sample_container import (
            SampleContainers,
            service_of_sample,
        )

        try:
            service = service_of_sample(spec, folder_of(task))
            if self._containers is None:
                runtime = find_runtime(
                    self._container_settings.runtime, os.environ, self.context.stop
                )
                self._containers = SampleContainers(runtime, self._container_settings)
        except (ComposeError, ContainerError) as error:
            return str(error)
        self._services[sample_name] = service
        return ""

    def opened(self) -> OpenedBenchmark:
        """Return the benchmark as a run uses it."""
        opened = super().opened()
        self._is_opened = True
        return opened

    def close(self) -> None:
        """Remove the containers of trials that are still open: a resumed trial makes its calls again."""
        if self._containers is not None:
            self._containers.close()

    def _begin_once(self) -> None:
        """Tell which samples are left out, and remove containers of processes that were killed."""
        with self._lock:
            if self._has_begun:
                return
            self._has_begun = True
        for notice in self._untold_notices:
            self.context.notify(notice)
        wants_network = [name for name in self._services if self._services[name].has_network]
        if wants_network and not self._container_settings.agent_network:
            self.context.notify(
                f"the network is off, and {len(wants_network)} samples want one: "
                "--set network=task allows it"
            )
        if self._containers is not None:
            try:
                self._containers.remove_left_ones()
            except ContainerError as error:
                self.context.notify(f"containers of killed processes may be left: {error}")

    def _started_sandbox(self, task_id: str) -> StartedSandbox | None:
        """Start the container of a trial with the files of its sample; None if it needs none.

        Raises `BenchmarkError`.
        """
        service = self._services.get(task_id)
        if service is None or self._containers is None:
            return None
        from controlplane.benchmarks.inspect.sample_container import (
            StartedSandbox,
            prepared_sandboxes,
        )

        task, sample = self._samples[task_id]
        container: ContainerSandbox | None = None
        try:
            container = self._containers.start(service)
            sandboxes = asyncio.run(prepared_sandboxes(container, sample, folder_of(task)))
        except (ContainerError, OSError, RuntimeError) as error:
            if container is not None:
                self._containers.remove(container)
            code = error_codes.FAILED_PRECONDITION
            raise BenchmarkError(code, f"{task_id}: {error}") from error
        except CommandInterrupted as error:
            msg = f"{task_id}: the run is being stopped"
            raise BenchmarkError(error_codes.UNAVAILABLE, msg) from error
        return StartedSandbox(container, sandboxes)

    def task_ids(self) -> Sequence[str]:
        """Return the ids of all samples."""
        return list(self._samples)

    def generate(self, task_id: str) -> tuple[str, TaskEnvironment]:
        """Return what the solvers ask the model, and its tools. Raises `BenchmarkError` if they ask otherwise."""
        from inspect_ai.tool import ToolDef

        task, sample = self._samples[task_id]
        sandbox = None
        if self._is_opened:
            self._begin_once()
            sandbox = self._started_sandbox(task_id)
        try:
            self._solved(task, sample, sandbox=sandbox)
        except _Asked as reached:
            asked = reached.args[0]
        else:
            _refuse(f"{task_id}: its solvers never call generate, so there is nothing to be asked")
        contents = (
            message.content for message in asked.messages if not isinstance(message.content, str)
        )
        if any(part.type != "text" for content in contents for part in content):
            _refuse(f"{task_id}: it shows images or sounds, and instructions here are texts")
        calls = [
            tool_of_inspect(ToolDef(tool), partial(self._run, state=asked, sandbox=sandbox))
            for tool in asked.tools
        ]
        told_apart = (
            f"[{message.role}]\n" * (message.role not in ("user", "system")) + message.text
            for message in asked.messages
        )
        return "\n\n".join(told_apart), TaskEnvironment(calls, state=AskedSample(asked, sandbox))

    def grade(
        self, task_id: str, environment: TaskEnvironment
    ) -> tuple[float, list[str], dict[str, float]]:
        """Return the first scorer's score, what the scorers explain, and each score by its scorer's name."""
        sandbox: StartedSandbox | None = environment.state.sandbox
        try:
            return self._graded(task_id, environment, sandbox)
        finally:
            if sandbox is not None and self._containers is not None:
                self._containers.remove(sandbox.container)

    def _graded(
        self, task_id: str, environment: TaskEnvironment, sandbox: StartedSandbox | None
    ) -> tuple[float, list[str], dict[str, float]]:
        from inspect_ai._util.registry import registry_info
        from inspect_ai.scorer import Target

        task, sample = self._samples[task_id]
        state = self._solved(task, sample, environment, sandbox=sandbox)
        scores: dict[str, float] = {}
        lines = []
        for scorer in task.scorer or ():
            name = registry_info(scorer).name.rpartition("/")[2]
            score = self._run(scorer(state, Target(sample.target)), state, sandbox)
            if score is None:
                continue
            given = score.value if isinstance(score.value, Mapping) else {name: score.value}
            scores |= {
                f"{name}.{key}" if key != name else name: _number(value)
                for key, value in given.items()
            }
            lines += str(score.explanation).splitlines() if score.explanation else []
        first = next(iter(scores.values()), 0.0)
        return first, [line for line in lines if line.strip()], scores

    def _solved(
        self,
        task: Task,
        sample: Sample,
        ended: TaskEnvironment | None = None,
        *,
        sandbox: StartedSandbox | None = None,
    ) -> TaskState:
        """Run the solvers of a task on a sample, with the end of a trial as the model's reply, and return their last
        state. Raises `_Asked` with the state at `generate` if there is no reply yet."""
        from inspect_ai.model import (
            ChatMessageAssistant,
            ChatMessageTool,
            ChatMessageUser,
            ModelName,
            ModelOutput,
        )
        from inspect_ai.scorer import Target
        from inspect_ai.solver import TaskState, chain
        from inspect_ai.tool import ToolCall, ToolCallError

        given = sample.input
        messages = (
            [ChatMessageUser(content=given)] if isinstance(given, str) else copy.deepcopy(given)
        )
        begun = TaskState(
            ModelName("controlplane/solve"),
            sample.id or 1,
            1,
            given,
            list(messages),
            target=Target(sample.target),
            choices=sample.choices,
            metadata=copy.deepcopy(sample.metadata),
        )

        async def generate(state: TaskState, tool_calls: Any = "loop", **config: Any) -> TaskState:
            if ended is None:
                raise _Asked(state)
            if not state.output.empty:
                _refuse(
                    f"{task.name}: its solvers call generate again, and one reply of a trial is played here"
                )
            for number, call in enumerate(ended.calls):
                made = ToolCall(
                    id=f"call_{number}", function=call.name, arguments=dict(call.arguments)
                )
                fault = ToolCallError("unknown", call.error) if call.error else None
                said = "" if fault else str(call.result)
                state.messages += [
                    ChatMessageAssistant(content="", tool_calls=[made]),
                    ChatMessageTool(
                        content=said, tool_call_id=made.id, function=call.name, error=fault
                    ),
                ]
            state.output = ModelOutput.from_content("controlplane/solve", ended.answer or "")
            state.messages.append(state.output.message)
            for key, value in ended.state.asked.store.items():
                state.store.set(key, value)
            return state

        solvers = [one for one in (task.setup, task.solver) if one is not None]
        solved: TaskState = self._run(chain(*solvers)(begun, generate), begun, sandbox)
        return solved

    def _run(
        self,
        work: Coroutine[Any, Any, Any],
        state: TaskState,
        sandbox: StartedSandbox | None = None,
    ) -> Any:
        """Return what a coroutine of Inspect returns, with the store of the sample and our models around it."""
        from inspect_ai.log._transcript import Transcript, init_transcript
        from inspect_ai.solver._task_state import set_sample_state
        from inspect_ai.util._store import init_subtask_store

        async def inside() -> Any:
            init_transcript(Transcript())
            init_subtask_store(state.store)
            set_sample_state(state)
            if sandbox is not None:
                sandbox.use()
            self._use_model()
            return await work

        with ThreadPoolExecutor(1) as thread:  # A notebook has a loop in its own thread.
            return thread.submit(copy_context().run, asyncio.run, inside()).result()

    def _use_model(self) -> None:
        """Make our model `grade` the one that Inspect's own code asks."""
        from inspect_ai.model import ModelOutput, ModelUsage, get_model
        from inspect_ai.model._generate_config import GenerateConfig
        from inspect_ai.model._model import init_active_model, init_model_roles

        model = self.context.model("grade")

        def output(messages: Any, *_: Any) -> ModelOutput:
            reply = model.complete([Message(role=one.role, content=one.text) for one in messages])
            said = ModelOutput.from_content(model.name, reply.text)
            said.usage = ModelUsage()  # The journal has it.
            return said

        asked = get_model("mockllm/controlplane", custom_outputs=output, memoize=False)
        init_active_model(asked, GenerateConfig())
        init_model_roles({"grader": asked})


def sandbox_of(task: Task, sample: Sample) -> SandboxEnvironmentSpec | None:
    """Return the sandbox of a sample: the task's, with the sample's own file if it names one."""
    if task.sandbox is None:
        return sample.sandbox
    own = sample.sandbox
    if own is not None and own.config is not None and own.type == task.sandbox.type:
        return own
    return task.sandbox


def folder_of(task: Task) -> Path:
    """Return the folder in which Inspect would run a task: that of its file."""
    from inspect_ai._eval.task.util import task_run_dir

    return Path(task_run_dir(task)).resolve()


def _number(value: Any) -> float:
    from inspect_ai.scorer import value_to_float

    if isinstance(value, list | tuple):
        return sum(map(_number, value)) / len(value) if value else 0.0
    return float(value_to_float()(value))


def _refuse(text: str, cause: Exception | None = None) -> NoReturn:
    raise BenchmarkError(error_codes.INVALID_ARGUMENT, text) from cause


open_benchmark = InspectBenchmark

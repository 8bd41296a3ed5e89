"""The benchmark `inspect:FILE.py@TASK`: plays tasks of Inspect (the extra `inspect`).

An Inspect task has a dataset of samples, solvers that prepare a sample and then
call a function `generate` to ask the model, tools, and scorers. A trial plays
one sample in three phases:

1. The solvers run until they ask the model. The messages prepared so far become the
   instruction of the trial.
2. The trial is played: the control plane's model calls the tools and answers.
3. The solvers run again from the start. When they ask the model this time, they get the
   trial's tool calls and answer. The scorers then judge the final state.

A scorer that asks a model uses the run's model for the role `grade`. For a sample with
`sandbox="docker"`, each trial gets its own container. Samples that cannot be played on
this machine are left out, and a notice gives the reason.
"""

from __future__ import annotations

import asyncio
import copy
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from controlplane import (
    BenchmarkContext,
    BenchmarkError,
    BenchmarkOption,
    OpenedBenchmark,
    TaskEnvironment,
    ToolBenchmark,
)
from controlplane.benchmarks.containers import container_settings
from controlplane.benchmarks.containers.container_runtime import (
    CommandInterrupted,
    ContainerError,
)
from controlplane.benchmarks.containers.container_settings import ContainerSettings
from controlplane.benchmarks.inspect.grading_model import activate_grading_model
from controlplane.benchmarks.inspect.inspect_samples import (
    PlayableSample,
    SampleLoader,
    folder_of,
    load_tasks_of,
    names_of,
    refusal,
    short_name,
)
from controlplane.errors import extra_module
from controlplane.inspect_support import tool_of_inspect
from controlplane.sandbox.interface import error_codes
from controlplane.tool_benchmark.tool_benchmark import ANY_NUMBER

if TYPE_CHECKING:
    from inspect_ai.dataset import Sample
    from inspect_ai.solver import TaskState

    from controlplane.benchmarks.inspect.sample_container import (
        ContainerSandbox,
        StartedSandbox,
    )

OPTIONS: Final = (
    BenchmarkOption("args", "arguments of the task, as NAME=VALUE,NAME=VALUE"),
    BenchmarkOption(
        "strict",
        "yes: refuse a task if one of its samples cannot be played here; no: leave such samples out",
        choices=("no", "yes"),
    ),
    *container_settings.OPTIONS,
)
MODEL_NAME: Final = "controlplane/solve"
"""The name of the answering model that solvers and scorers see."""


class _ModelAsked(Exception):
    """Raised when the solvers ask the model, which ends the first phase of a trial."""

    def __init__(self, state: TaskState) -> None:
        super().__init__()
        self.state = state
        """The messages and tools that the solvers have prepared."""


@dataclass(frozen=True, slots=True)
class PreparedSample:
    """A sample whose solvers have asked the model. `TaskEnvironment.state` keeps it for grading."""

    task_state: TaskState
    sandbox: StartedSandbox | None
    """Its container; None if it needs none."""


class InspectBenchmark(ToolBenchmark):
    """The samples of one task, or of all tasks of a file.

    Task ids have the form TASK.SAMPLE.

    Created when a run opens the benchmark.
    `generate` and `grade` are called once for each trial.
    """

    name = "inspect"
    citations = "none"
    scale = ANY_NUMBER  # Each scorer has a scale of its own.

    def __init__(
        self, argument: str, settings: Mapping[str, str], context: BenchmarkContext
    ) -> None:
        """Load the tasks and their samples.

        Raises `BenchmarkError` if there is no such task, or if none of its samples can be
        played on this machine. Raises `UsageError` if Inspect is not installed.
        """
        super().__init__(argument, settings, context)
        extra_module("inspect_ai", "a task of Inspect", extra="inspect")
        if not argument:
            msg = "which task? Name it as inspect:FILE.py@TASK, or inspect:PACKAGE/TASK"
            raise refusal(msg)
        self._container_settings = ContainerSettings.parse(settings, os.environ)
        self._loaded = SampleLoader(self._container_settings, context)
        self._pending_notices: list[str] = []
        """Notices for the user. They wait for the first trial, when the run has a journal."""
        self._load_samples()

        self._is_opened = False
        """True if `generate` is called for trials of the run."""
        self._has_begun = False
        """True after the first trial of the run has begun."""
        self._lock = threading.Lock()

    def _load_samples(self) -> None:
        """Load the samples that can be played on this machine, and note which others are left out.

        Raises `BenchmarkError` if none can be played, or, with the option `strict`, if
        one cannot.
        """
        task_arguments = self.settings.get("args", "")
        for task in load_tasks_of(self.argument, task_arguments, self.context):
            if not task.scorer:
                msg = f"{self.argument}: {short_name(task)} has no scorer"
                raise refusal(msg)
            for reason, task_ids in self._loaded.add_samples(task).items():
                names = names_of(task_ids)
                if self.settings.get("strict") == "yes":
                    msg = f"{names}: {reason}"
                    raise refusal(msg)
                self._pending_notices.append(
                    f"left out: {names}: {reason} (--set strict=yes refuses the task instead)"
                )
        if not self._loaded.samples:
            task_name = self.argument.partition("@")[2]
            reasons = "; ".join(self._pending_notices)
            msg = f"{self.argument}: no sample of {task_name} can be played: {reasons}"
            raise refusal(msg)

    def opened(self) -> OpenedBenchmark:
        """Return the benchmark as a run uses it."""
        # This calls `generate` once, only to list the tools of a trial.
        opened = super().opened()
        self._is_opened = True
        return opened

    def close(self) -> None:
        """Remove the containers of unfinished trials.

        A resumed trial gets a new container and repeats its calls there.
        """
        if self._loaded.containers is not None:
            self._loaded.containers.close()

    def _begin_run(self) -> None:
        """At the first trial, report samples left out and remove containers of killed processes."""
        with self._lock:
            if self._has_begun:
                return
            self._has_begun = True
        for notice in self._pending_notices:
            self.context.notify(notice)
        samples_with_network = 0
        for playable in self._loaded.samples.values():
            if playable.wants_network:
                samples_with_network += 1
        if samples_with_network and not self._container_settings.agent_network:
            self.context.notify(
                f"the network is off, and {samples_with_network} samples want one: "
                "--set network=task allows it"
            )
        if self._loaded.containers is not None:
            try:
                self._loaded.containers.remove_abandoned()
            except ContainerError as error:
                self.context.notify(
                    f"containers of killed processes may be left: {error}"
                )

    def _start_sandbox(self, task_id: str) -> StartedSandbox | None:
        """Start a trial's container with the files of its sample; return None if it needs none.

        Raises `BenchmarkError`.
        """
        playable = self._loaded.samples[task_id]
        if playable.service is None:
            return None
        from controlplane.benchmarks.inspect.sample_container import (
            StartedSandbox,
            prepare_container,
        )

        containers = self._loaded.containers
        assert containers is not None, "set by the loader for a sample with a container"
        container: ContainerSandbox | None = None
        try:
            container = containers.start(playable.service)
            folder = folder_of(playable.task)
            sandboxes = asyncio.run(
                prepare_container(container, playable.sample, folder)
            )
        except (ContainerError, OSError, RuntimeError) as error:
            if container is not None:
                containers.remove(container)
            msg = f"{task_id}: {error}"
            raise BenchmarkError(error_codes.FAILED_PRECONDITION, msg) from error
        except CommandInterrupted as error:
            msg = f"{task_id}: the run is being stopped"
            raise BenchmarkError(error_codes.UNAVAILABLE, msg) from error
        return StartedSandbox(container, sandboxes)

    def task_ids(self) -> Sequence[str]:
        """Return the ids of all samples."""
        return list(self._loaded.samples)

    def generate(self, task_id: str) -> tuple[str, TaskEnvironment]:
        """Return the messages for the model as the instruction, and the tools.

        The sample's solvers (Inspect's steps that lead to an answer) write the messages.
        Raises `BenchmarkError` if they never ask the model, or if a message is not text.
        """
        from inspect_ai.tool import ToolDef

        sandbox = None
        if self._is_opened:
            self._begin_run()
            sandbox = self._start_sandbox(task_id)
        state = self._state_before_model(task_id, sandbox)

        parts = []
        for message in state.messages:
            is_text = isinstance(message.content, str) or all(
                part.type == "text" for part in message.content
            )
            if not is_text:
                msg = f"{task_id}: it shows images or sounds, and instructions here are texts"
                raise refusal(msg)
            if message.role in ("user", "system"):
                parts.append(message.text)
            else:
                parts.append(f"[{message.role}]\n{message.text}")
        run_tool = partial(self._run, state=state, sandbox=sandbox)
        tools = [tool_of_inspect(ToolDef(tool), run_tool) for tool in state.tools]
        environment = TaskEnvironment(tools, state=PreparedSample(state, sandbox))
        return "\n\n".join(parts), environment

    def _state_before_model(
        self, task_id: str, sandbox: StartedSandbox | None
    ) -> TaskState:
        """Run a sample's solvers until they ask the model, and return their state then.

        To ask it, solvers call a function that they are given. This one raises an
        exception with the state, which ends them.
        """

        async def end_solvers(state: TaskState, *_: Any, **config: Any) -> TaskState:
            raise _ModelAsked(state)

        try:
            self._run_solvers(
                self._loaded.samples[task_id], sandbox, generate=end_solvers
            )
        except _ModelAsked as asked:
            return asked.state
        msg = f"{task_id}: its solvers never call generate, so there is nothing to be asked"
        raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg)

    def grade(
        self, task_id: str, environment: TaskEnvironment
    ) -> tuple[float, list[str], dict[str, float]]:
        """Return the first scorer's score, all explanations, and every score by name.

        A score's name is its scorer's, or `SCORER.KEY` if the scorer returns several.
        The trial's container is removed.
        """
        prepared: PreparedSample = environment.state
        try:
            return self._graded(task_id, environment, prepared.sandbox)
        finally:
            if prepared.sandbox is not None and self._loaded.containers is not None:
                self._loaded.containers.remove(prepared.sandbox.container)

    def _graded(
        self, task_id: str, environment: TaskEnvironment, sandbox: StartedSandbox | None
    ) -> tuple[float, list[str], dict[str, float]]:
        from inspect_ai._util.registry import registry_info
        from inspect_ai.scorer import Target

        playable = self._loaded.samples[task_id]
        state = self._final_state(playable, sandbox, environment)
        target = Target(playable.sample.target)
        scores: dict[str, float] = {}
        explanations: list[str] = []
        for scorer in playable.task.scorer or ():
            scorer_name = registry_info(scorer).name.rpartition("/")[2]
            score = self._run(scorer(state, target), state, sandbox)
            if score is None:
                continue
            if isinstance(score.value, Mapping):
                for key, value in score.value.items():
                    # A scorer may give its main score its own name, which is not repeated.
                    metric = (
                        scorer_name if key == scorer_name else f"{scorer_name}.{key}"
                    )
                    scores[metric] = _number(value)
            else:
                scores[scorer_name] = _number(score.value)
            if score.explanation:
                explanations += str(score.explanation).splitlines()

        first_score = 0.0
        if scores:
            first_score = next(iter(scores.values()))
        return first_score, [line for line in explanations if line.strip()], scores

    def _final_state(
        self,
        playable: PlayableSample,
        sandbox: StartedSandbox | None,
        trial: TaskEnvironment,
    ) -> TaskState:
        """Run a sample's solvers again, now to their end, and return their final state.

        When they ask the model, they get the calls and the answer of the finished trial.
        """

        async def replay_trial(state: TaskState, *_: Any, **config: Any) -> TaskState:
            was_asked_before = not state.output.empty
            if was_asked_before:
                msg = (
                    f"{playable.task.name}: its solvers call generate again, and one reply of a "
                    "trial is played here"
                )
                raise refusal(msg)
            _add_reply(state, trial)
            return state

        return self._run_solvers(playable, sandbox, generate=replay_trial)

    def _run_solvers(
        self,
        playable: PlayableSample,
        sandbox: StartedSandbox | None,
        generate: Callable[..., Awaitable[TaskState]],
    ) -> TaskState:
        """Run a task's solvers on a sample and return their final state.

        The solvers call `generate` with their state to ask the model.
        """
        from inspect_ai.solver import chain

        solvers = [
            solver
            for solver in (playable.task.setup, playable.task.solver)
            if solver is not None
        ]
        start = _first_state(playable.sample)
        final_state: TaskState = self._run(
            chain(*solvers)(start, generate), start, sandbox
        )
        return final_state

    def _run(
        self,
        work: Coroutine[Any, Any, Any],
        state: TaskState,
        sandbox: StartedSandbox | None = None,
    ) -> Any:
        """Run a coroutine of Inspect, such as a solver or a tool, and return its result.

        Inspect keeps the sample's state, store, sandbox and transcript in context
        variables. They are set before the coroutine runs, in a context of its own. It
        runs in a new thread, because this thread may already have a running event loop,
        as in a notebook.
        """
        from inspect_ai.log._transcript import Transcript, init_transcript
        from inspect_ai.solver._task_state import set_sample_state
        from inspect_ai.util._store import init_subtask_store

        async def set_context_and_work() -> Any:
            init_transcript(Transcript())
            init_subtask_store(state.store)
            set_sample_state(state)
            if sandbox is not None:
                sandbox.use()
            activate_grading_model(self.context)
            return await work

        with ThreadPoolExecutor(1) as thread:
            context = copy_context()
            future = thread.submit(context.run, asyncio.run, set_context_and_work())
            return future.result()


def _first_state(sample: Sample) -> TaskState:
    """Return the state in which a sample's solvers start."""
    from inspect_ai.model import ChatMessageUser, ModelName
    from inspect_ai.scorer import Target
    from inspect_ai.solver import TaskState

    if isinstance(sample.input, str):
        messages: list[Any] = [ChatMessageUser(content=sample.input)]
    else:
        messages = list(copy.deepcopy(sample.input))
    return TaskState(
        ModelName(MODEL_NAME),
        sample.id or 1,
        1,
        sample.input,
        messages,
        target=Target(sample.target),
        choices=sample.choices,
        metadata=copy.deepcopy(sample.metadata),
    )


def _add_reply(state: TaskState, trial: TaskEnvironment) -> None:
    """Add a finished trial to a solver state, as Inspect's `generate` would.

    It adds a message for each tool call, each result and the answer. It also copies the
    store, in which tools keep data for scorers.
    """
    from inspect_ai.model import ChatMessageAssistant, ChatMessageTool, ModelOutput
    from inspect_ai.tool import ToolCall, ToolCallError

    for number, call in enumerate(trial.calls):
        call_id = f"call_{number}"
        tool_call = ToolCall(
            id=call_id, function=call.name, arguments=dict(call.arguments)
        )
        state.messages.append(ChatMessageAssistant(content="", tool_calls=[tool_call]))
        if call.error:
            result = ChatMessageTool(
                content="",
                tool_call_id=call_id,
                function=call.name,
                error=ToolCallError("unknown", call.error),
            )
        else:
            result = ChatMessageTool(
                content=str(call.result), tool_call_id=call_id, function=call.name
            )
        state.messages.append(result)
    state.output = ModelOutput.from_content(MODEL_NAME, trial.answer or "")
    state.messages.append(state.output.message)
    prepared: PreparedSample = trial.state
    for (
        key,
        value,
    ) in prepared.task_state.store.items():  # The tools have used this store.
        state.store.set(key, value)


def _number(value: Any) -> float:
    """Return a score's value as a number. `"C"` (correct) is 1.0; `[1, 0]` is its mean, 0.5."""
    from inspect_ai.scorer import value_to_float

    if isinstance(value, list | tuple):
        if not value:
            return 0.0
        return sum(_number(item) for item in value) / len(value)
    return float(value_to_float()(value))


open_benchmark = InspectBenchmark

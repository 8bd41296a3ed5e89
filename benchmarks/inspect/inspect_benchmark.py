"""Plays tasks of Inspect (the extra `inspect`): its dataset, its solvers up to `generate`, its tools and its scorers.

What the solvers of a task have put together when they ask the model is the instruction; the trial's answer is what
`generate` then returns to them, and what the scorers judge. Models that scorers ask are the run's model `grade`. A task
that needs a container, or whose solvers ask a model themselves, is refused.
"""

from __future__ import annotations

import asyncio
import copy
import os
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
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
from controlplane.errors import extra_module
from controlplane.inspect_support import tool_of_inspect
from controlplane.sandbox.interface import error_codes
from controlplane.tool_benchmark import ANY_NUMBER

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.dataset import Sample
    from inspect_ai.solver import TaskState

OPTIONS: Final = (
    BenchmarkOption("args", "arguments of the task, as NAME=VALUE,NAME=VALUE"),
    BenchmarkOption(
        "strict",
        "yes: refuse a task of which a sample cannot be played here; else such samples are left out",
        choices=("no", "yes"),
    ),
)
MAX_NAMES_SHOWN: Final = 8


class _Asked(Exception):
    """The solvers have asked for the model's reply, in the state that it holds."""


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
        self._untold_notices: list[str] = []
        """Lines for the user, which a run can record once it has begun."""
        self._is_opened = False
        self._is_strict = settings.get("strict") == "yes"
        for task in tasks:
            self._add_samples(task)
        if not self._samples:
            _refuse(
                f"{argument}: every sample of {named} needs a container, and scripts run in none here"
            )

    def _add_samples(self, task: Task) -> None:
        """Add the samples of a task that can be played here, and tell of those that are left out.

        Raises `BenchmarkError` for a task that cannot be graded, and, with `strict`, for a sample
        that cannot be played.
        """
        task_name = task.name.rpartition("/")[2]
        if not task.scorer:
            _refuse(f"{self.argument}: {task_name} has no scorer")
        left_out = []
        for number, sample in enumerate(task.dataset, start=1):
            sample_name = f"{task_name}.{number if sample.id is None else sample.id}"
            if task.sandbox or sample.sandbox or sample.setup:
                left_out.append(sample_name)
            else:
                self._samples[sample_name] = (task, sample)
        if not left_out:
            return

        names = ", ".join(left_out[:MAX_NAMES_SHOWN])
        if len(left_out) > MAX_NAMES_SHOWN:
            names += f" and {len(left_out) - MAX_NAMES_SHOWN} more"
        reason = f"{names} needs a container, and scripts run in none here"
        if self._is_strict:
            _refuse(reason)
        notice = f"left out: {reason} (--set strict=yes refuses the task instead)"
        self._untold_notices.append(notice)

    def opened(self) -> OpenedBenchmark:
        """Return the benchmark as a run uses it."""
        opened = super().opened()
        self._is_opened = True
        return opened

    def task_ids(self) -> Sequence[str]:
        """Return the ids of all samples."""
        return list(self._samples)

    def generate(self, task_id: str) -> tuple[str, TaskEnvironment]:
        """Return what the solvers ask the model, and its tools. Raises `BenchmarkError` if they ask otherwise."""
        from inspect_ai.tool import ToolDef

        while self._is_opened and self._untold_notices:
            self.context.notify(self._untold_notices.pop())
        task, sample = self._samples[task_id]
        try:
            self._solved(task, sample)
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
            tool_of_inspect(ToolDef(tool), partial(self._run, state=asked)) for tool in asked.tools
        ]
        told_apart = (
            f"[{message.role}]\n" * (message.role not in ("user", "system")) + message.text
            for message in asked.messages
        )
        return "\n\n".join(told_apart), TaskEnvironment(calls, state=asked)

    def grade(
        self, task_id: str, environment: TaskEnvironment
    ) -> tuple[float, list[str], dict[str, float]]:
        """Return the first scorer's score, what the scorers explain, and each score by its scorer's name."""
        from inspect_ai._util.registry import registry_info
        from inspect_ai.scorer import Target

        task, sample = self._samples[task_id]
        state = self._solved(task, sample, environment)
        scores: dict[str, float] = {}
        lines = []
        for scorer in task.scorer or ():
            name = registry_info(scorer).name.rpartition("/")[2]
            score = self._run(scorer(state, Target(sample.target)), state)
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
        self, task: Task, sample: Sample, ended: TaskEnvironment | None = None
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
            for key, value in ended.state.store.items():
                state.store.set(key, value)
            return state

        solvers = [one for one in (task.setup, task.solver) if one is not None]
        solved: TaskState = self._run(chain(*solvers)(begun, generate), begun)
        return solved

    def _run(self, work: Coroutine[Any, Any, Any], state: TaskState) -> Any:
        """Return what a coroutine of Inspect returns, with the store of the sample and our models around it."""
        from inspect_ai.log._transcript import Transcript, init_transcript
        from inspect_ai.solver._task_state import set_sample_state
        from inspect_ai.util._store import init_subtask_store

        async def inside() -> Any:
            init_transcript(Transcript())
            init_subtask_store(state.store)
            set_sample_state(state)
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


def _number(value: Any) -> float:
    from inspect_ai.scorer import value_to_float

    if isinstance(value, list | tuple):
        return sum(map(_number, value)) / len(value) if value else 0.0
    return float(value_to_float()(value))


def _refuse(text: str, cause: Exception | None = None) -> NoReturn:
    raise BenchmarkError(error_codes.INVALID_ARGUMENT, text) from cause


open_benchmark = InspectBenchmark

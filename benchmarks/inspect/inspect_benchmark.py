"""The benchmark `inspect:FILE.py@TASK`: plays tasks of Inspect (the extra `inspect`).

An Inspect task has a dataset of samples, solvers that prepare a sample and then
call a function `generate` to ask the model, tools, and scorers. A trial plays
one sample in three phases:

1. The solvers run until they ask the model. The messages prepared so far become the
   instruction of the trial.
2. The trial is played: the control plane's model calls the tools and answers.
3. The solvers get the trial's tool calls and answer, and go on to their end. The scorers then
   judge the final state.

A scorer that asks a model uses the run's model for the role `grade`. For a sample with
`sandbox="docker"`, each trial gets its own container. Samples that cannot be played on
this machine are left out, and a notice gives the reason.
"""

from __future__ import annotations

import asyncio
import copy
import math
import os
import threading
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from controlplane import (
    BenchmarkContext,
    BenchmarkOption,
    OpenedBenchmark,
    TaskEnvironment,
    ToolBenchmark,
)
from controlplane.benchmark import BenchmarkError
from controlplane.benchmarks.containers import container_settings
from controlplane.benchmarks.containers.compose_file import (
    ComposeBuild,
    ComposeError,
    ComposeProject,
    ComposeService,
    compose_file_in,
    read_compose_file,
)
from controlplane.benchmarks.containers.container_runtime import (
    RunBeginning,
    usual_concurrency,
)
from controlplane.benchmarks.containers.container_settings import (
    ContainerError,
    ContainerSettings,
)
from controlplane.benchmarks.containers.set_files import SetFileError
from controlplane.benchmarks.inspect.inspect_tasks import (
    activate_grading_model,
    folder_of,
    load_tasks_of,
    refusal,
    short_name,
)
from controlplane.benchmarks.inspect.samples import (
    PlayableSample,
    SampleContainers,
    SampleFiles,
)
from controlplane.errors import extra_module
from controlplane.gates.text_folding import encodable
from controlplane.inspect_support import tool_of_inspect
from controlplane.score_scale import ANY_NUMBER
from controlplane.tool_benchmark.environments import EnvironmentCall
from controlplane.tool_benchmark.local_runs import Grade
from controlplane.tool_benchmark.tool_benchmark import Graded

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ChatMessage, ChatMessageTool
    from inspect_ai.solver import TaskState
    from inspect_ai.util._sandbox.environment import SandboxEnvironmentSpec

    from controlplane.benchmarks.inspect.trial_sandbox import TrialSandbox

# The state of a sample (`TaskState`) before the model answers, and the instruction in it.
#
# Inspect's solvers change this state: they add messages and tools, and then ask the model.
# The messages that they have prepared become the instruction of a trial. Functions import
# Inspect when they are called, because it is an optional package.

_MODEL_NAME: Final = "controlplane/solve"
"""The name of the answering model that solvers and scorers see."""


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
        model=ModelName(_MODEL_NAME),
        sample_id=sample.id or 1,
        epoch=1,
        input=sample.input,
        messages=messages,
        target=Target(sample.target),
        choices=sample.choices,
        metadata=copy.deepcopy(sample.metadata),
    )


def _instruction_of(state: TaskState, task_id: str) -> str:
    """Return the messages that solvers prepared, as the instruction of a trial.

    Raises `BenchmarkError` if a message is not text.
    """
    parts = []
    for message in state.messages:
        if not _is_text(message):
            msg = (
                f"{task_id}: it shows images or sounds, and instructions here are texts"
            )
            raise refusal(msg)
        if message.role in ("user", "system"):
            parts.append(message.text)
        else:
            parts.append(f"[{message.role}]\n{message.text}")
    return "\n\n".join(parts)


def _is_text(message: ChatMessage) -> bool:
    """Return True if a message has only text, so no images or sounds."""
    if isinstance(message.content, str):
        return True
    return all(part.type == "text" for part in message.content)


# The state of a sample (`TaskState`) after a trial: with its tool calls and its answer.
#
# Scorers of Inspect read the messages, the model's output and the store, in which tools keep
# data. So all three get what the trial has done. Functions import Inspect when they are
# called, because it is an optional package.


def _add_answer(state: TaskState, trial: TaskEnvironment) -> None:
    """Add the calls and the answer of a trial that has ended, as Inspect's `generate` would.

    A trial with one tool call adds three messages: one with the call, one with its result,
    and one with the answer, which is also the model's output.
    """
    from inspect_ai.model import ChatMessageAssistant, ModelOutput
    from inspect_ai.tool import ToolCall

    for number, call in enumerate(trial.calls):
        call_id = f"call_{number}"
        tool_call = ToolCall(
            id=call_id, function=call.name, arguments=dict(call.arguments)
        )
        state.messages.append(ChatMessageAssistant(content="", tool_calls=[tool_call]))
        state.messages.append(_result_message(call, call_id))
    state.output = ModelOutput.from_content(_MODEL_NAME, trial.answer or "")
    state.messages.append(state.output.message)


def _result_message(call: EnvironmentCall, call_id: str) -> ChatMessageTool:
    """Return the message with the result of a tool call, or with its error."""
    from inspect_ai.model import ChatMessageTool
    from inspect_ai.tool import ToolCallError

    if call.error:
        return ChatMessageTool(
            content="",
            tool_call_id=call_id,
            function=call.name,
            # A kind of Inspect's errors, and the text. Our calls have no kinds of errors.
            error=ToolCallError("unknown", call.error),
        )
    return ChatMessageTool(
        content=str(call.result), tool_call_id=call_id, function=call.name
    )


# Runs code of Inspect with what it finds in context variables.
#
# Inspect's solvers, tools and scorers are coroutines. They ask for the sample's state, its
# store, its sandbox and the grading model by functions such as `inspect_ai.util.store()`,
# which read context variables (`contextvars`).


@dataclass(frozen=True, slots=True)
class _InspectContext:
    """What all code of Inspect finds during one trial."""

    benchmark_context: BenchmarkContext
    """Gives the model that grades."""
    sandbox: TrialSandbox | None
    """The trial's container; None if it needs none."""

    def result_of(self, work: Coroutine[Any, Any, Any], state: TaskState) -> Any:
        """Run a coroutine, such as a solver or a tool, and return its result.

        `state` is the sample's state that it works on. The coroutine runs in a new
        thread, because this thread may already have a running event loop, as in a
        notebook.
        """
        with ThreadPoolExecutor(1) as thread:
            # A copy, so that the variables are set only for this work.
            own_context = copy_context()
            prepared_work = self.prepared(work, state)
            future = thread.submit(own_context.run, asyncio.run, prepared_work)
            return future.result()

    async def prepared(self, work: Coroutine[Any, Any, Any], state: TaskState) -> Any:
        """Set Inspect's variables in the current context, and return the coroutine's result.

        The coroutine has not begun before, so it sees these variables.
        """
        from inspect_ai.log._transcript import Transcript, init_transcript
        from inspect_ai.solver._task_state import set_sample_state
        from inspect_ai.util._store import init_subtask_store

        init_transcript(Transcript())
        init_subtask_store(state.store)
        set_sample_state(state)
        if self.sandbox is not None:
            self.sandbox.use()
        activate_grading_model(self.benchmark_context)
        return await work


# Finds out which container a sample of Inspect needs.
#
# A task or a sample asks for one with `sandbox="docker"`, or names a file that describes
# it: `sandbox=("docker", "compose.yaml")`. The containers are returned as a `ComposeProject`.
# The rules here are those of Inspect.

_DOCKERFILE: Final = "Dockerfile"
_DEFAULT_SERVICE: Final = "default"
_DEFAULT_IMAGE: Final = "docker.io/aisiuk/inspect-tool-support"
"""The image that Inspect uses if a task has neither a compose file nor a Dockerfile."""


def _sandbox_of(task: Task, sample: Sample) -> SandboxEnvironmentSpec | None:
    """Return a sample's sandbox; None if it needs none.

    If both the task and the sample have one, the sample's is used only if it has the
    task's type and a configuration of its own.
    """
    if task.sandbox is None:
        return sample.sandbox
    if sample.sandbox is None:
        return task.sandbox
    is_of_same_type = sample.sandbox.type == task.sandbox.type
    if is_of_same_type and sample.sandbox.config is not None:
        return sample.sandbox
    return task.sandbox


def project_of_sample(
    spec: SandboxEnvironmentSpec, files: SampleFiles, sample: Sample | None = None
) -> ComposeProject:
    """Return the containers that a sample's sandbox describes.

    Paths are relative to the folder of the task's file. Raises `ComposeError`
    with the reason if such a container is not supported, for example because
    its file is outside of the task's folder.
    """
    if spec.type != "docker":
        msg = f"its sandbox is {spec.type!r}, and containers are started for 'docker' alone"
        raise ComposeError(msg)
    config = spec.config
    if config is not None and not isinstance(config, str):
        msg = "its sandbox is configured by an object, not by a file"
        raise ComposeError(msg)

    path = files.task_folder / (config or "")
    try:
        own_files = files.set_of(path)
        if config is None:  # The task names no file.
            path = compose_file_in(path, own_files) or path / _DOCKERFILE
        # Also `Dockerfile.agent` and `agent.Dockerfile`.
        if path.stem == _DOCKERFILE or path.suffix == f".{_DOCKERFILE}":
            service = ComposeService(name=_DEFAULT_SERVICE, has_network=False)
            update: dict[str, Any] = {"image": _DEFAULT_IMAGE}
            if config is not None or own_files.is_file(path):
                folder = own_files.resolve(path.parent)
                update = {"build": ComposeBuild(folder=folder, dockerfile=path.name)}
            services = {_DEFAULT_SERVICE: service.model_copy(update=update)}
        else:
            services = read_compose_file(path, own_files, _metadata(sample))
        for service in services.values():
            build = service.build
            if build is None and not service.image:
                msg = f"its service {service.name} has neither build nor the name of an image"
                raise ComposeError(msg)
            if build is None or build.inline:
                continue
            if not own_files.is_file(build.folder / build.dockerfile):
                msg = f"there is no {build.dockerfile} in {build.folder}"
                raise ComposeError(msg)
    except SetFileError as error:
        raise ComposeError(str(error)) from error
    return ComposeProject(services, _default_of(services, path))


def _default_of(services: Mapping[str, ComposeService], path: Path) -> str:
    """Return the service in which tools work unless they name another one.

    It is marked by `x-default: true`, or named `default`, or the only one.
    """
    marked = [service.name for service in services.values() if service.is_default]
    names = [*marked, *(name for name in services if name == _DEFAULT_SERVICE)]
    if not names and len(services) > 1:
        msg = f"{path.name} has {len(services)} services, and none is named {_DEFAULT_SERVICE}"
        raise ComposeError(msg)
    return [*names, *services][0]


def _metadata(sample: Sample | None) -> dict[str, str]:
    """Return the variables of a compose file that Inspect fills in: those of a sample's metadata.

    `{"image name": "a"}` -> `{"SAMPLE_METADATA_IMAGE_NAME": "a"}`.
    """
    variables = {}
    for key, value in ((sample.metadata if sample else None) or {}).items():
        name = f"SAMPLE_METADATA_{str(key).replace(' ', '_').upper()}"
        variables[name] = str(value)
    return variables


# Loads the samples that an Inspect benchmark plays, those of one task or of several.
#
# A sample of Inspect is one question with its right answer. It cannot be played if it needs a
# container and this machine has no podman or docker, or if its container has parts that are not
# supported here. The user is told each reason, with the samples that are left out for it.

_MAX_NAMES_SHOWN: Final = 8
"""The most samples that a reason names. Of the others, only their number is told."""


class _NotPlayable(Exception):
    """A sample cannot be played on this machine. The message is the reason."""


def _load_samples(
    argument: str,
    settings: Mapping[str, str],
    context: BenchmarkContext,
    containers: SampleContainers,
) -> tuple[dict[str, PlayableSample], list[str]]:
    """Load the samples of the tasks that `argument` names: `evals/words.py@words`.

    Return those that can be played here, by task id (`words.1`), and what the user is told: which
    are left out, and whether some will miss a network. `settings` are the user's `--set` options.
    Raises `BenchmarkError` if there is no such task, if a task has no scorer, or if no sample can be
    played; with the option `strict=yes`, even if only one sample cannot be played.
    """
    folder = settings.get("files")
    further_folder = Path(folder).expanduser() if folder else None
    may_download = containers.settings.agent_network
    playable: dict[str, PlayableSample] = {}
    notices: list[str] = []
    for task in load_tasks_of(argument, settings.get("args", ""), context):
        if not task.scorer:
            msg = f"{argument}: {short_name(task)} has no scorer"
            raise refusal(msg)
        files = SampleFiles(folder_of(task), further_folder, may_download)
        ids_by_reason: dict[str, list[str]] = {}
        for number, sample in enumerate(task.dataset, start=1):
            sample_name = number if sample.id is None else sample.id
            task_id = encodable(f"{short_name(task)}.{sample_name}")
            try:
                if not task_id.endswith(f".{sample_name}"):
                    msg = "its id has half of a surrogate pair"
                    raise _NotPlayable(msg)
                project = _project_for(task, sample, containers, files)
            except _NotPlayable as error:
                ids_by_reason.setdefault(str(error), []).append(task_id)
                continue
            playable[task_id] = PlayableSample(task_id, task, sample, project, files)
        for reason, task_ids in ids_by_reason.items():
            names = ", ".join(task_ids[:_MAX_NAMES_SHOWN])
            if len(task_ids) > _MAX_NAMES_SHOWN:
                names += f" and {len(task_ids) - _MAX_NAMES_SHOWN} more"
            if settings.get("strict") == "yes":
                msg = f"{names}: {reason}"
                raise refusal(msg)
            notices.append(
                f"left out: {names}: {reason} (--set strict=yes refuses the task instead)"
            )
    if not playable:
        task_name = argument.partition("@")[2]
        msg = (
            f"{argument}: no sample of {task_name} can be played: {'; '.join(notices)}"
        )
        raise refusal(msg)

    network_count = 0
    for task_id, playable_sample in playable.items():
        project = playable_sample.project or ComposeProject()
        notices += [f"{task_id}: {note}" for note in project.notes]
        network_count += any(
            service.has_network for service in project.services.values()
        )
    if network_count and not may_download:
        notices.append(
            f"the network is off, and {network_count} samples want one: "
            "--set network=task allows it"
        )
    return playable, notices


def _project_for(
    task: Task, sample: Sample, containers: SampleContainers, files: SampleFiles
) -> ComposeProject | None:
    """Return the containers that a sample needs; None if it needs none. Raises `_NotPlayable`."""
    spec = _sandbox_of(task, sample)
    if spec is None:
        if sample.setup is None:
            return None
        msg = "it has a setup script and no sandbox to run it in"
        raise _NotPlayable(msg)
    try:
        project = project_of_sample(spec, files, sample)
        files.check({**(sample.files or {}), "setup": sample.setup or ""})
        # Without podman or docker, it cannot be played.
        containers.require(project, files)
    except (ComposeError, ContainerError, SetFileError) as error:
        raise _NotPlayable(str(error)) from error
    return project


# Runs the solvers of a sample: Inspect's functions that prepare a question and ask the model.
#
# A solver asks the model by calling `generate(state)`, a function that it is given. Then it waits in a
# thread of its own while the trial is played, gets the trial's calls and answer, and goes on to its end.
# So each runs once: one that prepares the sample's container would undo the work of the trial.


class _WaitingSolvers:
    """The solvers of one sample, in a thread of their own."""

    def __init__(self, playable: PlayableSample, context: _InspectContext) -> None:
        self._playable = playable
        self._asked: Future[TaskState] = Future()
        """The state with which they ask the model."""
        self._trial: Future[TaskEnvironment] = Future()
        """The trial that has ended, for which they wait."""
        self._final: Future[TaskState] = Future()
        start = _first_state(playable.sample)
        work = context.prepared(self._run(start), start)
        # A copy, so that Inspect's variables are set only for this work.
        own_context = copy_context()
        self._thread = threading.Thread(
            target=own_context.run, args=(asyncio.run, work), daemon=True
        )
        self._thread.start()

    async def _run(self, start: TaskState) -> None:
        from inspect_ai.solver import chain

        task = self._playable.task
        solvers = [solver for solver in (task.setup, task.solver) if solver is not None]
        try:
            final: TaskState = await chain(*solvers)(start, self._generate)
            if not self._asked.done():
                msg = (
                    f"{self._playable.task_id}: its solvers never call generate, so there is "
                    "nothing to be asked"
                )
                raise refusal(msg)
        except BaseException as error:  # noqa: BLE001 - told to whoever waits
            waiting = self._final if self._asked.done() else self._asked
            waiting.set_exception(error)
        else:
            self._final.set_result(final)

    async def _generate(self, state: TaskState, *_: Any, **config: Any) -> TaskState:
        """Wait for the trial, and add its answer to the state, as Inspect's `generate` would."""
        if self._asked.done():
            msg = (
                f"{self._playable.task.name}: its solvers call generate again, and one "
                "reply of a trial is played here"
            )
            raise refusal(msg)
        self._asked.set_result(state)
        trial = await asyncio.wrap_future(self._trial)
        _add_answer(state, trial)
        return state

    def asking_state(self) -> TaskState:
        """Wait until they ask the model. Raises what they raise, and `BenchmarkError` if they never do."""
        return self._asked.result()

    def final_state(self, trial: TaskEnvironment) -> TaskState:
        """Let them go on with a trial that has ended, and return their state at their end.

        Raises `BenchmarkError` if they ask a second time.
        """
        self._trial.set_result(trial)
        return self._final.result()

    def cancel(self) -> None:
        """End them if they wait: nobody plays the trial."""
        self._trial.cancel()


@dataclass(frozen=True, slots=True)
class _PreparedSample:
    """A sample whose solvers have asked the model."""

    playable: PlayableSample
    context: _InspectContext
    """In which its solvers run, and its tools and scorers."""
    task_state: TaskState
    """The messages and tools that the solvers prepared, and Inspect's store: a dict in which
    tools keep data during the trial, for scorers."""
    solvers: _WaitingSolvers


# Scores the final state of a sample by the scorers of its task.
#
# A scorer of Inspect looks at the messages and the answer of a sample:
#
# | scorer | its value | scores |
# |---|---|---|
# | `match` | `"C"` (correct) | `{"match": 1.0}` |
# | `kept` | `{"kept": 1, "traced": 2}` | `{"kept": 1.0, "kept.traced": 2.0}` |


def _score_sample(sample: _PreparedSample, state: TaskState) -> Grade:
    """Run the scorers of a sample's task on its final state, and return its grade.

    The score is the first scorer's: another one's never takes its place. There is none if it gave
    none, and it is not finite if it gave something else than a number. The metrics are the scores
    of all by the names of the scorers; one with several values has a score for each, such as
    `kept.traced`. The details are lines of all scorers.
    """
    from inspect_ai._util.registry import registry_info
    from inspect_ai.scorer import Target

    target = Target(sample.playable.sample.target)
    first: float | None = None
    by_name: dict[str, float] = {}
    explanations: list[str] = []
    for number, scorer in enumerate(sample.playable.task.scorer or ()):
        scorer_name = registry_info(scorer).name.rpartition("/")[2]
        # `scorer(state, target)` is a coroutine. It may also ask for the current state by a
        # function of Inspect, so the context gets the state, too.
        score = sample.context.result_of(scorer(state, target), state)
        numbers = {}
        if score is not None:
            numbers = _numbers_by_name(scorer_name, score.value)
        by_name |= numbers
        if number == 0:
            first = next(iter(numbers.values()), None)
            if first is None:
                explanations.append(f"the scorer {scorer_name} gave no score")
        if score is None:
            continue
        for line in str(score.explanation or "").splitlines():
            if line.strip():
                explanations.append(line)
    return Grade(first, tuple(explanations), by_name)


def _numbers_by_name(scorer_name: str, value: Any) -> dict[str, float]:
    """Return the values of a score as numbers.

    `{"kept": 1, "traced": 2}` of the scorer `kept` are `kept` and `kept.traced`: a value
    with the scorer's own name is its main score.
    """
    if not isinstance(value, Mapping):
        return {scorer_name: _number(value)}
    numbers = {}
    for key, part in value.items():
        name = scorer_name if key == scorer_name else f"{scorer_name}.{key}"
        numbers[name] = _number(part)
    return numbers


def _number(value: Any) -> float:
    """Return a score's value as a number. `"C"` (correct) is 1.0; `[1, 0]` is its mean, 0.5.

    NaN stands for what is no number, such as one of 400 digits, which no float holds.
    """
    from inspect_ai.scorer import value_to_float

    if isinstance(value, list | tuple):
        if not value:
            return math.nan
        return sum(_number(item) for item in value) / len(value)
    try:
        return float(value_to_float()(value))
    except (OverflowError, ValueError, TypeError):
        return math.nan


# The world of a trial of Inspect: the tools of a sample, for scripts to call.
#
# Which tools there are is known only after the sample's solvers have run.


def _world_of(prepared: _PreparedSample) -> TaskEnvironment:
    """Return the world of a sample whose solvers have asked the model.

    Its `state` is the prepared sample, which grading needs.
    """
    from inspect_ai.tool import ToolDef

    state = prepared.task_state
    run_tool = partial(prepared.context.result_of, state=state)
    tools = [tool_of_inspect(ToolDef(tool), run_tool) for tool in state.tools]
    return TaskEnvironment(tools, state=prepared)


OPTIONS: Final = (
    BenchmarkOption("args", "arguments of the task, as NAME=VALUE,NAME=VALUE"),
    BenchmarkOption(
        "strict",
        "yes: refuse a task if one of its samples cannot be played here; no: leave such samples out",
        choices=("no", "yes"),
    ),
    BenchmarkOption(
        "files", "a folder from which samples may have files, beside the task's own"
    ),
    *container_settings.OPTIONS,
)


class InspectBenchmark(ToolBenchmark):
    """The samples of one task, or of all tasks of a file.

    Each sample of Inspect is a task of the control plane, with an id such as `words.heron`:
    the name of Inspect's task, and the id of the sample. Solvers are Inspect's functions
    that prepare the messages of a sample and ask the model; scorers judge its answer.
    """

    name = "inspect"
    citations = "none"
    scale = ANY_NUMBER  # Each scorer has a scale of its own.

    def __init__(
        self, argument: str, settings: Mapping[str, str], context: BenchmarkContext
    ) -> None:
        """Load the samples. Raises `BenchmarkError` if none can be played, and `UsageError`."""
        super().__init__(argument, settings, context)
        extra_module("inspect_ai", "a task of Inspect", extra="inspect")
        if not argument:
            msg = "which task? Name it as inspect:FILE.py@TASK, or inspect:PACKAGE/TASK"
            raise refusal(msg)
        options = ContainerSettings.parse(settings, os.environ)
        self._containers = SampleContainers(options, context)
        self._samples, notices = _load_samples(
            argument, settings, context, self._containers
        )
        self._beginning = RunBeginning(iter(notices), self._containers.remove_abandoned)
        self._waiting: list[_WaitingSolvers] = []
        """Those of the trials of this run: some may wait for a trial that nobody plays."""
        self._is_opened = False
        """From then on, `generate` is called for trials, and starts their containers."""

    def opened(self) -> OpenedBenchmark:
        """Return the benchmark as a run uses it."""
        # The superclass calls `generate` for one sample, to look at the tools of its world.
        # That needs no container.
        opened = super().opened()
        self._is_opened = True
        machine_check = self._containers.machine_check
        if machine_check is None:
            return opened
        return replace(
            opened,
            machine_check=machine_check,
            usual_concurrency=usual_concurrency(0.0),
        )

    def close(self) -> None:
        """Remove the sandboxes of unfinished trials. A resumed trial gets a new one."""
        for solvers in self._waiting:
            solvers.cancel()
        self._containers.close()

    def task_ids(self) -> Sequence[str]:
        """Return the ids of all samples."""
        return list(self._samples)

    def generate(self, task_id: str) -> tuple[str, TaskEnvironment]:
        """Return the instruction of a trial, and its world with the sample's tools.

        The instruction is the messages that the sample's solvers prepare for the model.
        Raises `BenchmarkError` if they never ask the model, or if a message is not text.
        """
        playable = self._samples[task_id]
        sandbox = None
        if self._is_opened:
            self._beginning.begin_once(self.context)
            sandbox = self._start_sandbox(playable)
        context = _InspectContext(self.context, sandbox)
        try:
            solvers = _WaitingSolvers(playable, context)
            state = solvers.asking_state()
        except BenchmarkError:
            raise
        except Exception:
            if self._is_opened or playable.project is None:
                raise
            # Its solvers work in its containers, which do not start for a look at its tools.
            return "", TaskEnvironment([])
        if self._is_opened:
            self._waiting.append(solvers)
        else:
            solvers.cancel()
        prepared = _PreparedSample(playable, context, state, solvers)
        return _instruction_of(state, task_id), _world_of(prepared)

    def _start_sandbox(self, playable: PlayableSample) -> TrialSandbox | None:
        """Start a trial's containers; return None if it needs none. Raises `BenchmarkError`."""
        if playable.project is None:
            return None
        # This module imports Inspect.
        from controlplane.benchmarks.inspect.trial_sandbox import start_sandbox

        return start_sandbox(self._containers, playable.project, playable)

    def grade(self, task_id: str, environment: TaskEnvironment) -> Graded:
        """Return the first scorer's score, all explanations, and every score by name.

        The trial's sandbox is removed, even if a scorer fails.
        """
        prepared: _PreparedSample = (
            environment.state
        )  # As `_world_of` has put it there.
        try:
            state = prepared.solvers.final_state(environment)
            grade = _score_sample(prepared, state)
        finally:
            sandbox = prepared.context.sandbox
            if sandbox is not None:
                self._containers.remove(sandbox.started)
        if grade.score is None:
            return grade
        return grade.score, grade.details, grade.metrics


open_benchmark = InspectBenchmark

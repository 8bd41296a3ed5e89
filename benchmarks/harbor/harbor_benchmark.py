"""The benchmark `harbor:DIR`: tasks in Harbor's format. Each trial has its own container.

The agent works in the container by a shell and files. Then a verifier, which is the task's
own program, runs in the same container and leaves the score there. If a run is stopped,
the containers of open trials stay, and a resumed run goes on in them.
"""

from __future__ import annotations

import hashlib
import math
import os
import threading
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import re2
from pydantic import ValidationError

from controlplane.agent.model import Model
from controlplane.benchmark import (
    BenchmarkContext,
    BenchmarkError,
    BenchmarkIdentity,
    BenchmarkOption,
    Description,
    ListedTask,
    OpenedBenchmark,
    RunResult,
    Trial,
)
from controlplane.benchmarks.containers import container_runtime as container_settings
from controlplane.benchmarks.containers.compose_file import (
    ComposeError,
    compose_file_in,
    read_compose_file,
)
from controlplane.benchmarks.containers.container_runtime import (
    ContainerRuntime,
    ContainerSettings,
    container_finding,
    find_runtime,
    unenforced_limits,
)
from controlplane.benchmarks.containers.container_variables import (
    missing_host_variables,
)
from controlplane.benchmarks.containers.dockerfile import images_of_build
from controlplane.benchmarks.containers.runtime_program import (
    CommandInterrupted,
    ContainerError,
)
from controlplane.benchmarks.containers.set_files import SetFileError, SetFiles
from controlplane.benchmarks.containers.task_values import (
    TaskValueError,
    check_command,
    check_cpus,
    check_image,
    check_memory,
    check_user,
    check_variable_names,
    check_variables,
    check_workdir,
)
from controlplane.benchmarks.harbor.players import IdlePlayer, SolutionPlayer
from controlplane.benchmarks.harbor.tasks import (
    NO_SERVICE,
    HarborTask,
    HarborTaskFile,
    Phase,
)
from controlplane.benchmarks.harbor.terminal_environment import (
    GRACE_S,
    TerminalEnvironment,
    tool_schema_of,
)
from controlplane.benchmarks.harbor.trial_containers import (
    TrialContainer,
    TrialContainers,
)
from controlplane.benchmarks.harbor.verifier import HarborSettings, TrialGrading
from controlplane.gates.surrogates import encodable
from controlplane.local_benchmark.local_benchmark import (
    GeneratedTrial,
    LocalBenchmark,
    RunId,
)
from controlplane.quantity_texts import count_text
from controlplane.sandbox.interface import bounds, error_codes
from controlplane.sandbox.interface.foreign_documents import parse_toml
from controlplane.terminal_text import sanitize

# Sizes of memory and disks as older task files write them: `4G`, `4Gi` or `512 MB`.
#
# Newer files have a number of megabytes. Here the text becomes such a number.

MB_PER_GB: Final = 1024.0
SIZE_UNITS_MB: Final = {"M": 1.0, "G": MB_PER_GB, "T": MB_PER_GB * 1024}
SIZE: Final = re2.compile(r"\s*(\d+(?:\.\d+)?)\s*([MGTmgt])i?[Bb]?\s*")
"""A number and its unit, which are the groups."""


def megabytes(text: str) -> float:
    """Return a size such as `4G` in MB; 0 for an empty text. Raises `ValueError`."""
    if not text:
        return 0.0
    match = SIZE.fullmatch(text)
    if match is None:
        msg = f"{text!r} is not a size such as 512M or 4G"
        raise ValueError(msg)
    size_mb = float(match[1]) * SIZE_UNITS_MB[str(match[2]).upper()]
    if math.isinf(size_mb):  # as for 400 digits
        msg = f"{text[:20]!r}... is too large for a size"
        raise ValueError(msg)
    return size_mb


# Features of Harbor's tasks that are not supported here, such as GPUs or several steps.
#
# A task that needs one is left out, with the reason, and the others are played.


def unsupported_feature(task: HarborTask) -> str:
    """Return why a task cannot be played; empty if it can.

    Raises `SetFileError` if one of its files is a link out of the set of tasks.
    """
    return (
        _unsupported_layout(task)
        or _unsupported_network(task.file)
        or _unsupported_environment(task.file)
        or _missing_file(task)
        or _refused_value(task)
    )


def _unsupported_layout(task: HarborTask) -> str:
    """Return why a task needs more than one container and one phase; empty if it does not."""
    if task.file.steps:
        return "it has several steps"
    if task.compose_fault:
        return task.compose_fault
    verifier = task.file.verifier
    if verifier.environment_mode == "separate" or verifier.environment is not None:
        return "its verifier runs in a separate environment"
    return ""


def _unsupported_network(file: HarborTaskFile) -> str:
    """Return why a network that a task asks for is not supported; empty if it is."""
    networks = (file.default_network, file.agent_network, file.verifier_network)
    if "allowlist" in networks:
        return "it allows a list of hosts (network_mode = allowlist)"
    for network in networks:
        if network not in ("public", "no-network"):
            return f"its network mode {network!r} is unknown"
    return ""


def _unsupported_environment(file: HarborTaskFile) -> str:
    """Return what a task needs of its container that is not supported; empty if nothing."""
    if file.environment.gpus:
        return "it needs GPUs"
    if file.environment.mcp_servers:
        return "it has MCP servers"
    if file.environment.os != "linux":
        return f"it runs on {file.environment.os}"
    return ""


def _refused_value(task: HarborTask) -> str:
    """Return which value podman or docker must not be given; empty if all fit their grammars."""
    file = task.file
    check = file.environment.healthcheck
    try:
        if task.docker_image:
            check_image(task.docker_image)
        check_workdir(task.workdir)
        check_memory(task.memory)
        check_cpus(task.cpus)
        check_user(str(file.agent.user))
        check_user(str(file.verifier.user))
        if check is not None:
            check_command(check.command)
        check_variables(task.variables)
        check_variables(file.agent.env)
        check_variables(file.verifier.env)
        check_variable_names(file.solution.env)
    except TaskValueError as error:
        return str(error)
    return ""


def _missing_file(task: HarborTask) -> str:
    """Return which file a task lacks without which it cannot be played; empty if none."""
    if not task.instruction:
        return "it has no instruction.md"
    if not task.files.is_file(task.tests_folder / "test.sh"):
        return "it has no tests/test.sh"
    has_dockerfile = task.files.is_file(task.build_folder / "Dockerfile")
    if not task.docker_image and not has_dockerfile:
        return "it has neither environment/Dockerfile nor docker_image"
    if not task.docker_image:
        task.files.check_build(task.build_folder)
    return ""


# Reads the tasks of a folder in Harbor's format.
#
# Each task is a folder with `task.toml`, `instruction.md` and other parts. If a task needs an
# unsupported feature, the reason is reported, and the other tasks can still be played.

TASK_FILE: Final = "task.toml"
TASK_NAME: Final = re2.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class TaskFileError(ValueError):
    """A task's files do not follow the format. The message names the file and key."""


@dataclass(frozen=True, slots=True)
class HarborFolder:
    """The tasks of a folder."""

    tasks: Mapping[str, HarborTask]
    """The tasks that can be played, by id."""
    refusals: Mapping[str, str]
    """Why the other tasks cannot be played, by id."""
    digest: str
    """A hash over the files of all tasks that can be played."""


def read_tasks(root: Path) -> HarborFolder:
    """Return the tasks in a folder; only one if the folder itself is a task's.

    Raises `TaskFileError` if there is none. A task that cannot be read is among the refusals.
    """
    tasks = {}
    refusals = {}
    digest = hashlib.sha256()
    files = SetFiles.of(root)
    for folder in _task_folders(root):
        # The root may be named as `.`, but a folder in it has its own name, also if it is a link.
        task_id = files.root.name if folder == root else folder.name
        # Anybody may have written a task. A faulty one is told by name, and the others are played.
        try:
            if not TASK_NAME.fullmatch(encodable(task_id)):
                msg = "its folder is not named with letters, digits, '.', '_' and '-'"
                raise TaskFileError(msg)
            task = read_task(folder, task_id, files)
            reason = unsupported_feature(task)
            if not reason:
                digest.update(files.digest(task.folder).encode())
        except (TaskFileError, SetFileError, OSError) as error:
            reason = str(error)
        if reason:
            name = sanitize(task_id)[: bounds.MOST_NAME_CHARS]
            refusals[name] = " ".join(sanitize(reason).split())[
                : bounds.SHOWN_FAULT_CHARS
            ]
        else:
            tasks[task_id] = task
    return HarborFolder(tasks, refusals, digest.hexdigest())


def _task_folders(root: Path) -> list[Path]:
    """Return the folders with a task.toml: `root` itself, or else those directly in it.

    Raises `TaskFileError` if there is none.
    """
    if (root / TASK_FILE).is_file():
        return [root]
    if not root.is_dir():
        msg = f"{root} is not a folder"
        raise TaskFileError(msg)
    folders = sorted(path.parent for path in root.glob(f"*/{TASK_FILE}"))
    if not folders:
        msg = f"no folder in {root} has a {TASK_FILE}"
        raise TaskFileError(msg)
    return folders


def read_task(folder: Path, task_id: str, files: SetFiles | None = None) -> HarborTask:
    """Read the task in a folder. Raises `TaskFileError` that names the file and key.

    `files` is the set of tasks to which it belongs; without one, the folder is all of it.
    Raises `SetFileError` for a file that is too large, or that is a link out of the set.

    A compose file with unsupported parts raises nothing: the task notes it as its
    `compose_fault`, so that it can be listed with the reason why it cannot be played.
    """
    path = folder / TASK_FILE
    files = files or SetFiles.of(folder)
    content = files.read(path, bounds.MOST_TEXT_BYTES) or b""
    try:
        text = content.decode("utf-8")
        file = HarborTaskFile.model_validate(parse_toml(text, refuses_nul=True))
        # New files have a number, `memory_mb = 4096`, and older ones a text, `memory = "4G"`.
        # For a text that is no size, such as `much`, `megabytes` raises `ValueError`.
        container = file.environment
        memory_mb = container.memory_mb or megabytes(container.memory)
        storage_mb = container.storage_mb or megabytes(container.storage)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in fault["loc"])
        msg = f"{path}: {key}: {fault['msg']}"
        raise TaskFileError(msg) from None
    except ValueError as error:
        msg = f"{path}: {error}"
        raise TaskFileError(msg) from error

    # An older task may describe its container in a compose file, too.
    service = NO_SERVICE
    compose_fault = ""
    real_folder = files.resolve(folder)
    compose_path = compose_file_in(real_folder / "environment", files)
    if compose_path is not None:
        try:
            service = read_compose_file(compose_path, files)
        except ComposeError as error:
            compose_fault = str(error)

    return HarborTask(
        task_id=task_id,
        folder=real_folder,
        files=files,
        instruction=_instruction_in(folder, files),
        file=file,
        memory_mb=memory_mb,
        storage_mb=storage_mb,
        service=service,
        compose_fault=compose_fault,
    )


def _instruction_in(folder: Path, files: SetFiles) -> str:
    """Return the text of instruction.md; empty if there is no such file."""
    content = files.read(folder / "instruction.md", bounds.MOST_TEXT_BYTES) or b""
    return content.decode("utf-8", "replace").strip()


# What a user is told about tasks that this machine or the settings do not fully support.
#
# Such tasks are played all the same, but may fail for a reason that is not the agent's.


def missing_variables(task: HarborTask, settings: ContainerSettings) -> list[str]:
    """Return the environment variables that a task needs and the user has not allowed."""
    missing: list[str] = []
    for values in (task.variables, task.file.agent.env, task.file.verifier.env):
        missing += missing_host_variables(values, settings.variables)
    return sorted(set(missing))


def network_notices(
    tasks: Collection[HarborTask], settings: ContainerSettings
) -> Iterator[str]:
    """Yield how many tasks want a network that the settings do not allow."""
    count = _wanting_network(tasks, "agent")
    if count and not settings.agent_network:
        yield (
            f"the network is off while agents work, but wanted by {count_text(count, 'task')}: "
            "--set network=task, or agent_network=task, allows it"
        )
    count = _wanting_network(tasks, "verifier")
    if count and not settings.verifier_network:
        yield (
            "the network is off while verifiers run, which may then leave no reward, but wanted "
            f"by {count_text(count, 'task')}: --set network=task, or verifier_network=task, allows it"
        )


def _wanting_network(tasks: Collection[HarborTask], phase: Phase) -> int:
    return sum(task.wants_network(phase) for task in tasks)


def disk_notices(
    tasks: Collection[HarborTask], settings: ContainerSettings
) -> Iterator[str]:
    """Yield how many tasks name a disk size that is not enforced."""
    count = sum(task.storage_mb > 0 for task in tasks)
    if count and not settings.storage:
        yield (
            f"{count_text(count, 'task')} name a disk size, which is not enforced: "
            "--set storage=SIZE limits it where the storage driver can"
        )


# Finds the tasks of a folder that can be played here, and why the others cannot.
#
# A task cannot be played if it needs a feature that is not supported, or a variable of this
# machine, such as a key, that the user has not allowed.


@dataclass(frozen=True, slots=True)
class PlayableHarborTasks:
    """The tasks of a benchmark."""

    tasks: Mapping[str, HarborTask]
    """The tasks that can be played, by id."""
    refusals: Mapping[str, str]
    """Why the other tasks cannot be played, by id."""

    @property
    def refusal_lines(self) -> list[str]:
        """The reasons as `ID: REASON`."""
        return [f"{task_id}: {reason}" for task_id, reason in self.refusals.items()]

    @property
    def summary(self) -> str:
        """One line that counts the tasks, and lists those that cannot be played."""
        summary = f"{len(self.tasks)} tasks in containers"
        if self.refusals:
            summary += f"; not supported: {'; '.join(self.refusal_lines)}"
        return summary

    @property
    def images(self) -> list[str]:
        """The images that tasks name. Those that are built from Dockerfiles have no names yet."""
        return [task.docker_image for task in self.tasks.values() if task.docker_image]

    @property
    def longest_timeout_s(self) -> float:
        """The longest time limit of a build, an agent or a verifier."""
        timeouts_s = [0.0]
        for task in self.tasks.values():
            timeouts_s.append(task.file.environment.build_timeout_sec)
            timeouts_s.append(task.file.agent.timeout_sec)
            timeouts_s.append(task.file.verifier.timeout_sec)
        return max(timeouts_s)


def playable_tasks(
    folder: HarborFolder, settings: ContainerSettings
) -> PlayableHarborTasks:
    """Return the tasks whose variables the user allows, out of those that are supported."""
    tasks = {}
    refusals = dict(folder.refusals)
    for task_id, task in folder.tasks.items():
        missing = missing_variables(task, settings)
        refused = _refused_use(task, settings)
        if missing:
            hint = f"--set env={','.join(missing)}"
            refusals[task_id] = f"it needs variables of this machine: {hint}"
        elif refused:
            refusals[task_id] = refused
        else:
            tasks[task_id] = task
    return PlayableHarborTasks(tasks, refusals)


def _refused_use(task: HarborTask, settings: ContainerSettings) -> str:
    """Return what a task may not have with these settings; empty if nothing.

    A variable of this machine may be one that no container can be given, and a Dockerfile may
    fetch something while builds have no network.
    """
    try:
        if not task.docker_image:
            images_of_build(
                task.build_folder,
                task.files,
                settings.runtime,
                has_network=settings.build_network,
            )
        for values in (task.variables, task.file.agent.env, task.file.verifier.env):
            check_variables(settings.filled_in(values))
    except TaskValueError as error:
        return str(error)
    return ""


# What is done once for a run of a Harbor benchmark, when its first trial begins.
#
# A benchmark is also opened only to list its tasks. Then nothing of this is done.


class HarborRunBeginning:
    """Tells the user what tasks lack on this machine, and finds containers left earlier."""

    def __init__(self, notices: Iterator[str], containers: TrialContainers) -> None:
        """`notices` is read when the first trial begins, and each notice is told once."""
        self._notices = notices
        self._containers = containers
        self._has_begun = False
        self._lock = threading.Lock()

    def begin_once(self, context: BenchmarkContext) -> None:
        """Begin the run if this is its first trial. Other trials wait for it.

        Raises `ContainerError` if containers cannot be listed. The next trial then tries
        again: without the list, a resumed trial's container would be replaced by a new one.
        """
        with self._lock:
            if self._has_begun:
                return
            for notice in self._notices:
                context.notify(notice)
            self._containers.find_earlier()
            self._has_begun = True


def run_notices(
    playable: PlayableHarborTasks,
    settings: ContainerSettings,
    runtime: ContainerRuntime,
) -> Iterator[str]:
    """Yield what the user is told when a run begins: `not played, NAME: it needs GPUs`, ...

    The notices are about tasks, the network, and limits of containers. To find them out takes
    calls of podman or docker, so each notice is made only when it is asked for.
    """
    for line in playable.refusal_lines:
        yield f"not played, {line}"
    tasks = playable.tasks.values()
    yield from network_notices(tasks, settings)
    unenforced = ", ".join(unenforced_limits(runtime.program))
    if unenforced:
        yield f"{runtime.name} cannot limit {unenforced} of containers here"
    yield from disk_notices(tasks, settings)


NAME: Final = "harbor"
LOST_CONTAINERS: Final = ("repeat", "restart")
OPTIONS: Final = (
    *container_settings.OPTIONS,
    BenchmarkOption(
        "lost_container",
        "if a container is gone when a run is resumed: repeat the calls that may have changed "
        "something (the default), or restart the trial",
        LOST_CONTAINERS,
    ),
    BenchmarkOption("reward", "the key of reward.json that is the score"),
    BenchmarkOption(
        "scale",
        "which rewards are scores: those from 0 to 1 (unit, the default), or any finite number",
        ("unit", "any"),
    ),
)
INVALID: Final = error_codes.INVALID_ARGUMENT


class HarborBenchmark(LocalBenchmark):
    """The tasks of one folder. Created for each run; called from many threads at once."""

    def __init__(
        self,
        playable: PlayableHarborTasks,
        runtime: ContainerRuntime,
        settings: HarborSettings,
        context: BenchmarkContext,
    ) -> None:
        super().__init__(NAME, playable.tasks.keys())
        self.solution_player = SolutionPlayer(playable.tasks)
        self._playable = playable
        self._settings = settings
        self._context = context
        self._containers = TrialContainers(runtime, settings.containers)
        notices = run_notices(playable, settings.containers, runtime)
        self._beginning = HarborRunBeginning(notices, self._containers)
        self._grading = TrialGrading(
            settings, self._containers, self.solution_player, context
        )

    def describe(self, preview_seed: int | None = None) -> Description:
        """Return the tasks that can be played. The summary lists the others with their reasons."""
        tasks = self._playable.tasks.values()
        listed_tasks = tuple(
            ListedTask(task.task_id, task.instruction) for task in tasks
        )
        return Description(NAME, self._playable.summary, listed_tasks)

    def generate(self, trial_id: str) -> GeneratedTrial:
        """Find or start a trial's container, and return the trial and its grader.

        A resumed run finds the container of the trial again, with the files that it has
        left there. Raises `BenchmarkError`.
        """
        task_id, run_token = self.parts_of(trial_id)  # The token is that of the run.
        task = self._playable.tasks[task_id]
        agent = task.file.agent  # The table `[agent]` of task.toml.
        opened = self._open_container(task, trial_id, run_token)
        place = opened.command_place(agent, self._settings.containers)
        environment = TerminalEnvironment(opened.container, place, agent.timeout_sec)
        trial = Trial(
            trial_id,
            task_id,
            task.instruction,
            environment,
            # A resumed trial in a fresh container has lost the files of its old one. As the
            # option `lost_container` says, it begins anew, or repeats its recorded calls.
            is_fresh=opened.is_fresh,
            begins_anew=self._settings.restarts_lost_trials,
            time_limit_s=agent.timeout_sec,
        )
        return GeneratedTrial(trial, partial(self._grading.grade, task, opened))

    def _open_container(
        self, task: HarborTask, trial_id: str, run_token: str
    ) -> TrialContainer:
        """Find or start a trial's container; the first one begins the run.

        Raises `BenchmarkError`.
        """
        try:
            self._beginning.begin_once(self._context)
            return self._containers.open(task, trial_id, run_token)
        except ContainerError as error:
            # The trial can be started again. The code FAILED_PRECONDITION would be wrong: it
            # stands for a trial that has ended.
            msg = f"{task.task_id}: {error}"
            raise BenchmarkError(error_codes.INTERNAL, msg) from error
        except CommandInterrupted as error:
            msg = f"{task.task_id}: its container did not start, because the run is being stopped"
            raise BenchmarkError(error_codes.UNAVAILABLE, msg) from error

    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        """Close the run and remove all its containers that are left.

        If these cannot be removed, the user is told; the result counts all the same.
        """
        result = super().submit_run(run_id, force=force)
        try:
            self._containers.remove_all(RunId.of(run_id, self.name).token)
        except ContainerError as error:
            self._context.notify(f"containers of the run may be left: {error}")
        except CommandInterrupted:
            self._context.notify("containers of the run may be left: it was stopped")
        return result

    def close(self) -> None:
        """Stop the containers of open trials. A resumed run starts them again."""
        open_trials = self._runs.open_trials()
        super().close()
        for trial_id in open_trials:
            self._containers.stop(trial_id)


def open_benchmark(
    argument: str, settings: Mapping[str, str], context: BenchmarkContext
) -> OpenedBenchmark:
    """Open the tasks of the folder `argument`.

    `settings` are the user's `--set` options. Raises `BenchmarkError` if the folder is
    missing, if there is neither podman nor docker, or if no task can be played here.
    """
    if not argument:
        raise BenchmarkError(INVALID, f"which folder? Name it as {NAME}:DIR")
    root = Path(argument).expanduser()
    harbor_settings = HarborSettings.parse(settings, os.environ)
    runtime_name = harbor_settings.containers.runtime
    try:
        folder = read_tasks(root)
        runtime = find_runtime(runtime_name, os.environ, context.stop, context.notify)
    except (TaskFileError, ContainerError) as error:
        raise BenchmarkError(INVALID, str(error)) from error
    playable = playable_tasks(folder, harbor_settings.containers)
    if not playable.tasks:
        reasons = "; ".join(playable.refusal_lines)
        msg = f"none of the tasks can be played here: {reasons}"
        raise BenchmarkError(INVALID, msg)

    benchmark = HarborBenchmark(playable, runtime, harbor_settings, context)
    # Users choose a player by its name, in place of a model.
    players: dict[str, Model] = {
        SolutionPlayer.name: benchmark.solution_player,
        IdlePlayer.name: IdlePlayer(),
    }
    return OpenedBenchmark(
        benchmark,
        # A run may be resumed in another working folder, so the whole path is recorded.
        resume_identity=BenchmarkIdentity(f"{NAME}:{root.resolve()}", dict(settings)),
        # Called with the score of a trial that another process has graded.
        ended_elsewhere=benchmark.take_score,
        # Why trials cannot run on other machines, and what the user should do.
        stays_here="its containers are on this machine: leave out --workers",
        # Changes with the files of the tasks, which make the worlds of the trials.
        world_version=folder.digest,
        scale=harbor_settings.scale,
        rebuilds_trials=True,  # If a container is lost, a new one gets the same calls.
        # The tasks' operations differ only in the time limit, which does not matter here.
        tool_schemas=lambda task_ids: [tool_schema_of(agent_timeout_s=0)],
        players=players,
        machine_check=partial(
            container_finding, runtime, harbor_settings.containers, playable.images
        ),
        # A build, an agent's command or a verifier says nothing for so long.
        longest_silence_s=playable.longest_timeout_s + GRACE_S,
    )

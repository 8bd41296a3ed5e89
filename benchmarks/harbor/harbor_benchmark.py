"""The benchmark `harbor:DIR`: tasks in Harbor's format. Each trial has its own container.

The agent works in the container by a shell and files. Then a verifier, which is the task's
own program, runs in the same container and leaves the score there. If a run is stopped,
the containers of open trials stay, and a resumed run goes on in them.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
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
    RunRequest,
    RunResult,
    StartedRun,
    Trial,
)
from controlplane.benchmarks.containers import container_settings
from controlplane.benchmarks.containers.compose_file import (
    LOGS_OF_HOST,
    ComposeError,
    ComposeProject,
    ComposeService,
    compose_file_in,
    read_compose_file,
)
from controlplane.benchmarks.containers.container import CommandInterrupted, Container
from controlplane.benchmarks.containers.container_images import ContainerImages
from controlplane.benchmarks.containers.container_runtime import (
    OWNER_LABEL,
    ContainerRuntime,
    RunBeginning,
    TrialServices,
    container_finding,
    find_runtime,
    owner,
    remove_leftovers,
    unenforced_limits,
    usual_concurrency,
)
from controlplane.benchmarks.containers.container_settings import (
    ContainerError,
    ContainerSettings,
    TaskValueError,
    check_variables,
    fault_of,
    missing_host_variables,
)
from controlplane.benchmarks.containers.set_files import SetFileError, SetFiles
from controlplane.benchmarks.harbor.players import (
    MAKE_SOLUTION_FOLDER,
    IdlePlayer,
    SolutionPlayer,
)
from controlplane.benchmarks.harbor.tasks import (
    MAIN,
    EnvironmentTable,
    FirstFormFile,
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
    TrialContainers,
    container_name,
)
from controlplane.benchmarks.harbor.verifier import TrialGrading
from controlplane.gates.text_folding import encodable
from controlplane.quantity_texts import count_text
from controlplane.sandbox.interface import bounds, error_codes
from controlplane.sandbox.interface.foreign_documents import (
    parse_toml,
    parse_yaml,
)
from controlplane.score_scale import ANY_NUMBER
from controlplane.terminal_text import sanitize
from controlplane.tool_benchmark.local_runs import (
    GeneratedTrial,
    LocalBenchmark,
)

# Features of Harbor's tasks that are not supported here, such as GPUs or several steps.
#
# A task that needs one is left out, with the reason, and the others are played.


def unsupported_feature(task: HarborTask) -> str:
    """Return why a task cannot be played; empty if it can.

    Raises `SetFileError` if one of its files is a link out of the set of tasks.
    """
    return next(_faults(task), "")


def _faults(task: HarborTask) -> Iterator[str]:
    """Yield why a task cannot be played. What comes later may follow from what comes first."""
    file = task.file
    verifier = file.verifier
    if file.steps:
        yield "it has several steps ([[steps]])"
    if task.fault:
        yield task.fault
    if task.files.is_file(task.folder / "trajectory.json"):
        yield "it goes on from an earlier conversation (trajectory.json)"
    for folder in (task.tests_folder, task.solution_folder):
        if task.files.is_file(folder / ".harborignore"):
            yield f"it leaves out files of {folder.name}/ (.harborignore)"

    if verifier.environment_mode == "shared" and verifier.environment is not None:
        yield "its verifier is shared, and has an environment"
    environments = [file.environment]
    if verifier.is_separate:
        environments.append(task.of_verifier.file.environment)
        if compose_file_in(task.tests_folder, task.files, _COMPOSE_FILES) is not None:
            yield "its separate verifier has a compose file"
    networks = [file.agent_network, file.verifier_network]
    hosts = [*file.agent.allowed_hosts, *verifier.allowed_hosts]
    for environment in environments:
        networks.append(environment.network)
        hosts += environment.allowed_hosts
        yield from _faults_of_environment(environment)
    if hosts or "allowlist" in networks:
        yield "it allows a list of hosts (network_mode = allowlist)"
    for network in networks:
        if network not in ("public", "no-network"):
            yield f"its network mode {network!r} is unknown"

    if not task.instruction:
        yield "it has no instruction"
    is_bundled = verifier.is_separate and task.has_bundled_tests
    if not is_bundled and not task.files.is_file(task.test_program):
        yield f"it has no {task.test_program.relative_to(task.folder)}"
    for container in _all_containers(task):
        yield from _faults_of_image(container, task.files)
    services = {MAIN, *(service.name for service in task.project.in_order())}
    collected = [hook.service for hook in verifier.collect]
    collected += [artifact.service for artifact in file.artifacts]
    for name in collected:
        if name not in services:
            yield f"it collects from the service {name[:60]!r}, which is missing"


def _faults_of_environment(environment: EnvironmentTable) -> Iterator[str]:
    """Yield what a task needs of a container that is not supported."""
    if environment.gpus:
        yield "it needs GPUs"
    if environment.tpu is not None:
        yield "it needs TPUs"
    if environment.mcp_servers:
        yield "it has MCP servers"
    if environment.os.lower() != "linux":
        yield f"it runs on {environment.os}"


def _faults_of_image(service: ComposeService, files: SetFiles) -> Iterator[str]:
    """Yield why a service has no image."""
    build = service.build
    if build is not None:
        if not build.inline and not files.is_file(build.folder / build.dockerfile):
            name = f"{build.folder.name}/{build.dockerfile}"
            yield f"it has neither {name} nor docker_image"
        files.check_build(build.folder)
    elif not service.image:
        yield f"its service {service.name} has neither build nor the name of an image"


def _all_containers(task: HarborTask) -> list[ComposeService]:
    """Return all containers of a task: the agent's, one of the verifier's own, and the others."""
    containers = [task.main]
    if task.file.verifier.is_separate:
        containers.append(task.of_verifier.main)
    return [*containers, *task.project.sidecars]


# Reads the tasks of a folder in Harbor's format.
#
# Each task is a folder with `task.toml`, `instruction.md` and other parts; those of Terminal-Bench's
# first form have `task.yaml`, `run-tests.sh`, `solution.sh` and a Dockerfile. If a task needs an
# unsupported feature, the reason is reported, and the other tasks can still be played.

_TASK_FILE: Final = "task.toml"
_FIRST_FORM_FILE: Final = "task.yaml"
_COMPOSE_FILES: Final = (
    "docker-compose.yaml",
    "docker-compose.yml",
    "compose.yaml",
    "compose.yml",
)
"""The compose files of a task: the first one is that which Harbor takes."""
_FIRST_FORM_MAIN: Final = "client"
"""The service of the agent in the compose file of a task of the first form."""
_DATASET_FILE: Final = "dataset.toml"
"""The list of a set's tasks, if it has one."""
_MOST_DEPTH: Final = 4
"""How far below the folder of a set its tasks may be."""
_MOST_TASKS: Final = 20_000
_TASK_NAME: Final = re2.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


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
    """A hash over the files of all tasks that are supported."""
    fault: str = ""
    """Why no run can begin: no task can be played here. Empty if one can."""

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
        images = []
        for task in self.tasks.values():
            images += [service.image for service in _all_containers(task)]
        return [image for image in images if image]

    @property
    def longest_timeout_s(self) -> float:
        """The longest time limit of a build, an agent or a verifier."""
        timeouts_s = [0.0]
        for task in self.tasks.values():
            timeouts_s.append(task.file.environment.build_timeout_sec)
            timeouts_s.append(task.file.agent.timeout_sec or 0.0)
            timeouts_s.append(task.file.verifier.timeout_sec)
        return max(timeouts_s)


def read_tasks(root: Path) -> HarborFolder:
    """Return the tasks in a folder; only one if the folder itself is a task's.

    Raises `TaskFileError` if there is none. A task that cannot be read is among the refusals.
    """
    tasks: dict[str, HarborTask] = {}
    refusals: dict[str, str] = {}
    digest = hashlib.sha256()
    root, listed = _listed_tasks(root)
    files = SetFiles.of(root)
    unfound = set(listed)
    for task_id, folder in _task_folders(root, files).items():
        # Anybody may have written a task. A faulty one is told by name, and the others are played.
        names = {task_id, folder.name}
        unfound -= names
        try:
            if listed and not names & listed:
                msg = f"{_DATASET_FILE} does not list it"
                raise TaskFileError(msg)
            task = _supported_task(folder, task_id, files)
            digest.update(files.digest(task.folder).encode())
            tasks[task_id] = task
        except (TaskFileError, SetFileError, OSError) as error:
            name = sanitize(task_id)[: bounds.MOST_NAME_CHARS]
            reason = " ".join(sanitize(str(error)).split())
            refusals[name] = reason[: bounds.SHOWN_FAULT_CHARS]
    for name in sorted(unfound):
        refusals[name] = f"{_DATASET_FILE} lists it, and no folder has it"
    return HarborFolder(tasks, refusals, digest.hexdigest())


def _supported_task(folder: Path, task_id: str, files: SetFiles) -> HarborTask:
    """Return the task in a folder. Raises `TaskFileError` if it cannot be played."""
    if not _TASK_NAME.fullmatch(encodable(task_id)):
        msg = "its folder is not named with letters, digits, '.', '_' and '-'"
        raise TaskFileError(msg)
    task = read_task(folder, task_id, files)
    reason = unsupported_feature(task)
    if reason:
        raise TaskFileError(reason)
    return task


def _listed_tasks(root: Path) -> tuple[Path, set[str]]:
    """Return the folder of a set, and the names of the tasks that its list has; none without a list.

    The list is a file `dataset.toml`, which may be named in place of its folder:

        [[tasks]]
        name = "org/hello"

    Raises `TaskFileError` for a list that cannot be read.
    """
    folder = root.parent if root.name == _DATASET_FILE else root
    path = folder / _DATASET_FILE
    if not path.is_file():
        return root, set()
    try:
        content = SetFiles.of(folder).read(path, bounds.MOST_TEXT_BYTES) or b""
        entries = parse_toml(content.decode("utf-8"), refuses_nul=True).get("tasks", ())
        return folder, {str(entry["name"]).rpartition("/")[2] for entry in entries}
    except (ValueError, TypeError, KeyError) as error:
        msg = f"{path}: it cannot be read: {error}"
        raise TaskFileError(msg) from error


def _task_folders(root: Path, files: SetFiles) -> dict[str, Path]:
    """Return the folders with a task by their ids: `root` itself, or else those below it.

    An id is the name of the folder, or its whole path with dots if several have that name. Raises
    `TaskFileError` if there is none.
    """
    if _is_task(root):
        # The root may be named as `.`, but a folder in it has its own name, also if it is a link.
        return {files.root.name: root}
    folders: list[Path] = []
    for top, names, _ in os.walk(root):
        # Links are not entered, and a folder of a task is not either.
        found = [Path(top, name) for name in names if _is_task(Path(top, name))]
        folders += found
        is_deep = len(Path(top).relative_to(root).parts) == _MOST_DEPTH
        if is_deep or len(folders) >= _MOST_TASKS:
            names.clear()
        names[:] = {*names} - {path.name for path in found}
    if not folders:
        msg = f"no folder in {root} has a {_TASK_FILE} or a {_FIRST_FORM_FILE}"
        raise TaskFileError(msg)
    counts = Counter(path.name for path in folders)
    by_id = {}
    for path in sorted(folders):
        is_only = counts[path.name] == 1
        by_id[path.name if is_only else ".".join(path.relative_to(root).parts)] = path
    return by_id


def _is_task(folder: Path) -> bool:
    return (folder / _TASK_FILE).is_file() or (folder / _FIRST_FORM_FILE).is_file()


def read_task(folder: Path, task_id: str, files: SetFiles | None = None) -> HarborTask:
    """Read the task in a folder. Raises `TaskFileError` that names the file and key.

    `files` is the set of tasks to which it belongs; without one, the folder is all of it.
    Raises `SetFileError` for a file that is too large, or that is a link out of the set.

    A compose file with unsupported parts raises nothing: the task notes it as its
    `fault`, so that it can be listed with the reason why it cannot be played.
    """
    files = files or SetFiles.of(folder)
    has_first_form = not files.is_file(folder / _TASK_FILE)
    path = folder / (_FIRST_FORM_FILE if has_first_form else _TASK_FILE)
    real_folder = files.resolve(folder)
    try:
        text = (files.read(path, bounds.MOST_TEXT_BYTES) or b"").decode("utf-8")
        if has_first_form:
            first = FirstFormFile.model_validate(parse_yaml(text, refuses_nul=True))
            file, fault, instruction = first.file, first.fault, first.instruction
        else:
            file = HarborTaskFile.model_validate(parse_toml(text, refuses_nul=True))
            fault = ""
            named = files.read(folder / "instruction.md", bounds.MOST_TEXT_BYTES)
            instruction = (named or b"").decode("utf-8", "replace")
    except SetFileError:
        raise
    except ValueError as error:
        reason = fault_of(error) if isinstance(error, ValidationError) else error
        msg = f"{path}: {reason}"
        raise TaskFileError(msg) from error
    task = HarborTask(
        task_id=task_id,
        folder=real_folder,
        files=files,
        instruction=instruction.strip(),
        file=file,
        environment_folder=real_folder
        if has_first_form
        else real_folder / "environment",
        fault=fault,
        has_first_form=has_first_form,
    )
    skills_folder = task.file.environment.skills_dir
    if skills_folder:
        hint = f"Texts that help with this work are in {skills_folder}."
        task = replace(task, instruction=f"{task.instruction}\n\n{hint}")
    return _with_compose_file(task)


def _with_compose_file(task: HarborTask) -> HarborTask:
    """Return a task with the services of its compose file, if it has one."""
    files = task.files
    compose_path = compose_file_in(task.environment_folder, files, _COMPOSE_FILES)
    if compose_path is None:
        return task
    try:
        services = read_compose_file(
            compose_path,
            files,
            _known_variables(task),
            build_top=task.environment_folder,
        )
    except ComposeError as error:
        return replace(task, fault=str(error))
    main_name = _FIRST_FORM_MAIN if task.has_first_form else MAIN
    if main_name not in services and len(services) == 1 and not _has_own_image(task):
        (main_name,) = services  # An older task names its only service as it likes.
    if main_name not in services and task.has_first_form:
        fault = f"{compose_path.name}: none of its services is named {main_name}"
        return replace(task, fault=fault)
    return replace(task, compose=ComposeProject(services, main_name))


_FIRST_FORM_VARIABLES: Final = {
    "COMPOSE_PROJECT_NAME": "controlplane-task",
    "T_BENCH_TASK_DOCKER_CLIENT_IMAGE_NAME": "controlplane-task",
    "T_BENCH_TASK_DOCKER_CLIENT_CONTAINER_NAME": "controlplane-task",
    "T_BENCH_TASK_DOCKER_NAME_PREFIX": "controlplane-task",
    "T_BENCH_TEST_DIR": "/tests",
    "T_BENCH_TASK_LOGS_PATH": LOGS_OF_HOST,
    "T_BENCH_CONTAINER_LOGS_PATH": "/logs",
    "T_BENCH_TASK_AGENT_LOGS_PATH": LOGS_OF_HOST,
    "T_BENCH_CONTAINER_AGENT_LOGS_PATH": "/agent-logs",
}
"""What Terminal-Bench gives a compose file of the first form, as it is here."""


def _has_own_image(task: HarborTask) -> bool:
    """Return True if the agent's container has an image without a compose file.

    In the first form, the Dockerfile is that of a service.
    """
    if task.has_first_form:
        return False
    has_dockerfile = task.files.is_file(task.environment_folder / "Dockerfile")
    return bool(task.file.environment.docker_image) or has_dockerfile


def _known_variables(task: HarborTask) -> dict[str, str]:
    """Return the variables of a compose file that Harbor gives it, as they are here."""
    if task.has_first_form:
        return _FIRST_FORM_VARIABLES
    environment = task.file.environment
    known = {
        "CONTEXT_DIR": ".",
        "MAIN_IMAGE_NAME": "controlplane-task",
        "PREBUILT_IMAGE_NAME": environment.docker_image,
        "CPUS": f"{environment.cpus:g}",
        "MEMORY": environment.memory or "0",
        "TEST_DIR": "/tests",
    }
    for kind in ("VERIFIER_LOGS", "AGENT_LOGS", "ARTIFACTS"):
        folder = kind.partition("_")[0].lower()
        known[f"HOST_{kind}_PATH"] = LOGS_OF_HOST
        known[f"ENV_{kind}_PATH"] = f"/logs/{folder}"
    plain = {name: value for name, value in environment.env.items() if "$" not in value}
    return plain | known


# Finds the tasks of a folder that can be played here, and why the others cannot.
#
# A task cannot be played if it needs a feature that is not supported, or a variable of this
# machine, such as a key, that the user has not allowed.


class _NoImages(TaskValueError):
    """The images of a task are not on this machine."""


def playable_tasks(folder: HarborFolder, images: ContainerImages) -> HarborFolder:
    """Return a folder of whose supported tasks only those are left that can be played here.

    Their variables are allowed by the user, and their images are on this machine, or may be pulled.
    If none is left, those that only lack their images stay: they can be listed, and `doctor` can look
    at the machine, but no run begins. Raises `ContainerError`.
    """
    tasks = {}
    without_images = {}
    refusals = dict(folder.refusals)
    for task_id, task in folder.tasks.items():
        try:
            _check_playable(task, images)
            tasks[task_id] = task
        except TaskValueError as error:
            refusals[task_id] = str(error)
            if isinstance(error, _NoImages):
                without_images[task_id] = task
    playable = replace(folder, tasks=tasks, refusals=refusals)
    if tasks:
        return playable
    fault = f"none of the tasks can be played here: {'; '.join(playable.refusal_lines)}"
    return replace(playable, tasks=without_images, fault=fault)


def _check_playable(task: HarborTask, images: ContainerImages) -> None:
    """Raise `TaskValueError` if a task lacks a variable or an image here, or a value is refused."""
    settings = images.settings
    containers = _all_containers(task)
    tables = [task.file.agent.env, task.file.verifier.env]
    tables += [service.variables for service in containers]
    missing: set[str] = set()
    for values in tables:
        missing.update(missing_host_variables(values, settings.variables))
    if missing:
        hint = f"--set env={','.join(sorted(missing))}"
        msg = f"it needs variables of this machine: {hint}"
        raise TaskValueError(msg)
    needed: list[str] = []
    for service in containers:
        needed += images.needed_by(service, task.files)
    for values in tables:
        check_variables(settings.filled_in(values))
    absent = [
        image
        for image in dict.fromkeys(needed)
        if not settings.may_pull and not images.had_image(image)
    ]
    if absent:
        msg = f"not on this machine: {', '.join(absent)} (--set pull=true pulls it)"
        raise _NoImages(msg)


# What the user is told when a run begins.


def _run_notices(playable: HarborFolder, runtime: ContainerRuntime) -> Iterator[str]:
    """Yield what the user is told when a run begins: `not played, NAME: it needs GPUs`, ...

    To find out the limits takes a call of podman or docker, so each notice is made only when it is
    asked for. Tasks that this machine or the settings do not fully support are played all the same,
    but may fail for a reason that is not the agent's.
    """
    for line in playable.refusal_lines:
        yield f"not played, {line}"
    tasks = playable.tasks.values()
    settings = runtime.settings
    allowed: dict[Phase, bool] = {
        "agent": settings.agent_network,
        "verifier": settings.verifier_network,
    }
    for phase, is_allowed in allowed.items():
        count = sum(task.asks_for_network(phase) for task in tasks)
        if count and not is_allowed:
            yield (
                f"the network is off while {phase}s work, but wanted by {count_text(count, 'task')}, "
                f"which may get no reward without it: --set network=task, or {phase}_network=task, allows it"
            )
    unenforced = ", ".join(unenforced_limits(runtime.program))
    if unenforced:
        yield f"{runtime.name} cannot limit {unenforced} of containers here"
    count = sum(task.file.environment.storage_mb > 0 for task in tasks)
    if count and not settings.storage:
        yield (
            f"the disk size that {count_text(count, 'task')} asked for is not enforced: "
            "--set storage=SIZE limits it where the storage driver can"
        )
    for task in tasks:
        for note in task.compose.notes:
            yield f"{task.task_id}: {note}"


NAME: Final = "harbor"
_LOST_CONTAINERS: Final = ("repeat", "restart")
OPTIONS: Final = (
    *container_settings.OPTIONS,
    BenchmarkOption(
        "lost_container",
        "if a container is gone when a run is resumed: repeat the calls that may have changed "
        "something (the default), or restart the trial",
        _LOST_CONTAINERS,
    ),
    BenchmarkOption("reward", "the key of reward.json that is the score"),
)
_INVALID: Final = error_codes.INVALID_ARGUMENT


class _HarborBenchmark(LocalBenchmark):
    """The tasks of one folder. Created for each run; called from many threads at once."""

    def __init__(
        self,
        playable: HarborFolder,
        runtime: ContainerRuntime,
        options: Mapping[str, str],
        context: BenchmarkContext,
    ) -> None:
        """Create it. `options` are the user's."""
        super().__init__(NAME, playable.tasks.keys())
        self.solution_player = SolutionPlayer(playable.tasks, self._prepare_solution)
        self._runtime = runtime
        self._playable = playable
        self._restarts_lost_trials = options.get("lost_container") == "restart"
        self._context = context
        self._containers = TrialContainers(runtime)
        notices = _run_notices(playable, runtime)
        self._beginning = RunBeginning(notices, self._containers.find_earlier)
        self._grading = TrialGrading(
            options.get("reward", ""), self._containers, self.solution_player, context
        )

    def start_run(self, request: RunRequest) -> StartedRun:
        """Start a run. Raises `BenchmarkError` if the images of all tasks are missing."""
        if self._playable.fault:
            raise BenchmarkError(_INVALID, self._playable.fault)
        return super().start_run(request)

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
        place = self._containers.place(opened.main, agent)
        # Without a limit of its own, the trial's holds alone, and ends each command, too.
        limit_s = agent.timeout_sec or bounds.LONGEST_S
        environment = TerminalEnvironment(opened.main, place, limit_s)
        trial = Trial(
            trial_id,
            task_id,
            task.instruction,
            environment,
            # A resumed trial in a fresh container has lost the files of its old one. As the
            # option `lost_container` says, it begins anew, or repeats its recorded calls.
            is_fresh=opened.is_fresh,
            begins_anew=self._restarts_lost_trials,
            time_limit_s=agent.timeout_sec or 0.0,
        )
        grade = partial(self._grading.grade, task, opened, trial_id, run_token)
        return GeneratedTrial(trial, grade)

    def _prepare_solution(self, trial_id: str) -> None:
        """Make the folder of the solution in the container of a trial."""
        container = Container(self._runtime.program, container_name(trial_id))
        with suppress(ContainerError, CommandInterrupted):
            container.script(MAKE_SOLUTION_FOLDER)

    def _open_container(
        self, task: HarborTask, trial_id: str, run_token: str
    ) -> TrialServices:
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
            _, token = self.parts_of_run(run_id)
            left = self._containers.remove_all(token)
            if left:
                self._context.notify(
                    f"other runs have left {count_text(left, 'container')} on this machine: "
                    "`controlplane benchmarks clean harbor --open-trials` removes them"
                )
        except (ContainerError, CommandInterrupted) as error:
            reason = str(error) or "it was stopped"
            self._context.notify(f"containers of the run may be left: {reason}")
        return result

    def close(self) -> None:
        """Stop the containers of open trials. A resumed run starts them again."""
        open_trials = self.open_trials()
        super().close()
        for trial_id in open_trials:
            task_id, _token = self.parts_of(trial_id)
            self._containers.stop(self._playable.tasks[task_id], trial_id)


def clean_up(settings: Mapping[str, str], *, open_trials: bool) -> Iterator[str]:
    """Remove built images, and containers of ended trials, and yield a line for each part.

    With `open_trials`, all containers go, with their networks and volumes. Raises `BenchmarkError`.
    """
    containers = ContainerSettings.parse(settings, os.environ)
    labels = {OWNER_LABEL: owner()}
    try:
        runtime = find_runtime(containers, os.environ)
        if open_trials:
            count = runtime.remove_labelled(labels)
            yield f"{count_text(count, 'container')} and networks were removed"
        left = len(remove_leftovers(runtime))
        if left:
            yield (
                f"{count_text(left, 'trial')} that did not end keep their containers: "
                "--open-trials removes them"
            )
        image_count = runtime.images.remove_built()
    except ContainerError as error:
        raise BenchmarkError(_INVALID, str(error)) from error
    yield f"removed: {count_text(image_count, 'image')} built for tasks"


def open_benchmark(
    argument: str, settings: Mapping[str, str], context: BenchmarkContext
) -> OpenedBenchmark:
    """Open the tasks of the folder `argument`.

    `settings` are the user's `--set` options. Raises `BenchmarkError` if the folder is
    missing, if there is neither podman nor docker, or if no task can be played here.
    """
    if not argument:
        raise BenchmarkError(_INVALID, f"which folder? Name it as {NAME}:DIR")
    root = Path(argument).expanduser()
    containers = ContainerSettings.parse(settings, os.environ)
    try:
        folder = read_tasks(root)
        runtime = find_runtime(containers, os.environ, context.stop, context.notify)
        playable = playable_tasks(folder, runtime.images)
    except (TaskFileError, ContainerError) as error:
        raise BenchmarkError(_INVALID, str(error)) from error
    if not playable.tasks:
        raise BenchmarkError(_INVALID, playable.fault)

    benchmark = _HarborBenchmark(playable, runtime, settings, context)
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
        world_version=playable.digest,
        scale=ANY_NUMBER,
        rebuilds_trials=True,  # If a container is lost, a new one gets the same calls.
        # The tasks' operations differ only in the time limit, which does not matter here.
        tool_schemas=lambda task_ids: [tool_schema_of(agent_timeout_s=0)],
        players=players,
        machine_check=partial(container_finding, runtime, playable.images),
        usual_concurrency=usual_concurrency(
            max(task.file.environment.memory_mb for task in playable.tasks.values())
        ),
        # A build, an agent's command or a verifier says nothing for so long.
        longest_silence_s=playable.longest_timeout_s + GRACE_S,
    )

"""Read tasks in Harbor's format: a folder with `task.toml`, `instruction.md` and other parts.

The format is that of Harbor's documentation. If a task needs an unsupported feature, the
reason is reported, and the other tasks can still be played.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias

import re2
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from controlplane.benchmarks.containers.compose_file import (
    ComposeError,
    ComposeService,
    compose_file_in,
    read_compose_file,
)
from controlplane.benchmarks.containers.container_images import folder_digest

TASK_FILE: Final = "task.toml"
Phase: TypeAlias = Literal["agent", "verifier"]
MB_PER_GB: Final = 1024.0
SIZE_UNITS_MB: Final = {"M": 1.0, "G": MB_PER_GB, "T": MB_PER_GB * 1024}
SIZE: Final = re2.compile(r"\s*(\d+(?:\.\d+)?)\s*([MGTmgt])i?[Bb]?\s*")
"""A size as older task files write it, such as `4G`, `4Gi` or `512 MB`."""
TASK_NAME: Final = re2.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class TaskFileError(ValueError):
    """A task's files do not follow the format. The message names the file and key."""


class Table(BaseModel):
    """A table of task.toml. Unknown keys are ignored, as in Harbor."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Healthcheck(Table):
    """A command that succeeds when the environment is ready for the agent."""

    command: str
    interval_sec: Annotated[float, Field(ge=0)] = 5.0
    timeout_sec: Annotated[float, Field(gt=0)] = 30.0
    start_period_sec: Annotated[float, Field(ge=0)] = 0.0
    start_interval_sec: Annotated[float, Field(ge=0)] = 5.0
    retries: Annotated[int, Field(ge=1)] = 3


class PhaseTable(Table):
    """The keys that `[agent]` and `[verifier]` share."""

    timeout_sec: Annotated[float, Field(gt=0)] = 600.0
    user: str | int = ""
    network_mode: str = ""
    """Empty to use the environment's mode."""
    env: dict[str, str] = Field(default_factory=dict)


class VerifierTable(PhaseTable):
    """The table `[verifier]`."""

    environment_mode: str = "shared"
    environment: dict[str, Any] | None = None


class EnvironmentTable(Table):
    """The table `[environment]`.

    Older task files have `memory`, `storage` and `allow_internet`
    instead of `memory_mb`, `storage_mb` and `network_mode`.
    """

    build_timeout_sec: Annotated[float, Field(gt=0)] = 600.0
    docker_image: str = ""
    workdir: str = ""
    cpus: Annotated[float, Field(ge=0)] = 0.0
    memory_mb: Annotated[float, Field(ge=0)] = 0.0
    storage_mb: Annotated[float, Field(ge=0)] = 0.0
    memory: str = ""
    storage: str = ""
    gpus: int = 0
    network_mode: str = ""
    allow_internet: bool | None = None
    mcp_servers: list[dict[str, Any]] = Field(default_factory=list)
    env: dict[str, str] = Field(default_factory=dict)
    healthcheck: Healthcheck | None = None
    os: str = "linux"


class SolutionTable(Table):
    """The table `[solution]`."""

    env: dict[str, str] = Field(default_factory=dict)


class TaskFile(Table):
    """The contents of a task.toml."""

    environment: EnvironmentTable = EnvironmentTable()
    agent: PhaseTable = PhaseTable()
    verifier: VerifierTable = VerifierTable()
    solution: SolutionTable = SolutionTable()
    steps: list[dict[str, Any]] = Field(default_factory=list)

    @property
    def default_network(self) -> str:
        """The network mode of phases that do not name one. Harbor's default is `public`."""
        if self.environment.network_mode:
            return self.environment.network_mode
        if self.environment.allow_internet is False:
            return "no-network"
        return "public"

    @property
    def agent_network(self) -> str:
        """The network mode while the agent works."""
        return self.agent.network_mode or self.default_network

    @property
    def verifier_network(self) -> str:
        """The network mode while the verifier runs."""
        return self.verifier.network_mode or self.default_network


@dataclass(frozen=True, slots=True)
class HarborTask:
    """One task: its task.toml, instruction and folders."""

    task_id: str
    folder: Path
    instruction: str
    file: TaskFile
    memory_mb: float
    storage_mb: float
    service: ComposeService | None = None
    """The container that its compose file describes; None if it has no compose file."""
    compose_fault: str = ""
    """Why its compose file is not supported; empty if it is."""

    @property
    def docker_image(self) -> str:
        """The image to use; empty if the image is built from a Dockerfile."""
        if self.file.environment.docker_image:
            return self.file.environment.docker_image
        if self.service is not None:
            return self.service.image
        return ""

    @property
    def build_folder(self) -> Path:
        """The folder with the Dockerfile from which the image is built."""
        if self.service is not None and self.service.build_folder is not None:
            return self.service.build_folder
        return self.environment_folder

    @property
    def workdir(self) -> str:
        """The working directory that the task names; empty to use the image's."""
        if self.file.environment.workdir:
            return self.file.environment.workdir
        if self.service is not None:
            return self.service.workdir
        return ""

    @property
    def cpus(self) -> float:
        """The number of cores that the task asks for; 0 if it does not say."""
        if self.file.environment.cpus:
            return self.file.environment.cpus
        if self.service is not None:
            return self.service.cpus
        return 0.0

    def wants_network(self, phase: Phase) -> bool:
        """Return True if the task asks for a network in this phase."""
        if self.service is not None and not self.service.has_network:
            return False
        if phase == "agent":
            return self.file.agent_network == "public"
        return self.file.verifier_network == "public"

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables of its container, including those of the compose file."""
        variables = dict(self.service.variables) if self.service is not None else {}
        return variables | self.file.environment.env

    @property
    def environment_folder(self) -> Path:
        """The folder with the Dockerfile or the compose file."""
        return self.folder / "environment"

    @property
    def tests_folder(self) -> Path:
        """The folder with the verifier."""
        return self.folder / "tests"

    @property
    def solution_folder(self) -> Path:
        """The folder with the reference solution."""
        return self.folder / "solution"


@dataclass(frozen=True, slots=True)
class TaskFolder:
    """The tasks of a folder."""

    tasks: Mapping[str, HarborTask]
    """The tasks that can be played, by id."""
    refusals: Mapping[str, str]
    """Why the other tasks cannot be played, by id."""
    digest: str
    """A hash over the files of all tasks."""


def read_tasks(root: Path) -> TaskFolder:
    """Return the tasks in a folder; only one if the folder itself is a task's.

    Raises `TaskFileError`.
    """
    if (root / TASK_FILE).is_file():
        folders = [root]
    elif root.is_dir():
        folders = sorted(path.parent for path in root.glob(f"*/{TASK_FILE}"))
    else:
        msg = f"{root} is not a folder"
        raise TaskFileError(msg)
    if not folders:
        msg = f"no folder in {root} has a {TASK_FILE}"
        raise TaskFileError(msg)

    tasks = {}
    refusals = {}
    digest = hashlib.sha256()
    for folder in folders:
        task_id = folder.resolve().name
        if not TASK_NAME.fullmatch(task_id):
            msg = f"{folder}: a task's folder is named with letters, digits, '.', '_' and '-'"
            raise TaskFileError(msg)
        task = read_task(folder, task_id)
        reason = unsupported_feature(task)
        if reason:
            refusals[task_id] = reason
        else:
            tasks[task_id] = task
        digest.update(folder_digest(folder).encode())
    return TaskFolder(tasks, refusals, digest.hexdigest())


def read_task(folder: Path, task_id: str) -> HarborTask:
    """Read the task in a folder. Raises `TaskFileError` that names the file and key."""
    path = folder / TASK_FILE
    try:
        text = path.read_text(encoding="utf-8")
        file = TaskFile.model_validate(tomllib.loads(text))
        # Older task files have a text, such as `4G`. For other texts, such as `much`,
        # `megabytes` raises `ValueError`.
        memory_mb = file.environment.memory_mb or megabytes(file.environment.memory)
        storage_mb = file.environment.storage_mb or megabytes(file.environment.storage)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in fault["loc"])
        msg = f"{path}: {key}: {fault['msg']}"
        raise TaskFileError(msg) from None
    except (OSError, ValueError) as error:
        msg = f"{path}: {error}"
        raise TaskFileError(msg) from error

    instruction = ""
    instruction_path = folder / "instruction.md"
    if instruction_path.is_file():
        instruction = instruction_path.read_text(
            encoding="utf-8", errors="replace"
        ).strip()
    service = None
    compose_fault = ""
    compose_path = compose_file_in(folder.resolve() / "environment")
    if compose_path is not None:
        try:
            service = read_compose_file(compose_path)
        except ComposeError as error:
            compose_fault = str(error)
    return HarborTask(
        task_id,
        folder.resolve(),
        instruction,
        file,
        memory_mb,
        storage_mb,
        service,
        compose_fault,
    )


def unsupported_feature(task: HarborTask) -> str:
    """Return why a task cannot be played; empty if it can."""
    file = task.file
    if file.steps:
        return "it has several steps"
    if task.compose_fault:
        return task.compose_fault
    if (
        file.verifier.environment_mode == "separate"
        or file.verifier.environment is not None
    ):
        return "its verifier runs in a separate environment"
    networks = (file.default_network, file.agent_network, file.verifier_network)
    if "allowlist" in networks:
        return "it allows a list of hosts (network_mode = allowlist)"
    for network in networks:
        if network not in ("public", "no-network"):
            return f"its network mode {network!r} is unknown"
    if file.environment.gpus:
        return "it needs GPUs"
    if file.environment.mcp_servers:
        return "it has MCP servers"
    if file.environment.os != "linux":
        return f"it runs on {file.environment.os}"
    if not task.instruction:
        return "it has no instruction.md"
    if not (task.tests_folder / "test.sh").is_file():
        return "it has no tests/test.sh"
    has_dockerfile = (task.build_folder / "Dockerfile").is_file()
    if not task.docker_image and not has_dockerfile:
        return "it has neither environment/Dockerfile nor docker_image"
    return ""


def megabytes(text: str) -> float:
    """Return a size such as `4G` in MB; 0 for an empty text. Raises `ValueError`."""
    if not text:
        return 0.0
    match = SIZE.fullmatch(text)
    if match is None:
        msg = f"{text!r} is not a size such as 512M or 4G"
        raise ValueError(msg)
    return float(match[1]) * SIZE_UNITS_MB[str(match[2]).upper()]

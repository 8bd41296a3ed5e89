"""The tasks of a folder in Harbor's format: their files, and which can be played here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from controlplane.benchmarks.containers.compose_file import ComposeService
from controlplane.benchmarks.containers.set_files import SetFiles
from controlplane.sandbox.interface import bounds

# The tables of a task.toml in Harbor's format.
#
# For example:
#
#     [environment]
#     docker_image = "python:3.13"
#
#     [verifier]
#     timeout_sec = 120


def _at_most_longest(seconds: float) -> float:
    return min(seconds, bounds.LONGEST_S)


_Capped: Final = AfterValidator(_at_most_longest)
"""Seconds that the system's timers can wait. A task that names more waits as long as that."""


class TaskTable(BaseModel):
    """A table of task.toml. Unknown keys are ignored, as in Harbor."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class Healthcheck(TaskTable):
    """A command that succeeds when the environment is ready for the agent."""

    command: str
    interval_sec: Annotated[float, Field(ge=0), _Capped] = 5.0
    timeout_sec: Annotated[float, Field(gt=0), _Capped] = 30.0
    start_period_sec: Annotated[float, Field(ge=0), _Capped] = 0.0
    start_interval_sec: Annotated[float, Field(ge=0), _Capped] = 5.0
    retries: Annotated[int, Field(ge=1)] = 3


class PhaseTable(TaskTable):
    """The keys that `[agent]` and `[verifier]` share."""

    timeout_sec: Annotated[float, Field(gt=0), _Capped] = 600.0
    user: str | int = ""
    """The user of the commands; empty for the image's."""
    network_mode: str = ""
    """Empty to use the environment's mode."""
    env: dict[str, str] = Field(default_factory=dict)
    """Environment variables of the commands. `${NAME}` is a variable of this machine."""


class _VerifierTable(PhaseTable):
    """The table `[verifier]`."""

    environment_mode: str = "shared"
    environment: dict[str, Any] | None = None


class _EnvironmentTable(TaskTable):
    """The table `[environment]`: the container of the task.

    A number of 0 and an empty text mean that the file does not say. Older task files have
    `memory`, `storage` and `allow_internet` instead of `memory_mb`, `storage_mb` and
    `network_mode`.
    """

    build_timeout_sec: Annotated[float, Field(gt=0), _Capped] = 600.0
    docker_image: str = ""
    workdir: str = ""
    cpus: Annotated[float, Field(ge=0)] = 0.0
    memory_mb: Annotated[float, Field(ge=0)] = 0.0
    storage_mb: Annotated[float, Field(ge=0)] = 0.0
    memory: str = ""
    """A size such as `4G`."""
    storage: str = ""
    """A size such as `10G`."""
    gpus: int = 0
    network_mode: str = ""
    """`public`, `no-network` or `allowlist`."""
    allow_internet: bool | None = None
    """False for `no-network`."""
    mcp_servers: list[dict[str, Any]] = Field(default_factory=list)
    env: dict[str, str] = Field(default_factory=dict)
    healthcheck: Healthcheck | None = None
    os: str = "linux"


class _SolutionTable(TaskTable):
    """The table `[solution]`."""

    env: dict[str, str] = Field(default_factory=dict)


class HarborTaskFile(TaskTable):
    """The contents of a task.toml."""

    environment: _EnvironmentTable = _EnvironmentTable()
    agent: PhaseTable = PhaseTable()
    verifier: _VerifierTable = _VerifierTable()
    solution: _SolutionTable = _SolutionTable()
    steps: list[dict[str, Any]] = Field(default_factory=list)
    """The parts of a task with several instructions. Such a task is not supported."""

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


# One task in Harbor's format: the container that it wants, and where its parts are.
#
# The file task.toml describes the container. An older task may have a compose file, too,
# which then says what task.toml leaves open.

Phase: TypeAlias = Literal["agent", "verifier"]
NO_SERVICE: Final = ComposeService()
"""The service of a task without a compose file: it names no image, limit or variable."""


@dataclass(frozen=True, slots=True)
class HarborTask:
    """One task: its task.toml, instruction and folders."""

    task_id: str
    folder: Path
    files: SetFiles
    """The set of tasks to which it belongs. Its files are read by this alone."""
    instruction: str
    file: HarborTaskFile
    memory_mb: float
    """The memory that task.toml asks for; 0 if it does not say."""
    storage_mb: float
    """The disk size that task.toml asks for; 0 if it does not say."""
    service: ComposeService = NO_SERVICE
    """The container that its compose file describes. What task.toml says goes first."""
    compose_fault: str = ""
    """Why its compose file is not supported; empty if it is."""

    @property
    def docker_image(self) -> str:
        """The image to use; empty if the image is built from a Dockerfile."""
        return self.file.environment.docker_image or self.service.image

    @property
    def build_folder(self) -> Path:
        """The folder with the Dockerfile from which the image is built."""
        return self.service.build_folder or self.environment_folder

    @property
    def workdir(self) -> str:
        """The working directory that the task names; empty to use the image's."""
        return self.file.environment.workdir or self.service.workdir

    @property
    def cpus(self) -> float:
        """The number of cores that the task asks for; 0 if it does not say."""
        return self.file.environment.cpus or self.service.cpus

    @property
    def memory(self) -> str:
        """The memory that the task asks for, as `2048m`; empty if it does not say."""
        if self.memory_mb:
            return f"{self.memory_mb:.0f}m"
        return self.service.memory

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables of its container, including those of the compose file."""
        return dict(self.service.variables) | self.file.environment.env

    def wants_network(self, phase: Phase) -> bool:
        """Return True if the task asks for a network in this phase."""
        if not self.service.has_network:
            return False
        if phase == "agent":
            return self.file.agent_network == "public"
        return self.file.verifier_network == "public"

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

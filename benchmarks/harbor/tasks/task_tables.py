"""The tables of a task.toml in Harbor's format.

For example:

    [environment]
    docker_image = "python:3.13"

    [verifier]
    timeout_sec = 120
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from controlplane.sandbox.interface import bounds


def _at_most_longest(seconds: float) -> float:
    return min(seconds, bounds.LONGEST_S)


Capped: Final = AfterValidator(_at_most_longest)
"""Seconds that the system's timers can wait. A task that names more waits as long as that."""


class Table(BaseModel):
    """A table of task.toml. Unknown keys are ignored, as in Harbor."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class Healthcheck(Table):
    """A command that succeeds when the environment is ready for the agent."""

    command: str
    interval_sec: Annotated[float, Field(ge=0), Capped] = 5.0
    timeout_sec: Annotated[float, Field(gt=0), Capped] = 30.0
    start_period_sec: Annotated[float, Field(ge=0), Capped] = 0.0
    start_interval_sec: Annotated[float, Field(ge=0), Capped] = 5.0
    retries: Annotated[int, Field(ge=1)] = 3


class PhaseTable(Table):
    """The keys that `[agent]` and `[verifier]` share."""

    timeout_sec: Annotated[float, Field(gt=0), Capped] = 600.0
    user: str | int = ""
    """The user of the commands; empty for the image's."""
    network_mode: str = ""
    """Empty to use the environment's mode."""
    env: dict[str, str] = Field(default_factory=dict)
    """Environment variables of the commands. `${NAME}` is a variable of this machine."""


class VerifierTable(PhaseTable):
    """The table `[verifier]`."""

    environment_mode: str = "shared"
    environment: dict[str, Any] | None = None


class EnvironmentTable(Table):
    """The table `[environment]`: the container of the task.

    A number of 0 and an empty text mean that the file does not say. Older task files have
    `memory`, `storage` and `allow_internet` instead of `memory_mb`, `storage_mb` and
    `network_mode`.
    """

    build_timeout_sec: Annotated[float, Field(gt=0), Capped] = 600.0
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

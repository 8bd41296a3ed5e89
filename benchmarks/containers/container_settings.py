"""The `--set` options of all benchmarks with containers: runtime, network and limits.

For example, `--set network=task --set memory=4g` gives a container a network if its task
asks for one, and 4 GB of memory whatever the task says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.benchmark import BenchmarkError, BenchmarkOption
from controlplane.benchmarks.containers.container_runtime import RUNTIMES
from controlplane.benchmarks.containers.container_spec import ContainerLimits
from controlplane.benchmarks.containers.container_variables import PROXIES
from controlplane.benchmarks.containers.host_variables import with_host_variables
from controlplane.benchmarks.containers.task_values import (
    TaskValueError,
    check_cpus,
    check_memory,
    check_variables,
)
from controlplane.sandbox.interface import error_codes

NETWORKS: Final = ("off", "task")
YES_OR_NO: Final = ("true", "false")
DEFAULT_PIDS: Final = 512
"""Processes and threads of one container: enough for a parallel build, too few to stop a host."""
OPTIONS: Final = (
    BenchmarkOption(
        "runtime", "the container runtime; the first one on PATH unless set", RUNTIMES
    ),
    BenchmarkOption(
        "network",
        "the network of builds, agents and verifiers: off, or as the task says",
        NETWORKS,
    ),
    BenchmarkOption(
        "build_network", "the network of builds, if another than `network`", NETWORKS
    ),
    BenchmarkOption(
        "agent_network", "the network of agents, if another than `network`", NETWORKS
    ),
    BenchmarkOption(
        "verifier_network",
        "the network of verifiers, if another than `network`",
        NETWORKS,
    ),
    BenchmarkOption("pull", "pull images that are not on this machine", YES_OR_NO),
    BenchmarkOption(
        "env", "variables of this machine that tasks may have, as NAME,NAME"
    ),
    BenchmarkOption(
        "memory", "memory of a container, as 2g; that of the task unless set"
    ),
    BenchmarkOption("cpus", "cores of a container; those of the task unless set"),
    BenchmarkOption(
        "pids_limit", f"processes of a container; {DEFAULT_PIDS} unless set"
    ),
    BenchmarkOption(
        "storage", "disk of a container, as 10g, if the storage driver can limit it"
    ),
)


@dataclass(frozen=True, slots=True)
class ContainerSettings:
    """The user's options for containers."""

    runtime: str
    """`podman` or `docker`; empty for the first one on PATH."""
    build_network: bool
    """True if the build of an image gets a network."""
    agent_network: bool
    """True if the agent gets a network when its task asks for one."""
    verifier_network: bool
    """True if the verifier gets a network when its task asks for one."""
    may_pull: bool
    """True if an image that is not on this machine may be pulled."""
    variables: Mapping[str, str]
    """The variables of this machine that tasks may use. A proxy among them, such as
    `HTTPS_PROXY`, is a variable of each container with a network, and of builds with one."""
    memory: str
    """Memory of a container, such as `2g`; empty for that of the task."""
    cpus: float
    """Cores of a container; 0 for those of the task."""
    pids: int
    """Processes and threads of a container."""
    storage: str
    """Disk of a container, such as `10g`; empty for no limit."""

    @classmethod
    def parse(
        cls, options: Mapping[str, str], environment: Mapping[str, str]
    ) -> ContainerSettings:
        """Return the settings for `--set` options: `{"network": "task", "env": "REGION"}`.

        `environment` has the variables of this machine. Raises `BenchmarkError`.
        """
        variables = _allowed_variables(options.get("env", ""), environment)
        memory = options.get("memory", "")
        try:
            cpus = float(options.get("cpus", "0"))
            pids = int(options.get("pids_limit", str(DEFAULT_PIDS)))
        except ValueError as error:
            msg = f"cpus and pids_limit are numbers: {error}"
            raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg) from error
        try:
            check_variables(variables)
            check_memory(memory)
            check_cpus(cpus)
        except TaskValueError as error:
            raise BenchmarkError(error_codes.INVALID_ARGUMENT, str(error)) from error

        # "off" for no network, or "task" for one if the task asks for it. It applies to what
        # has no option of its own.
        network = options.get("network", "off")
        return cls(
            runtime=options.get("runtime", ""),
            build_network=options.get("build_network", network) == "task",
            agent_network=options.get("agent_network", network) == "task",
            verifier_network=options.get("verifier_network", network) == "task",
            may_pull=options.get("pull") == "true",
            variables=variables,
            memory=memory,
            cpus=cpus,
            pids=pids,
            storage=options.get("storage", ""),
        )

    @property
    def build_proxies(self) -> list[str]:
        """The names of the user's proxies that builds may have: those that the user allows."""
        if not self.build_network:
            return []
        return [name for name in PROXIES if name in self.variables]

    def container_variables(
        self, values: Mapping[str, str], *, has_network: bool
    ) -> dict[str, str]:
        """Return the variables of a new container: a task's, filled in, and the allowed proxies.

        A container without a network gets no proxy.
        """
        variables = {}
        if has_network:
            for name in PROXIES:
                if name in self.variables:
                    variables[name] = self.variables[name]
        return variables | self.filled_in(values)

    def filled_in(self, values: Mapping[str, str]) -> dict[str, str]:
        """Return variables with those of this machine filled in: `zone-${REGION}` -> `zone-us`."""
        return with_host_variables(values, self.variables)

    def limits(self, task_memory: str, task_cpus: float) -> ContainerLimits:
        """Return the limits of a container: those that the user has set, or else the task's."""
        return ContainerLimits(
            memory=self.memory or task_memory,
            cpus=self.cpus or task_cpus,
            pids=self.pids,
            storage=self.storage,
        )


def _allowed_variables(names: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of this machine that are listed: `API_KEY, REGION`.

    Raises `BenchmarkError` if one is not set.
    """
    variables = {}
    for listed_name in names.split(","):
        name = listed_name.strip()
        if not name:
            continue
        if name not in environment:
            msg = f"env: the variable {name} is not set"
            raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg)
        variables[name] = environment[name]
    return variables

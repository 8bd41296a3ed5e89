"""Describes a container that is to be started, and how podman or docker starts it.

A container starts as `podman run ... IMAGE`, with a first process that only waits. Commands
then run in it, one after another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from controlplane.benchmarks.containers.task_values import (
    check_cpus,
    check_image,
    check_memory,
)

IDLE_COMMAND: Final = 'trap "exit 0" TERM; while :; do sleep 3600 & wait $!; done'
"""The first process of a container. It sleeps until the container stops, and then exits at once.

A plain `sleep` would ignore the signal to stop, so `sleep` runs in the background
of a shell. The shell handles the signal, and also cleans up processes
that lost their parent.
"""


@dataclass(frozen=True, slots=True)
class ContainerLimits:
    """Limits of one container; 0 or an empty text means no limit."""

    memory: str = ""
    """In the runtime's notation, such as `2048m`."""
    cpus: float = 0.0
    pids: int = 512
    """Processes and threads. The container's limit also applies to root; `ulimit` would not."""
    storage: str = ""
    """The size of the container's own layer. Only some storage drivers can limit it."""

    @property
    def flags(self) -> list[str]:
        """The words by which podman and docker get these limits. Raises `TaskValueError`."""
        check_memory(self.memory)
        check_cpus(self.cpus)
        flags = [f"--pids-limit={self.pids}"]
        if self.memory:
            flags.append(f"--memory={self.memory}")
        if self.cpus:
            flags.append(f"--cpus={self.cpus:g}")
        if self.storage:
            flags.append(f"--storage-opt=size={self.storage}")
        return flags


@dataclass(frozen=True, slots=True)
class ContainerSpec:
    """A container to start."""

    image: str
    name: str
    labels: Mapping[str, str]
    variables: Mapping[str, str] = field(default_factory=dict)
    limits: ContainerLimits = field(default_factory=ContainerLimits)
    has_network: bool = False

    def run_words(
        self, user_flags: Sequence[str], variable_flags: Sequence[str]
    ) -> list[str]:
        """Return the arguments of podman or docker that start it, as root, to wait for commands.

        The names and values of its variables are not among them: `variable_flags` names a
        file that has them. Raises `TaskValueError`.
        """
        check_image(self.image)
        # Without a log: whatever the first process prints would fill the disk of this machine.
        words = ["run", "--detach", "--pull=never", "--log-driver=none", *user_flags]
        words.append(f"--name={self.name}")
        for name, value in self.labels.items():
            words.append(f"--label={name}={value}")
        words += variable_flags
        words += self.limits.flags
        if not self.has_network:
            words.append("--network=none")
        words += ["--user=0:0", "--entrypoint=/bin/sh"]
        return [*words, self.image, "-c", IDLE_COMMAND]

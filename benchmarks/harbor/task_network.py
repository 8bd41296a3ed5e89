"""When the container of a task has a network.

A task may want one while the agent works, while it is graded, or both. It gets one only if
the user allows it, too. A container that starts without a network can never get one.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.benchmarks.containers.container import Container
from controlplane.benchmarks.containers.container_settings import ContainerSettings
from controlplane.benchmarks.harbor.tasks.harbor_task import HarborTask


@dataclass(frozen=True, slots=True)
class TaskNetwork:
    """In which phases of a trial its container has a network.

    The agent works first. Then the verifier grades what it has done.
    """

    while_agent_works: bool
    while_graded: bool

    @property
    def is_needed(self) -> bool:
        """True if the container must start with a network: otherwise it can never get one."""
        return self.while_agent_works or self.while_graded

    def switch_for_agent(self, container: Container) -> None:
        """Disconnect a new container if only the verifier has a network.

        Raises `ContainerError`.
        """
        if self.while_graded and not self.while_agent_works:
            container.connect_network(is_on=False)

    def switch_for_verifier(self, container: Container) -> None:
        """Connect or disconnect the container if the verifier differs from the agent.

        Raises `ContainerError`.
        """
        if self.while_graded != self.while_agent_works:
            container.connect_network(is_on=self.while_graded)


def network_of(task: HarborTask, settings: ContainerSettings) -> TaskNetwork:
    """Return when a task has a network: the task asks for it and the user allows it."""
    return TaskNetwork(
        while_agent_works=settings.agent_network and task.wants_network("agent"),
        while_graded=settings.verifier_network and task.wants_network("verifier"),
    )

"""What a user is told about tasks that this machine or the settings do not fully support.

Such tasks are played all the same, but may fail for a reason that is not the agent's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from controlplane.benchmarks.containers.container_settings import ContainerSettings
from controlplane.benchmarks.containers.host_variables import missing_host_variables
from controlplane.benchmarks.harbor.tasks.harbor_task import HarborTask, Phase
from controlplane.quantity_texts import count_text


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

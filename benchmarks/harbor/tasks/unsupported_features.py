"""Features of Harbor's tasks that are not supported here, such as GPUs or several steps.

A task that needs one is left out, with the reason, and the others are played.
"""

from __future__ import annotations

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
from controlplane.benchmarks.harbor.tasks.harbor_task import HarborTask
from controlplane.benchmarks.harbor.tasks.task_tables import TaskFile


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


def _unsupported_network(file: TaskFile) -> str:
    """Return why a network that a task asks for is not supported; empty if it is."""
    networks = (file.default_network, file.agent_network, file.verifier_network)
    if "allowlist" in networks:
        return "it allows a list of hosts (network_mode = allowlist)"
    for network in networks:
        if network not in ("public", "no-network"):
            return f"its network mode {network!r} is unknown"
    return ""


def _unsupported_environment(file: TaskFile) -> str:
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

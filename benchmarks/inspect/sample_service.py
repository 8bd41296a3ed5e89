"""Finds out which container a sample of Inspect needs.

A task or a sample asks for one with `sandbox="docker"`, or names a file that describes
it: `sandbox=("docker", "compose.yaml")`. The container is returned as a `ComposeService`:
the name that compose files have for a container with its image and limits. The rules
here are those of Inspect.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from controlplane.benchmarks.containers.compose_file import (
    compose_file_in,
    read_compose_file,
)
from controlplane.benchmarks.containers.compose_service import (
    ComposeError,
    ComposeService,
)
from controlplane.benchmarks.containers.set_files import SetFileError, SetFiles
from controlplane.benchmarks.inspect.sample_files import SampleFiles

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.dataset import Sample
    from inspect_ai.util._sandbox.environment import SandboxEnvironmentSpec

DOCKERFILE: Final = "Dockerfile"
DEFAULT_IMAGE: Final = "docker.io/aisiuk/inspect-tool-support"
"""The image that Inspect uses if a task has neither a compose file nor a Dockerfile."""


def sandbox_of(task: Task, sample: Sample) -> SandboxEnvironmentSpec | None:
    """Return a sample's sandbox; None if it needs none.

    If both the task and the sample have one, the sample's is used only if it has the
    task's type and a configuration of its own.
    """
    if task.sandbox is None:
        return sample.sandbox
    if sample.sandbox is None:
        return task.sandbox
    is_of_same_type = sample.sandbox.type == task.sandbox.type
    if is_of_same_type and sample.sandbox.config is not None:
        return sample.sandbox
    return task.sandbox


def service_of_sample(
    spec: SandboxEnvironmentSpec, files: SampleFiles
) -> ComposeService:
    """Return the container that a sample's sandbox describes.

    Paths are relative to the folder of the task's file. Raises `ComposeError`
    with the reason if such a container is not supported, for example because
    there is a second service, or its file is outside of the task's folder.
    """
    if spec.type != "docker":
        msg = f"its sandbox is {spec.type!r}, and containers are started for 'docker' alone"
        raise ComposeError(msg)
    path = files.task_folder
    if isinstance(spec.config, str):
        path /= spec.config
    elif spec.config is not None:
        msg = "its sandbox is configured by an object, not by a file"
        raise ComposeError(msg)

    try:
        own_files = files.set_of(path)
        if spec.config is None:
            service = _service_of_folder(path, own_files)
        else:
            service = _service_of_file(path, own_files)
        build_folder = service.build_folder
        if build_folder is not None:
            if not own_files.is_file(build_folder / DOCKERFILE):
                msg = f"there is no Dockerfile in {build_folder}"
                raise ComposeError(msg)
    except SetFileError as error:
        raise ComposeError(str(error)) from error
    return service


def _service_of_folder(folder: Path, files: SetFiles) -> ComposeService:
    """Return the container of a task that names no file."""
    compose_path = compose_file_in(folder, files)
    if compose_path is not None:
        return read_compose_file(compose_path, files)
    if files.is_file(folder / DOCKERFILE):
        return ComposeService(build_folder=files.resolve(folder), has_network=False)
    return ComposeService(image=DEFAULT_IMAGE, has_network=False)


def _service_of_file(path: Path, files: SetFiles) -> ComposeService:
    if path.name == DOCKERFILE:
        build_folder = files.resolve(path.parent)
        return ComposeService(build_folder=build_folder, has_network=False)
    return read_compose_file(path, files)

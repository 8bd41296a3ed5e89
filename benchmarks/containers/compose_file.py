"""Reads compose files that describe one container.

    services:
      main: {image: "python:3.12", environment: {COLOUR: green}, cpus: 2}

A trial has one container, in which the agent works. A file that needs more, such as a
second service or folders of this machine, is refused with the reason.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from controlplane.benchmarks.containers.set_files import SetFileError, SetFiles
from controlplane.benchmarks.containers.task_values import (
    TaskValueError,
    check_cpus,
    check_image,
    check_memory,
    check_variables,
    check_workdir,
)
from controlplane.sandbox.interface.foreign_documents import parse_yaml

# The service of a compose file: a container with its image, variables and limits.
#
#     {image: "python:3.12", environment: {COLOUR: green}, cpus: 2}
#
# Keys that make no difference here are ignored. Any other unknown key is refused, because the
# task may not be able to do without it.

# The keys of a service. Any other key could be one that the task cannot do without.

_IGNORED_KEYS: Final = frozenset(
    {
        "command",  # The container waits instead, as in Harbor.
        "container_name",
        "entrypoint",
        "hostname",
        "init",
        "labels",
        "platform",
        "pull_policy",  # The user decides this.
        "restart",
        "stdin_open",
        "stop_grace_period",
        "tty",
    }
)
_READ_KEYS: Final = frozenset(
    {
        "build",
        "cpus",
        "environment",
        "image",
        "mem_limit",
        "network_mode",
        "working_dir",
    }
)


class ComposeError(ValueError):
    """A compose file needs an unsupported feature. The message names it."""


@dataclass(frozen=True, slots=True)
class ComposeService:
    """The service of a compose file."""

    image: str = ""
    """Empty if the image is built."""
    build_folder: Path | None = None
    """The folder from which the image is built; None if it is not built."""
    variables: tuple[tuple[str, str], ...] = ()
    workdir: str = ""
    memory: str = ""
    cpus: float = 0.0
    has_network: bool = True
    """False with `network_mode: none`."""


def _service_of(service: Mapping[Any, Any], path: Path) -> ComposeService:
    """Return the service that a table describes: `{"image": "python:3.12", "cpus": 2}`.

    `path` is the compose file. Raises `ComposeError` for a key or a value that is not
    supported.
    """
    for key in service:
        is_known = (
            key in _IGNORED_KEYS or key in _READ_KEYS or str(key).startswith("x-")
        )
        if not is_known:
            msg = f"{path.name}: its service has {key}"
            raise ComposeError(msg)

    network_mode = service.get("network_mode", "bridge")
    if network_mode not in ("bridge", "none"):
        msg = f"{path.name}: its service has network_mode {network_mode!r}"
        raise ComposeError(msg)

    image = str(service.get("image") or "")
    build_folder = None
    if "build" in service:
        build_folder = _build_folder(_build_context(service["build"], path), path)
        image = ""  # With `build`, this key only names the built image.
    elif not image or "${" in image:  # A variable of this machine could name any image.
        msg = f"{path.name}: its service has neither build nor the name of an image"
        raise ComposeError(msg)

    compose_service = ComposeService(
        image=image,
        build_folder=build_folder,
        # In this order, because the first fault is reported
        cpus=_cpus(service.get("cpus"), path),
        variables=tuple(_variables(service.get("environment"), path)),
        workdir=str(service.get("working_dir") or ""),
        memory=str(service.get("mem_limit") or ""),
        has_network=network_mode != "none",
    )
    _check_values(compose_service, path)
    return compose_service


def _check_values(service: ComposeService, path: Path) -> None:
    """Raise `ComposeError` for a value that podman or docker must not be given."""
    try:
        if service.image:
            check_image(service.image)
        check_cpus(service.cpus)
        check_variables(dict(service.variables))
        check_workdir(service.workdir)
        check_memory(service.memory)
    except TaskValueError as error:
        msg = f"{path.name}: {error}"
        raise ComposeError(msg) from error


def _build_context(build: object, path: Path) -> str:
    """Return the text that names the folder to build from: `.`.

    Accepts `build: .` and `build: {context: ., dockerfile: Dockerfile}`.
    """
    if isinstance(build, str):
        return build
    if not isinstance(build, dict):
        msg = f"{path.name}: its build is neither a folder nor a table"
        raise ComposeError(msg)
    for key, value in build.items():
        is_default_dockerfile = key == "dockerfile" and value == "Dockerfile"
        if key != "context" and not is_default_dockerfile:
            msg = f"{path.name}: its build has {key}"
            raise ComposeError(msg)
    return str(build.get("context", "."))


def _build_folder(context: str, path: Path) -> Path:
    """Return the folder to build from. It must be that of the compose file, or below it."""
    own_files = SetFiles.of(path.parent)
    if context == "${CONTEXT_DIR}":  # In Harbor, this variable is the file's folder.
        return own_files.root
    try:
        return own_files.resolve(own_files.root / context)
    except SetFileError as error:
        msg = f"{path.name}: its build is outside of the folder of the task"
        raise ComposeError(msg) from error


def _cpus(cpus: Any, path: Path) -> float:
    """Return a number of cores; 0 if there is none."""
    msg = f"{path.name}: cpus is not a number of cores"
    try:
        number = float(cpus or 0)
    except (TypeError, ValueError, OverflowError):
        raise ComposeError(msg) from None
    if not 0 <= number < math.inf:  # `.nan` and `.inf` are numbers of YAML.
        raise ComposeError(msg)
    return number


def _variables(environment: object, path: Path) -> list[tuple[str, str]]:
    """Return a service's variables, written as `- NAME=VALUE` or `NAME: VALUE`."""
    variables = []
    if isinstance(environment, dict):
        for name, value in environment.items():
            variables.append((str(name), "" if value is None else str(value)))
    elif isinstance(environment, list):
        for line in environment:
            name, is_set, value = str(line).partition("=")
            if not is_set:
                value = "${" + name + "}"  # `- NAME` takes its value from this machine.
            variables.append((name, value))
    elif environment is not None:
        msg = f"{path.name}: its environment is neither a list nor a table"
        raise ComposeError(msg)
    return variables


_COMPOSE_FILES: Final = (
    "docker-compose.yaml",
    "docker-compose.yml",
    "compose.yaml",
    "compose.yml",
)
_TOP_KEYS: Final = frozenset({"name", "services", "version"})
"""The keys that a file may have beside keys for other programs. Only `services` is read."""
_MAX_FILE_BYTES: Final = 100_000
"""A longer file is refused. No compose file with one service is that long."""


def compose_file_in(folder: Path, files: SetFiles) -> Path | None:
    """Return the compose file in a folder of a set; None if there is none.

    Raises `SetFileError` if it is a link out of the set.
    """
    for name in _COMPOSE_FILES:
        path = folder / name
        if files.is_file(path):
            return path
    return None


def read_compose_file(path: Path, files: SetFiles) -> ComposeService:
    """Return the service of a compose file of a set.

    Example: for `services: {main: {build: ., environment: {COLOUR: green}}}`, the image
    is built from the file's folder. Raises `ComposeError` if the file needs more than
    one plain container.
    """
    try:
        content = files.read(path, _MAX_FILE_BYTES)
        data = parse_yaml((content or b"").decode("utf-8"), refuses_nul=True)
    except SetFileError as error:
        raise ComposeError(str(error)) from error
    except ValueError as error:
        msg = f"{path.name} cannot be read: {error}"
        raise ComposeError(msg) from error
    if content is None:
        msg = f"{path.name} is missing"
        raise ComposeError(msg)
    if not isinstance(data, dict) or not isinstance(data.get("services"), dict):
        msg = f"{path.name} has no services"
        raise ComposeError(msg)

    for key in data:
        # Such a key is meant for other programs, so it may be ignored.
        is_extension = str(key).startswith("x-")
        if key not in _TOP_KEYS and not is_extension:
            msg = f"{path.name} has {key}"
            raise ComposeError(msg)
    services = data["services"]
    if len(services) != 1:
        msg = f"{path.name} has {len(services)} services"
        raise ComposeError(msg)
    (service,) = services.values()
    if not isinstance(service, dict):
        msg = f"{path.name}: its service is not a table"
        raise ComposeError(msg)
    return _service_of(service, path)

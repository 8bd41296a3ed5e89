"""Reads compose files that describe one container.

    services:
      main: {image: "python:3.12", environment: {COLOUR: green}, cpus: 2}

A trial has one container, in which the agent works. A file that needs more, such as a
second service or folders of this machine, is refused with the reason.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from controlplane.benchmarks.containers.compose_service import (
    ComposeError,
    ComposeService,
    service_of,
)
from controlplane.benchmarks.containers.set_files import SetFileError, SetFiles
from controlplane.sandbox.interface.foreign_documents import parse_yaml

COMPOSE_FILES: Final = (
    "docker-compose.yaml",
    "docker-compose.yml",
    "compose.yaml",
    "compose.yml",
)
TOP_KEYS: Final = frozenset({"name", "services", "version"})
"""The keys that a file may have beside keys for other programs. Only `services` is read."""
MAX_FILE_BYTES: Final = 100_000
"""A longer file is refused. No compose file with one service is that long."""


def compose_file_in(folder: Path, files: SetFiles) -> Path | None:
    """Return the compose file in a folder of a set; None if there is none.

    Raises `SetFileError` if it is a link out of the set.
    """
    for name in COMPOSE_FILES:
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
        content = files.read(path, MAX_FILE_BYTES)
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
        if key not in TOP_KEYS and not is_extension:
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
    return service_of(service, path)

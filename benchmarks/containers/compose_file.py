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
"""The rest of a longer file is ignored. No compose file with one service is that long."""


def compose_file_in(folder: Path) -> Path | None:
    """Return the compose file in a folder; None if there is none."""
    for name in COMPOSE_FILES:
        path = folder / name
        if path.is_file():
            return path
    return None


def read_compose_file(path: Path) -> ComposeService:
    """Return the service of a compose file.

    Example: for `services: {main: {build: ., environment: {COLOUR: green}}}`, the image
    is built from the file's folder. Raises `ComposeError` if the file needs more than
    one plain container.
    """
    try:
        text = path.read_bytes()[:MAX_FILE_BYTES].decode("utf-8")
        data = parse_yaml(text, refuses_nul=True)
    except (OSError, ValueError) as error:
        msg = f"{path.name} cannot be read: {error}"
        raise ComposeError(msg) from error
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

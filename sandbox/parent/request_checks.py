"""Checks of a child's requests in the parent: arguments as declared, time zones by their key."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path
from typing import Any

from sandbox.interface.arguments import fits
from sandbox.interface.error_codes import INVALID_ARGUMENT, NOT_FOUND
from sandbox.interface.operations import CallError, Operation
from sandbox.interface.scratchpad_values import is_zone_key


def check_arguments(operation: Operation, arguments: dict[str, Any]) -> None:
    """Raise `CallError` unless the arguments are exactly those that the operation declares, each of its type."""
    if set(arguments) != {each.name for each in operation.parameters}:
        raise CallError(
            INVALID_ARGUMENT, f"{operation.name} takes {', '.join(each.name for each in operation.parameters)}"
        )
    for each in operation.parameters:
        if not fits(each.type, arguments[each.name]):
            raise CallError(INVALID_ARGUMENT, f"{operation.name}: {each.name} is of type {each.type}")


def zone_data(key: object) -> str:
    """Return the compiled data of a time zone in base64. Raises `CallError` for an unknown key."""
    from zoneinfo import TZPATH

    if isinstance(key, str) and is_zone_key(key):
        for folder in TZPATH:
            try:
                data = Path(folder, key).read_bytes()
            except OSError:
                continue
            if data.startswith(b"TZif"):
                return b64encode(data).decode("ascii")
    msg = "no such time zone"
    raise CallError(NOT_FOUND, msg)

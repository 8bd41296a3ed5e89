"""Absolute paths of an in-memory tree: one spelling for each, and bounds far above real trees."""

from __future__ import annotations

from typing import Final

from sandbox.interface.error_codes import INVALID_ARGUMENT
from sandbox.interface.operations import CallError

CONTENT_TYPES: Final = {".json": "application/json", ".md": "text/markdown", ".csv": "text/csv"}
MAX_CHARS: Final = 1_024
MAX_LEVELS: Final = 40
BYTES_OF: Final = "base64:"
"""Before an asked path: its bytes in base64, not its text."""


def normal_path(path: str) -> str:
    """Return `path` absolute, with `.`, `..` and doubled slashes resolved.

    Raises `CallError` for a NUL, and for a path that is too long or leads too deep.
    """
    if "\x00" in path:
        msg = "a path holds no NUL character"
        raise CallError(INVALID_ARGUMENT, msg)
    if len(path) > MAX_CHARS:
        msg = f"a path has at most {MAX_CHARS} characters, not {len(path)}"
        raise CallError(INVALID_ARGUMENT, msg)
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            parts[-1:] = []
        elif part not in ("", "."):
            parts.append(part)
    if len(parts) > MAX_LEVELS:
        msg = f"a path leads at most {MAX_LEVELS} levels deep, not {len(parts)}"
        raise CallError(INVALID_ARGUMENT, msg)
    return "/" + "/".join(parts)


def parent(path: str) -> str:
    """Return the directory that holds `path`."""
    return path[: path.rfind("/")] or "/"


def join(directory: str, name: str) -> str:
    """Return the path of `name` in a directory."""
    return f"/{name}" if directory == "/" else f"{directory}/{name}"


def content_type(path: str) -> str:
    """Return the media type of the path's suffix; `text/plain` for an unknown one."""
    dot = path.rfind(".")
    return CONTENT_TYPES.get(path[dot:].lower(), "text/plain") if dot > path.rfind("/") else "text/plain"

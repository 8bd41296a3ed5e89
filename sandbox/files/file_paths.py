"""Paths of an in-memory tree, the result for a whole file, and the size of changes, for both sides of an aide."""

from __future__ import annotations

import hashlib
import io
import json
import posixpath
from typing import Final

from sandbox.interface.error_codes import INVALID_ARGUMENT, CallError
from sandbox.interface.operations import Plain

CONTENT_TYPES: Final = {".json": "application/json", ".md": "text/markdown", ".csv": "text/csv"}
MAX_CHARS: Final = 1_024
MAX_LEVELS: Final = 40
MAX_CHANGES_BYTES: Final = 2_000_000
"""Max bytes of all changes of a world, as a message carries them: far more than any work needs. The trusted side
keeps the changes, and sends them to every new aide."""
BYTES_OF: Final = "base64:"
"""A prefix of requested paths: asks for bytes in base64 instead of text."""


def normal_path(path: str) -> str:
    """Return `path` absolute, with `.`, `..` and doubled slashes resolved.

    Raises `CallError` for a NUL, and for a path that is too long or too deep.
    """
    if "\x00" in path:
        raise CallError(INVALID_ARGUMENT, "a path holds no NUL character")
    if len(path) > MAX_CHARS:
        raise CallError(INVALID_ARGUMENT, f"a path has at most {MAX_CHARS} characters, not {len(path)}")
    normal = posixpath.normpath("/" + path.lstrip("/"))
    levels = normal.count("/") if normal != "/" else 0
    if levels > MAX_LEVELS:
        raise CallError(INVALID_ARGUMENT, f"a path leads at most {MAX_LEVELS} levels deep, not {levels}")
    return normal


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


def lines_of(text: str) -> list[str]:
    """Return the lines of a text with their ends. Only a line feed ends a line."""
    return list(io.StringIO(text, newline="\n"))


def sha256_of(text: str) -> str:
    """Return the hex SHA-256 of the text's UTF-8 bytes."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def whole_file(path: str, text: str) -> dict[str, Plain]:
    """Return `path content truncated sha256 content_type` of the file with this text."""
    return {
        "path": path,
        "content": text,
        "truncated": False,
        "sha256": sha256_of(text),
        "content_type": content_type(path),
    }


def bytes_of_change(path: str, text: str | None) -> int:
    """Return the bytes that a change takes in a message; `text` is None for a deleted file."""
    return len(json.dumps([path, text], ensure_ascii=False).encode("utf-8", "replace"))

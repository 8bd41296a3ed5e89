"""The world of a folder inside an aide: its tree of files, and the tools that compute on them."""

from __future__ import annotations

from base64 import b64decode
from datetime import datetime
from typing import Any, Final, cast

from sandbox.child.aide_process import ask_parent
from sandbox.files.asked_files import AskedFiles
from sandbox.files.file_paths import BYTES_OF
from sandbox.files.file_tree import FileTree
from sandbox.files.folder_sql import answer_query
from sandbox.interface.error_codes import NOT_FOUND, RESOURCE_EXHAUSTED
from sandbox.interface.operations import CallError, Plain

MAX_CAT_CHARS: Final = 2_000_000


class _Folder:
    """The folder while this process is an aide, and what its current call has changed."""

    tree: FileTree
    now: datetime
    changed: list[Plain]


def begin(paths: list[str], directories: list[str], changes: dict[str, str | None], data: Plain) -> None:
    """Make the world in a new aide. `data` is its clock, as ISO text."""
    _Folder.now = datetime.fromisoformat(str(data))
    _Folder.tree = FileTree(
        AskedFiles(paths),
        directories=directories,
        changes=changes,
        on_change=lambda path, text: _Folder.changed.append([path, text]),
    )


def call(operation: str, arguments: dict[str, Any]) -> list[Plain]:
    """Make one call, a file operation or a tool, and return its result and the changes that it made."""
    _Folder.changed = []
    work = _TOOLS[operation] if operation in _TOOLS else getattr(_Folder.tree, operation)
    return [work(**arguments), _Folder.changed]


def _output(stdout: str, stderr: str = "", exit_code: int = 0) -> dict[str, Plain]:
    """Return what a tool printed, as the result of a call."""
    return {"stdout": stdout, "stderr": stderr, "exit_code": exit_code}


def _cat(args: list[str], stdin: str) -> dict[str, Plain]:
    if not args:
        return _output(stdin)
    parts: list[str] = []
    left = MAX_CAT_CHARS
    for path in args:
        try:
            parts.append(str(_Folder.tree.read(path)["content"]))
            left -= len(parts[-1])
            if left < 0:
                raise CallError(RESOURCE_EXHAUSTED, f"the output is longer than {MAX_CAT_CHARS} characters")
        except CallError as error:
            return _output("".join(parts), f"cat: {error.message}\n", 1)
    return _output("".join(parts))


def _sql(args: list[str], stdin: str) -> dict[str, Plain]:
    return _output(*answer_query(_Folder.tree, _bytes, _Folder.now, " ".join(args) or stdin))


def _bytes(path: str) -> bytes:
    if path in _Folder.tree.changes:
        return (_Folder.tree.text(path) or "").encode()
    asked = cast("list[Any]", ask_parent(BYTES_OF + path))
    if asked[0] is None:
        raise CallError(NOT_FOUND, "it is no file")
    return b64decode(asked[0])


_TOOLS: Final = {"cat": _cat, "sql": _sql}

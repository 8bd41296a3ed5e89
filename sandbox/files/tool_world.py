"""The tools of a trial in its worker, an isolated process.

The world of a trial (`WorldFiles`) is its files, with the name of the module of its tools.
That module has a function `open_tools(files, directories, data)`, which returns `Tools`.

The parent calls `begin` once, and then `call` for each call of a tool. The worker has all
paths from the start, but a text only once a tool has read it (`_AskedFiles`).

Both processes make all changes of files, each in its own tree:

1. The parent has changed `/a.md`, and calls `call("count", {...}, {"/a.md": "new text"})`.
2. The worker makes this change, and then runs the tool, which writes `/b.md`.
3. The worker returns `{"result": {...}, "changes": {"/b.md": "4 lines"}}`.
4. The parent makes this change, too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any, Final, Protocol, cast

from controlplane.sandbox.files.file_tree import FileTree, TextFiles
from controlplane.sandbox.interface.operations import Plain

# The files of a trial as a worker has them: all paths, but only the texts that a tool has read.
#
# A worker is an isolated process that runs tools. It requests a text from the parent process when
# a tool reads the file: `files["/docs/a.md"]`.

_MOST_REQUESTED_TEXTS: Final = 256
"""The most texts that the worker requests at once."""


class _AskedFiles(TextFiles):
    """Maps paths to texts, and requests a text from the parent when it is first needed.

    A request for a missing text also fetches some of the texts that follow it, four
    times as many with each request. So a tool that reads one file causes one transfer,
    and a tool that reads all files seldom waits.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._texts: dict[str, str | None] = dict.fromkeys(paths)
        """The texts by path; None for a text that was not requested so far, and for a file that
        the parent does not have either."""
        self.paths = self._texts
        self._texts_of_next_request = 1
        """The most texts of the next request."""

    def __getitem__(self, path: str) -> str:
        text = self._texts[path]
        if text is None:
            return self._requested_text(path)
        return text

    def _requested_text(self, path: str) -> str:
        """Return a text after requesting it from the parent. Raises `KeyError` if there is none."""
        # Only a worker loads `worker_process`, so it is not imported at the top.
        from controlplane.sandbox.child.worker_process import ask_parent

        requested_paths = self._paths_to_request(path)
        self._texts_of_next_request = min(
            4 * self._texts_of_next_request, _MOST_REQUESTED_TEXTS
        )
        # The parent may return fewer texts than requested, if one answer cannot hold
        # all of them. The others are requested again when they are needed.
        texts = cast("list[Any]", ask_parent(*requested_paths))
        self._texts.update(zip(requested_paths, texts, strict=False))
        if texts[0] is None:
            raise KeyError(path)
        return str(texts[0])

    def _paths_to_request(self, path: str) -> list[str]:
        """Return a path, and the first others whose texts the worker does not have yet."""
        paths = [path]
        for further_path, text in self._texts.items():
            if len(paths) >= self._texts_of_next_request:
                break
            if text is None and further_path != path:
                paths.append(further_path)
        return paths


TOOL_WORLD: Final = __name__
"""The name of this module. The parent calls its functions in the worker by it, as in
`f"{TOOL_WORLD}:call"`. The fork server must import this module and that of the
tools before it isolates its workers."""


class Tools(Protocol):
    """The tools of a world. Their changes go to `tree`."""

    tree: FileTree

    def call(self, operation: str, arguments: Mapping[str, Any]) -> dict[str, Plain]:
        """Make one call with all arguments and return its result fields. Raises `CallError`."""
        ...


# The calls of the parent


class _ThisProcess:
    """The tools of this worker process, which works for one trial. `begin` sets them."""

    tools: Tools
    changes: dict[str, Plain]
    """The texts of files that the running call has changed, by path; None for a deleted file."""


def _note_change(path: str, text: str | None) -> None:
    """Note a change for the parent. The tree of the tools calls this before each change."""
    _ThisProcess.changes[path] = text


def _apply(changes: Mapping[str, str | None]) -> None:
    """Make changes of the parent: `{"/a.md": "new text", "/b.md": None}` (deleted)."""
    for path, text in changes.items():
        _ThisProcess.tools.tree.apply(path, text)
    # The tree reports every change, also those just made, which the parent knows.
    _ThisProcess.changes = {}


def begin(
    module: str,
    paths: list[str],
    directories: list[str],
    changes: dict[str, str | None],
    data: Plain,
) -> None:
    """Set up the tools in a new worker: open those of a module, and make all changes so far.

    The parent calls this once. `paths` are those of all files, without their texts.
    """
    files = _AskedFiles(paths)
    tools: Tools = sys.modules[module].open_tools(files, tuple(directories), data)
    _ThisProcess.tools = tools
    _apply(changes)
    tools.tree.watch_changes(_note_change)


def call(
    operation: str, arguments: dict[str, Plain], changes: dict[str, str | None]
) -> dict[str, Plain]:
    """Make the `changes` that the parent has made of files, and then a call.

    Returns the call's `result`, and the `changes` that the call itself has made.
    """
    _apply(changes)
    result = _ThisProcess.tools.call(operation, arguments)
    return {"result": result, "changes": _ThisProcess.changes}

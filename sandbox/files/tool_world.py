"""The tools of a trial in its worker, an isolated process.

The world of a trial (`WorldFiles`) is its files, with the name of the module of its tools.
That module has a function `open_tools(files, directories, data)`, which returns `Tools`.

The parent calls `begin` once, and then `call` for each call of a tool. The worker has all
paths from the start, but a text only once a tool has read it (`AskedFiles`). Both processes
have all changes of files: each call brings those of the parent, and returns those of the tool.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any, Final, Protocol, cast

from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.files.listed_files import ListedFiles
from controlplane.sandbox.interface.plain_data import Plain

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


class _World:
    """The tools of this worker process, and what their current call has changed."""

    def __init__(self, tools: Tools, changes: Mapping[str, str | None]) -> None:
        """`changes` are those that have been made of files so far."""
        self._tools = tools
        self._noted_changes: dict[str, Plain] = {}
        """The files that were changed, by path; None for a deleted one."""
        self._apply(changes)
        tools.tree.watch_changes(self._note_change)

    def _apply(self, changes: Mapping[str, str | None]) -> None:
        for path, text in changes.items():
            self._tools.tree.apply(path, text)

    def _note_change(self, path: str, text: str | None) -> None:
        self._noted_changes[path] = text

    def call(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        changes: Mapping[str, str | None],
    ) -> dict[str, Plain]:
        """Make the `changes` of the parent, and then a call, as the function `call` describes."""
        self._apply(changes)
        # Forget the changes that were noted until now: the parent knows those.
        self._noted_changes = {}
        result = self._tools.call(operation, arguments)
        return {"result": result, "changes": self._noted_changes}


class _ThisProcess:
    """Holds the world of this worker process, which has one at most. `begin` sets it."""

    world: _World


def begin(
    module: str,
    paths: list[str],
    directories: list[str],
    changes: dict[str, str | None],
    data: Plain,
) -> None:
    """Set up the tools in a new worker, with all changes so far."""
    tools: Tools = sys.modules[module].open_tools(
        AskedFiles(paths), tuple(directories), data
    )
    _ThisProcess.world = _World(tools, changes)


def call(
    operation: str, arguments: dict[str, Plain], changes: dict[str, str | None]
) -> dict[str, Plain]:
    """Make the `changes` that the parent has made of files, and then a call.

    Returns the call's `result`, and the `changes` that the call itself has made.
    """
    return _ThisProcess.world.call(operation, arguments, changes)


# The texts of files

_MOST_REQUESTED_TEXTS: Final = 256
"""The most texts that the worker requests at once."""


class AskedFiles(ListedFiles):
    """The files of the world in the worker: all paths, and the texts that were requested so far.

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
        # Only a worker has loaded this module.
        from controlplane.sandbox.child.parent_connection import ask_parent

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
        """Return a path, and the first others whose texts were not requested so far."""
        paths = [path]
        for further_path, text in self._texts.items():
            if len(paths) >= self._texts_of_next_request:
                break
            if text is None and further_path != path:
                paths.append(further_path)
        return paths

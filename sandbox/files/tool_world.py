"""A world of files inside a worker, for its tools. Texts come from the trusted side when a tool first needs them.

A module of tools offers `open_tools(files, directories, data)`, and is imported before the worker's isolation begins.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, Protocol, cast

from sandbox.child.worker_process import ask_parent
from sandbox.files.file_tree import FileTree, ListedFiles
from sandbox.interface.operations import Plain


class Tools(Protocol):
    """The tools of a world. Their changes go to `tree`."""

    tree: FileTree

    def call(self, operation: str, arguments: Mapping[str, Any]) -> dict[str, Plain]:
        """Make one call with all arguments and return its result fields. Raises `CallError`."""
        ...


class AskedFiles(ListedFiles):
    """The files of a world by path: the paths are here, and the parent is asked for texts when they are needed.

    With each missing text, four times as many of the next texts are requested: a reader of many files seldom waits, and
    a reader of one file gets one.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self.paths: dict[str, str | None] = dict.fromkeys(paths)
        self._at_once = 1

    def __getitem__(self, path: str) -> str:
        text = self.paths[path]
        return self._ask_for(path) if text is None else text

    def _ask_for(self, path: str) -> str:
        missing = (other for other, text in self.paths.items() if text is None and other != path)
        paths = [path, *islice(missing, self._at_once - 1)]
        self._at_once = min(4 * self._at_once, 256)
        texts = cast("list[Any]", ask_parent(*paths))
        self.paths.update(zip(paths, texts, strict=False))
        if texts[0] is None:
            raise KeyError(path)
        return str(texts[0])


class _World:
    """The world while this process is a worker, and the changes of its current call."""

    tools: Tools
    changes: dict[str, Plain]


def begin(module: str, paths: list[str], directories: list[str], changes: dict[str, str | None], data: Plain) -> None:
    """Make the world in a new worker, with the changes made before. `WorkerTools` calls it."""
    tools: Tools = sys.modules[module].open_tools(AskedFiles(paths), tuple(directories), data)
    for path, text in changes.items():
        tools.tree.apply(path, text)
    tools.tree.on_change = lambda path, text: _World.changes.update({path: text})
    _World.tools = tools


def call(operation: str, arguments: dict[str, Plain], changes: dict[str, str | None]) -> list[Plain]:
    """Make one call on the files with these changes, and return its result and the changes that it made."""
    _World.changes = {}
    for path, text in changes.items():
        _World.tools.tree.apply(path, text)
    _World.changes = {}
    return [_World.tools.call(operation, arguments), _World.changes]

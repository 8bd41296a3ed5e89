"""A world of files whose tools run in a worker: `WorkerTools` on the trusted side, the other functions in the worker.

The trusted side holds the files and every change that the tools make, which suffice to make the world again as it was
before a call that the worker did not survive. A text reaches the worker when a tool first needs it. A module of tools
offers `open_tools(files, directories, data)`, and is imported before the worker's isolation begins.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol, cast
from weakref import WeakMethod

from controlplane.sandbox.files.file_tree import FileTree, ListedFiles, WorldFiles
from controlplane.sandbox.interface.error_codes import INTERNAL, RESOURCE_EXHAUSTED, CallError
from controlplane.sandbox.interface.operations import Plain
from controlplane.sandbox.interface.results import fresh_result

if TYPE_CHECKING:
    from controlplane.sandbox.parent.worker import Worker

MOST_AT_ONCE: Final = 256
"""Texts that one request to the parent asks for."""
TEXTS_CHARS: Final = 1_000_000
"""Characters of the texts in one answer of the parent, apart from the first text."""
TOOL_WORLD: Final = __name__
"""The module that holds the world in a worker; a fork server is given it, and the module of the tools."""


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
        from controlplane.sandbox.child.worker_process import (
            ask_parent,
        )  # It is loaded in a worker, and nowhere else.

        requested = [path]
        for further_path, text in self.paths.items():
            if len(requested) >= self._at_once:
                break
            if text is None and further_path != path:
                requested.append(further_path)
        self._at_once = min(4 * self._at_once, MOST_AT_ONCE)
        texts = cast("list[Any]", ask_parent(*requested))
        self.paths.update(zip(requested, texts, strict=False))
        if texts[0] is None:
            raise KeyError(path)
        return str(texts[0])


class _World:
    """The world while this process is a worker, and the changes of its current call."""

    tools: Tools
    changes: dict[str, Plain]


def begin(
    module: str,
    paths: list[str],
    directories: list[str],
    changes: dict[str, str | None],
    data: Plain,
) -> None:
    """Make the world in a new worker, with the changes made before. `WorkerTools` calls it."""
    tools: Tools = sys.modules[module].open_tools(AskedFiles(paths), tuple(directories), data)
    for path, text in changes.items():
        tools.tree.apply(path, text)
    tools.tree.on_change = lambda path, text: _World.changes.update({path: text})
    _World.tools = tools


def call(
    operation: str, arguments: dict[str, Plain], changes: dict[str, str | None]
) -> list[Plain]:
    """Make one call on the files with these changes, and return its result and the changes that it made."""
    _World.changes = {}
    for path, text in changes.items():
        _World.tools.tree.apply(path, text)
    _World.changes = {}
    return [_World.tools.call(operation, arguments), _World.changes]


class WorkerTools:
    """Makes the calls of one trial's tools in its worker, on the files of `tree` over those of a world."""

    def __init__(self, worker: Worker, tree: FileTree, world: WorldFiles) -> None:
        self._worker = worker
        self._tree = tree
        self._world = world
        self._sent: dict[str, str | None] = {}
        """The changes that the worker has."""
        # If the worker held this world, it would stay until garbage is collected.
        begin_reference = WeakMethod(self._begin)

        def begin() -> None:
            run = begin_reference()
            if run is not None:
                run()

        worker.when_started(begin)

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one call and return its result. Raises `CallError`; then nothing has changed."""
        unsent = self._unsent_changes()
        try:
            reply = self._worker.call(
                f"{TOOL_WORLD}:call", operation, dict(arguments), unsent, serve=self._texts
            )
        except CallError as error:
            if error.code in (INTERNAL, RESOURCE_EXHAUSTED):
                self._worker.close()  # The world there may have a change that this side never received.
            raise
        try:
            result = self._applied(reply)
        except BaseException:
            self._worker.close()
            raise
        self._sent = dict(self._tree.changes)
        return fresh_result(operation, result)

    def _unsent_changes(self) -> dict[str, str | None]:
        """Return the changes that the worker does not have."""
        unsent = {}
        for path, text in self._tree.changes.items():
            if path not in self._sent or self._sent[path] != text:
                unsent[path] = text
        return unsent

    def _applied(self, reply: Any) -> dict[str, Plain]:
        """Return the result in a reply, once the changes in it are made."""
        match reply:
            case [dict(result), dict(changes)] if all(
                isinstance(text, str | None) for text in changes.values()
            ):
                for path, text in changes.items():
                    self._tree.apply(path, text)
                return result
        raise CallError(INTERNAL, "the process that worked on the call sent no result")

    def _begin(self) -> None:
        """Make the world in a worker that has started, with all changes so far."""
        changes = dict(self._tree.changes)
        world = self._world
        self._worker.call(
            f"{TOOL_WORLD}:begin",
            world.module,
            list(world.texts),
            list(world.directories),
            changes,
            world.data,
        )
        self._sent = changes

    def _texts(self, question: list[Any]) -> list[Plain]:
        """Return the texts of the requested paths, from the first on, as many as one answer carries."""
        texts: list[Plain] = []
        room = TEXTS_CHARS
        for path in question:
            try:
                text = self._world.texts.get(path) if isinstance(path, str) else None
            except CallError:
                if texts:
                    break  # It is not needed yet.
                raise
            room -= len(text or "")
            if texts and room < 0:
                break
            texts.append(text)
        return texts

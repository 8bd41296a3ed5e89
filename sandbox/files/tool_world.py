"""Tools of an environment that run in a worker, on files that the parent keeps (a "world" of
files).

`WorkerTools` is the parent's side. It keeps the files and all changes of them. If the worker dies,
a new one gets the same files and changes. `begin` and `call` run in the worker. A text is sent
there only when a tool first reads it (`AskedFiles`).

A module of tools has a function `open_tools(files, directories, data)` that returns its `Tools`. It
is imported before the worker's isolation begins.
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
"""The most texts that the worker requests at once."""
TEXTS_CHARS: Final = 1_000_000
"""The most characters of all texts in one answer of the parent. The first text may be longer."""
TOOL_WORLD: Final = __name__
"""The name of this module. A fork server for such tools imports it and the module of the tools."""


class Tools(Protocol):
    """The tools of a world. Their changes go to `tree`."""

    tree: FileTree

    def call(self, operation: str, arguments: Mapping[str, Any]) -> dict[str, Plain]:
        """Make one call with all arguments and return its result fields. Raises `CallError`."""
        ...


class AskedFiles(ListedFiles):
    """The files of the world in the worker: all paths, and the texts that were requested so far.

    A request for a missing text also fetches some of the texts that follow it, four times as many
    with each request. So a tool that reads one file causes one transfer, and a tool that reads all
    files seldom waits.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self.paths: dict[str, str | None] = dict.fromkeys(paths)
        self._at_once = 1

    def __getitem__(self, path: str) -> str:
        text = self.paths[path]
        return self._ask_for(path) if text is None else text

    def _ask_for(self, path: str) -> str:
        """Return a text after requesting it from the parent. Raises `KeyError` if there is none."""
        # Only a worker has loaded this module.
        from controlplane.sandbox.child.worker_process import ask_parent

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
    """The tools of this worker process, and the changes of the files by the current call."""

    tools: Tools
    changes: dict[str, Plain]


def begin(
    module: str,
    paths: list[str],
    directories: list[str],
    changes: dict[str, str | None],
    data: Plain,
) -> None:
    """Set up the tools in a new worker, with all changes so far. Called by `WorkerTools`."""
    tools: Tools = sys.modules[module].open_tools(AskedFiles(paths), tuple(directories), data)
    for path, text in changes.items():
        tools.tree.apply(path, text)
    tools.tree.on_change = lambda path, text: _World.changes.update({path: text})
    _World.tools = tools


def call(
    operation: str, arguments: dict[str, Plain], changes: dict[str, str | None]
) -> dict[str, Plain]:
    """Make the parent's `changes`, then a call. Returns its `result` and its own `changes`."""
    _World.changes = {}
    for path, text in changes.items():
        _World.tools.tree.apply(path, text)
    _World.changes = {}
    result = _World.tools.call(operation, arguments)
    return {"result": result, "changes": _World.changes}


class WorkerTools:
    """Makes the calls of a trial's tools in its worker.

    `tree` has the files of `world` and all changes.
    """

    def __init__(self, worker: Worker, tree: FileTree, world: WorldFiles) -> None:
        self._worker = worker
        self._tree = tree
        self._world = world
        self._sent: dict[str, str | None] = {}
        """The changes of files that the worker knows."""
        # A weak reference: otherwise worker and tools refer to each other, and are freed late.
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
                # The worker may have made a change that the parent never received.
                self._worker.close()
            raise
        try:
            result = self._applied(reply)
        except BaseException:
            self._worker.close()
            raise
        self._sent = dict(self._tree.changes)
        return fresh_result(operation, result)

    def _unsent_changes(self) -> dict[str, str | None]:
        """Return the changes of files that the worker does not know."""
        unsent = {}
        for path, text in self._tree.changes.items():
            if path not in self._sent or self._sent[path] != text:
                unsent[path] = text
        return unsent

    def _applied(self, reply: Any) -> dict[str, Plain]:
        """Make the changes in a reply, and return its result."""
        match reply:
            case {"result": dict(result), "changes": dict(changes)} if _are_texts(changes):
                for path, text in changes.items():
                    self._tree.apply(path, text)
                return result
            case _:
                raise CallError(INTERNAL, "the process that worked on the call sent no result")

    def _begin(self) -> None:
        """Set up the tools in a worker that has just started."""
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
        """Return the texts of the requested paths, or of the first ones if one answer cannot hold
        all."""
        texts: list[Plain] = []
        room = TEXTS_CHARS
        for path in question:
            try:
                text = self._world.texts.get(path) if isinstance(path, str) else None
            except CallError:
                if texts:
                    break  # Only the first text is needed now.
                raise
            room -= len(text or "")
            if texts and room < 0:
                break
            texts.append(text)
        return texts


def _are_texts(changes: dict[str, Any]) -> bool:
    """Return True if every change writes a text, or deletes a file (None)."""
    return all(isinstance(text, str | None) for text in changes.values())

"""Tools of an environment that run in a worker (an isolated process), on files of the parent.

The world of a trial (`WorldFiles`) is its files, with the name of the module of its tools.
That module has a function `open_tools(files, directories, data)`, which returns `Tools`.

- In the parent, `WorkerTools` keeps the files and all changes of them, and makes the
  calls. If the worker dies, a new one gets the same files and changes.
- In the worker, the function `begin` sets up the tools, and `call` makes one call. The
  worker has all paths from the start, but a text only once a tool has read it
  (`AskedFiles`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol, cast
from weakref import WeakMethod

from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.files.listed_files import ListedFiles
from controlplane.sandbox.files.world_files import WorldFiles
from controlplane.sandbox.interface.error_codes import (
    INTERNAL,
    RESOURCE_EXHAUSTED,
    CallError,
)
from controlplane.sandbox.interface.operations import Plain
from controlplane.sandbox.interface.results import fresh_result

if TYPE_CHECKING:
    from controlplane.sandbox.parent.worker import Worker

MOST_AT_ONCE: Final = 256
"""The most texts that the worker requests at once."""
TEXTS_CHARS: Final = 1_000_000
"""The most characters of all texts in one answer of the parent. The first text may be longer."""
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


class AskedFiles(ListedFiles):
    """The files of the world in the worker: all paths, and the texts that were requested so far.

    A request for a missing text also fetches some of the texts that follow it, four
    times as many with each request. So a tool that reads one file causes one transfer,
    and a tool that reads all files seldom waits.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self.paths: dict[str, str | None] = dict.fromkeys(paths)
        """The texts by path; None for a text that was not requested so far."""
        self._at_once = 1
        """The most texts of the next request."""

    def __getitem__(self, path: str) -> str:
        text = self.paths[path]
        if text is None:
            return self._ask_for(path)
        return text

    def _ask_for(self, path: str) -> str:
        """Return a text after requesting it from the parent. Raises `KeyError` if there is none."""
        # Only a worker has loaded this module.
        from controlplane.sandbox.child.worker_process import ask_parent

        requested_paths = [path]
        for further_path, text in self.paths.items():
            if len(requested_paths) >= self._at_once:
                break
            if text is None and further_path != path:
                requested_paths.append(further_path)
        self._at_once = min(4 * self._at_once, MOST_AT_ONCE)

        # The parent may return fewer texts than requested, if one answer cannot hold
        # all of them. The others are requested again when they are needed.
        texts = cast("list[Any]", ask_parent(*requested_paths))
        self.paths.update(zip(requested_paths, texts, strict=False))
        if texts[0] is None:
            raise KeyError(path)
        return str(texts[0])


class _World:
    """The state of this worker process, in class attributes: it has one world at most."""

    tools: Tools
    changes: dict[str, Plain]
    """The files that the current call has changed, by path; None for a deleted one."""


def begin(
    module: str,
    paths: list[str],
    directories: list[str],
    changes: dict[str, str | None],
    data: Plain,
) -> None:
    """Set up the tools in a new worker, with all changes so far. Called by `WorkerTools`."""
    tools: Tools = sys.modules[module].open_tools(
        AskedFiles(paths), tuple(directories), data
    )
    for path, text in changes.items():
        tools.tree.apply(path, text)
    tools.tree.watch_changes(_note_change)
    _World.tools = tools


def _note_change(path: str, text: str | None) -> None:
    _World.changes[path] = text


def call(
    operation: str, arguments: dict[str, Plain], changes: dict[str, str | None]
) -> dict[str, Plain]:
    """Make the `changes` that the parent has made of files, and then a call.

    Returns the call's `result`, and the `changes` that the call itself has made.
    """
    # 1. Make the parent's changes. The tree records them in `_World.changes`, too (`on_change`).
    _World.changes = {}
    for path, text in changes.items():
        _World.tools.tree.apply(path, text)

    # 2. Make the call. Forget the changes recorded before: the parent knows those.
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
        self._changes_in_worker: dict[str, str | None] = {}
        """The changes of files that the worker knows. All changes are in `tree.changes`."""

        # These tools refer to the worker. If the worker also referred to them, both would
        # be freed late, by the search for garbage. So it gets a function that has only a
        # weak reference to the tools.
        set_up_worker_reference = WeakMethod(self._set_up_worker)

        def set_up_worker_if_needed() -> None:
            set_up_worker = set_up_worker_reference()
            if set_up_worker is not None:  # None if the tools are not used any more.
                set_up_worker()

        worker.when_started(set_up_worker_if_needed)

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one call and return its result. Raises `CallError`; then nothing has changed."""
        unsent = self._unsent_changes()
        try:
            reply = self._worker.call(
                f"{TOOL_WORLD}:call",
                operation,
                dict(arguments),
                unsent,
                serve=self._texts,
            )
        except CallError as error:
            # With these codes, the call may have been broken off after it changed a file
            # in the worker, but not in the parent. So close the worker: the next call gets
            # a new one without that change. A tool that itself raises another error has
            # changed nothing.
            if error.code in (INTERNAL, RESOURCE_EXHAUSTED):
                self._worker.close()
            raise
        try:
            result = self._applied(reply)
        except BaseException:
            self._worker.close()
            raise
        self._changes_in_worker = dict(self._tree.changes)
        return fresh_result(operation, result)

    def _unsent_changes(self) -> dict[str, str | None]:
        """Return the changes of files that the worker does not know."""
        unsent = {}
        for path, text in self._tree.changes.items():
            # A path may be known with the text None: as a deleted file.
            is_known = (
                path in self._changes_in_worker
                and self._changes_in_worker[path] == text
            )
            if not is_known:
                unsent[path] = text
        return unsent

    def _applied(self, reply: Any) -> dict[str, Plain]:
        """Make the changes in a reply, and return its result."""
        match reply:
            case {"result": dict(result), "changes": dict(changes)} if _are_texts(
                changes
            ):
                for path, text in changes.items():
                    self._tree.apply(path, text)
                return result
            case _:
                raise CallError(
                    INTERNAL, "the process that worked on the call sent no result"
                )

    def _set_up_worker(self) -> None:
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
        self._changes_in_worker = changes

    def _texts(self, question: list[Any]) -> list[Plain]:
        """Answer a question of the worker (`AskedFiles`): return the texts of the requested paths.

        If one answer cannot hold all of them, returns those of the first paths.
        """
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

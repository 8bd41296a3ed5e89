"""The tools of a trial as its parent has them: files here, and calls in a worker.

A tool may be attacked by the data that it reads, so it runs in an isolated process. There,
`tool_world` makes the call, and returns the result with the changes of files. The parent then
makes the same changes in its own tree, which is the one that counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakMethod

from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.files.tool_world import TOOL_WORLD
from controlplane.sandbox.interface.error_codes import (
    INTERNAL,
    RESOURCE_EXHAUSTED,
    CallError,
)
from controlplane.sandbox.interface.operations import Plain
from controlplane.sandbox.interface.results import fresh_result

if TYPE_CHECKING:
    from controlplane.sandbox.parent.worker import Worker

# The files of an environment at the start of a trial, for tools that run in a worker.


@dataclass(frozen=True, slots=True)
class WorldFiles:
    """The files of an environment, and the module of the tools that work on them."""

    texts: Mapping[str, str]
    """The texts by path."""
    module: str
    """The module of the tools. It has a function `open_tools`, as `tool_world` describes."""
    directories: tuple[str, ...] = ()
    """Directories that exist even without files."""
    data: Plain = None
    """Passed to `open_tools` as its last argument."""


class WorkerTools:
    """Makes the calls of a trial's tools in its worker, an isolated process.

    A tool may change files in the worker. Its reply brings these changes, which are then
    made in `tree`, the parent's own files. If the worker dies, a new one gets the files of
    `world` and all changes so far.
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
        """Make one call of a tool, and return its result.

        If it raises `CallError`, the call has changed no file.
        """
        reply = self._reply_of_worker(operation, arguments)
        try:
            result = self._applied(reply)
        except BaseException:
            self._worker.close()
            raise
        self._changes_in_worker = dict(self._tree.changes)
        return fresh_result(operation, result)

    def _reply_of_worker(self, operation: str, arguments: Mapping[str, Plain]) -> Any:
        """Make a call in the worker, and return `{"result": {...}, "changes": {...}}`.

        The changes of files that the worker does not know yet are sent with the call.
        Raises `CallError`.
        """
        unsent = _changes_between(self._changes_in_worker, self._tree.changes)
        try:
            return self._worker.call(
                f"{TOOL_WORLD}:call",
                operation,
                dict(arguments),
                unsent,
                serve=self._answer_question,
            )
        except CallError as error:
            # With these codes, the call may have been broken off after it changed a file
            # in the worker, but not in the parent. So close the worker: the next call gets
            # a new one without that change. A tool that itself raises another error has
            # changed nothing.
            if error.code in (INTERNAL, RESOURCE_EXHAUSTED):
                self._worker.close()
            raise

    def _applied(self, reply: Any) -> dict[str, Plain]:
        """Make the changes of a reply in the parent's tree, and return the reply's result.

        The worker has made them within the same limits, so each can be made. Raises
        `CallError` for a reply of another form: the worker is untrusted.
        """
        match reply:
            case {"result": dict(result), "changes": dict(changes)}:
                if all(isinstance(text, str | None) for text in changes.values()):
                    for path, text in changes.items():
                        self._tree.apply(path, text)
                    return result
        msg = "the process that worked on the call sent no result"
        raise CallError(INTERNAL, msg)

    def _set_up_worker(self) -> None:
        """Give a worker that has just started the names of the files, and all changes so far.

        The worker asks for a text when a tool needs it.
        """
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

    def _answer_question(self, paths: list[Any]) -> list[Plain]:
        """Return the texts of files for which a tool asks while it runs."""
        return _first_texts(self._world.texts, paths)


def _changes_between(
    known: Mapping[str, str | None], changes: Mapping[str, str | None]
) -> dict[str, str | None]:
    """Return the changes of files that are not among the known ones.

    `known` is `{"/a.md": "old"}` and `changes` `{"/a.md": "new", "/b.md": None}` (deleted):
    returns all of `changes`, because `/a.md` has another text now.
    """
    unknown = {}
    for path, text in changes.items():
        # A path may be known with the text None: as a deleted file.
        is_known = path in known and known[path] == text
        if not is_known:
            unknown[path] = text
    return unknown


# Texts that the worker asks for

_MOST_CHARS: Final = 1_000_000
"""The most characters of all texts in one answer. The first text may be longer."""


def _first_texts(files: Mapping[str, str], paths: list[Any]) -> list[Plain]:
    """Return the texts of the paths that an untrusted worker asks for; None for an unknown path.

    `["/a.md", "/no.md"]` -> `["# Rules", None]`. If one answer cannot hold all of them, or one
    cannot be read, returns those of the paths before. Raises `CallError` if the first path
    cannot be read.
    """
    texts: list[Plain] = []
    remaining_chars = _MOST_CHARS
    for path in paths:
        try:
            text = files.get(path) if isinstance(path, str) else None
        except CallError:
            # A tool waits for the first text. The others are only sent in advance.
            if texts:
                break
            raise
        remaining_chars -= len(text or "")
        if texts and remaining_chars < 0:
            break
        texts.append(text)
    return texts

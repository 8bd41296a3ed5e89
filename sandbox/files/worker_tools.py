"""The tools of a world of files, run in a worker: this side holds the files and every change that the tools make.

The files suffice to make the world again as it was before a call that the worker did not survive.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from weakref import WeakMethod

from sandbox.files.file_tree import FileTree, WorldFiles
from sandbox.interface.error_codes import INTERNAL, RESOURCE_EXHAUSTED, CallError
from sandbox.interface.host import fresh_result
from sandbox.interface.operations import Plain
from sandbox.parent.worker import Worker

TOOL_WORLD: Final = "sandbox.files.tool_world"
"""The module that holds the world in a worker; a fork server is given it, and the module of the tools."""


class WorkerTools:
    """Makes the calls of one trial's tools in its worker, on the files of `tree` over those of a world."""

    def __init__(self, worker: Worker, tree: FileTree, world: WorldFiles) -> None:
        self._worker = worker
        self._tree = tree
        self._world = world
        self._sent: dict[str, str | None] = {}
        """The changes that the worker has."""
        begin = WeakMethod(self._begin)  # If the worker held this world, it would stay until garbage is collected.
        worker.when_started(lambda: run() if (run := begin()) else None)

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one call and return its result. Raises `CallError`; then nothing has changed."""
        unsent = {path: text for path, text in self._tree.changes.items() if self._sent.get(path, path) != text}
        try:
            reply = self._worker.call(f"{TOOL_WORLD}:call", operation, dict(arguments), unsent, serve=self._texts)
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

    def _applied(self, reply: Any) -> dict[str, Plain]:
        """Return the result in a reply, once the changes in it are made."""
        match reply:
            case [dict(result), dict(changes)] if all(isinstance(text, str | None) for text in changes.values()):
                for path, text in changes.items():
                    self._tree.apply(path, text)
                return result
        raise CallError(INTERNAL, "the process that worked on the call sent no result")

    def _begin(self) -> None:
        changes, world = dict(self._tree.changes), self._world
        given = world.module, list(world.texts), list(world.directories), changes, world.data
        self._worker.call(f"{TOOL_WORLD}:begin", *given)
        self._sent = changes

    def _texts(self, question: list[Any]) -> list[Plain]:
        """Return the texts of the requested paths, from the first on, as many as one answer carries."""
        texts: list[Plain] = []
        # Max characters of the texts in one answer, apart from the first text.
        room = 1_000_000
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

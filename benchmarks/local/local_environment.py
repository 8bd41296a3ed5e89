"""The environment of one trial whose world is files in this process: calls, changes and one answer.

Calls compute in the trial's aide if the environment was given one, else in this process.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from sandbox.interface import CallError, Plain, Surface, error_codes

if TYPE_CHECKING:
    from sandbox import Aide


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """The one answer of a trial, as submitted."""

    message: str
    outcome: str
    refs: tuple[str, ...]


class Files(Protocol):
    """Makes the calls of a world."""

    @property
    def changes(self) -> Mapping[str, str | None]:
        """The files written (path to text) and deleted (path to None) since the start."""
        ...

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one call and return its result fields. Raises `CallError`."""
        ...


@dataclass(frozen=True, slots=True)
class FirstFiles:
    """The files of a world at a trial's start, and the module that makes calls on them in an aide."""

    texts: Mapping[str, str]
    module: str
    """Makes the calls in an aide; see `sandbox.files.AidedFiles`."""
    directories: tuple[str, ...] = ()
    """Directories that exist even without files."""
    data: Plain = None
    serves_whole_files: bool = False
    """True if reading a whole file does not need the module."""


class LocalEnvironment(ABC):
    """The world that a trial's scripts work in. Changes stay within the trial. Calls may come from any thread."""

    def __init__(self, surface: Surface, first: FirstFiles) -> None:
        self.submission: GivenAnswer | None = None
        self.surface = surface
        self.first_files = first.texts
        """The files by path as the trial found them."""
        self._first = first
        self._files: Files | None = None
        self._lock = threading.Lock()
        self._is_open = True

    @property
    def changes(self) -> Mapping[str, str | None]:
        """The files written (path to text) and deleted (path to None) since the start."""
        return {} if self._files is None else self._files.changes

    def use_aide(self, aide: Aide) -> None:
        """Compute every further call in `aide`, which has not begun, with the changes of earlier calls."""
        from sandbox.files import AidedFiles

        first = self._first
        with self._lock:
            aided = AidedFiles(aide, first.module, first.texts, directories=first.directories, data=first.data)
            aided.serves_whole_files = first.serves_whole_files
            aided.changes.update(self.changes)
            self._files = aided

    @abstractmethod
    def now(self) -> datetime | None:
        """Return the world's clock, None if the world has no clock."""

    @abstractmethod
    def files_here(self) -> Files:
        """Return the object that makes the calls in this process."""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one call of a declared operation and return its result fields. Raises `CallError`."""
        with self._lock:
            self._refuse_when_ended()
            if self.surface.operation(operation) is None:
                raise CallError(error_codes.UNIMPLEMENTED, f"there is no operation {operation[:60]!r}")
            return self.computed(operation, arguments)

    def computed(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Compute a call of any operation, in the aide if there is one, and return its result. Raises `CallError`."""
        if self._files is None:
            self._files = self.files_here()
        return self._files.call(operation, arguments)

    def knows_file(self, path: str) -> bool:
        """Say whether a file is at exactly `path`, or was there at the start."""
        is_tool = any(path == tool.path for tool in self.surface.executables)
        return is_tool or path in self.first_files or self.changes.get(path) is not None

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Submit the trial's one answer. Raises `CallError`: `already_exists` for a second one."""
        with self._lock:
            self._refuse_when_ended()
            if self.submission is not None:
                raise CallError(error_codes.ALREADY_EXISTS, "this trial has its answer already")
            self.take_answer(GivenAnswer(message, outcome, tuple(refs)))

    def take_answer(self, given: GivenAnswer) -> None:
        """Keep the answer, for the grader."""
        self.submission = given

    def close(self) -> None:
        """End the trial: every later call fails with `failed_precondition`."""
        with self._lock:
            self._is_open = False

    def _refuse_when_ended(self) -> None:
        if not self._is_open:
            raise CallError(error_codes.FAILED_PRECONDITION, "this trial has ended")

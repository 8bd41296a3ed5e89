"""A world of files whose calls are computed in an aide: this side holds the first texts and the changes.

The changes suffice to make the world again as it was before a call that the aide did not survive.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final
from weakref import WeakMethod

from pydantic_core import to_json

from sandbox.files.file_paths import MAX_CHANGES_BYTES, bytes_of_change, whole_file
from sandbox.interface.error_codes import INTERNAL, RESOURCE_EXHAUSTED
from sandbox.interface.host import FreshFields, check_size, is_flat
from sandbox.interface.operations import CallError, Plain
from sandbox.parent.aide import Aide, Texts

MOST_CHARS_AT_ONCE: Final = 1_000_000
"""Max characters of the texts in one answer, apart from the first text."""
MOST_CHARS_SERVED: Final = 100_000
"""Max characters of a file that is served here: no bound on results applies to it."""


class AidedFiles:
    """Makes the calls of one trial's files in its aide.

    `module` names the module that runs there. Its `begin(paths, directories, changes, data)` makes the world in a new
    process, over `sandbox.files.AskedFiles`; it may return calls that no change affects, as a list of operation,
    arguments and result, which are then answered here. Its `call(operation, arguments)` returns a call's result and
    changes, as a list of path and text (None: deleted).
    """

    def __init__(
        self,
        aide: Aide,
        module: str,
        base: Mapping[str, str],
        *,
        directories: tuple[str, ...] = (),
        data: Plain = None,
    ) -> None:
        self.changes: dict[str, str | None] = {}
        """Written (path to text) and deleted (path to None) files since the start; may be given before a call."""
        self.serves_whole_files = False
        """Answer a `read` of a whole, unchanged file at its own path here. Most calls are of this kind, and a message
        to the aide and back takes ten times as long."""
        self._aide = aide
        self._module = module
        self._base = base
        self._directories = directories
        self._data = data
        self.on_change: Callable[[str, str | None], None] = lambda path, text: None
        self._held_bytes = 0
        self._constant: dict[tuple[str, str], list[tuple[Mapping[str, Plain], Mapping[str, Plain]]]] = {}
        """The arguments and results of calls that no change affects, by operation and path."""
        begin = WeakMethod(self._begin)  # If the aide held this world, it would stay until garbage is collected.
        aide.when_started(lambda: run() if (run := begin()) else None)

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one call and return its result. Raises `CallError`; then nothing has changed."""
        if operation == "read" and self.serves_whole_files and (text := self._first_text(**arguments)) is not None:
            return whole_file(str(arguments["path"]), text)
        path = arguments.get("path")
        for known, constant in self._constant.get((operation, path), ()) if isinstance(path, str) else ():
            if known == arguments:
                return dict(constant)
        try:
            given = self._aide.call(f"{self._module}:call", operation, dict(arguments), serve=self._texts)
        except CallError as error:
            if error.code in (INTERNAL, RESOURCE_EXHAUSTED):
                self._aide.close()  # The world there may have a change that this side never received.
            raise
        try:
            result = self._taken_over(given)
        except BaseException:
            self._aide.close()
            raise
        if is_flat(result):
            return result
        check_size(operation, to_json(result))
        return FreshFields(result)

    def _first_text(self, path: Plain = "", start_line: Plain = 0, end_line: Plain = 0, **others: Plain) -> str | None:
        """Return the text of a whole file that a `read` asks for, if it is short and unchanged since the start."""
        if start_line != 0 or end_line != 0 or others or not isinstance(path, str) or path in self.changes:
            return None
        text = self._base.get(path)
        return None if text is None or len(text) > MOST_CHARS_SERVED else text

    def _taken_over(self, given: Any) -> dict[str, Plain]:
        """Return the result of a call, once its changes are kept."""
        match given:
            case [dict(result), list(changes)] if all(map(_is_change, changes)):
                for path, text in changes:
                    held = self._held_bytes + bytes_of_change(path, text)
                    if path in self.changes:
                        held -= bytes_of_change(path, self.changes[path])
                    if held > MAX_CHANGES_BYTES:
                        raise CallError(RESOURCE_EXHAUSTED, f"changes may take at most {MAX_CHANGES_BYTES} bytes")
                    self.on_change(path, text)
                    self.changes[path] = text
                    self._held_bytes = held
                return result
        raise CallError(INTERNAL, "the process that worked on the call sent no result")

    def _begin(self) -> None:
        paths: list[Plain] = list(self._base)
        given = self._aide.call(f"{self._module}:begin", paths, list(self._directories), dict(self.changes), self._data)
        match given:
            case [*told] if all(map(_is_constant, told)):
                self._constant = {}
                for operation, arguments, result in told:
                    self._constant.setdefault((operation, arguments["path"]), []).append((arguments, result))

    def _texts(self, question: list[Any]) -> Texts:
        """Return the texts of the requested paths, from the first on, as many as one answer carries."""
        texts = Texts()
        room = MOST_CHARS_AT_ONCE
        for path in question:
            try:
                text = self._base.get(path) if isinstance(path, str) else None
            except CallError:
                if texts:
                    break  # It is not needed yet.
                raise
            room -= len(text or "")
            if texts and room < 0:
                break
            texts.append(text)
        return texts


def _is_constant(given: object) -> bool:
    match given:
        case [str(), {"path": str()}, dict(result)]:
            return is_flat(result)
    return False


def _is_change(given: object) -> bool:
    match given:
        case [str(), str() | None]:
            return True
    return False

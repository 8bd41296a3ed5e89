"""`open` for scripts: reads a file of the environment, as `harness.read` does, and never one of the machine."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, Final

from controlplane.sandbox.child.harness import whole_text
from controlplane.sandbox.child.scratchpad import Ask
from controlplane.sandbox.interface.operations import Effect, Operation
from controlplane.sandbox.interface.records import Record

_TEXT_MODES: Final = ("r", "rt", "tr")
_BINARY_MODES: Final = ("rb", "br")


def reading_operation(operations: tuple[Operation, ...]) -> Operation | None:
    """Return the operation `read` of an environment with files; None if there is none."""
    for operation in operations:
        reads_text = operation.effect is Effect.READS and operation.json_field
        if operation.name == "read" and reads_text:
            return operation
    return None


def build_open(operation: Operation, ask: Ask) -> Callable[..., Any]:
    """Return an `open` whose files are in memory, filled by a call of the reading operation.

    The parent makes that call and records it as it does for `harness.read`, so that the file is
    citable afterwards.
    """

    def open_file(
        path: Any,
        mode: Any = "r",
        buffering: Any = -1,
        encoding: Any = None,
        errors: Any = None,
        newline: Any = None,
    ) -> Any:
        """Return an open file with the text of `path`. Raises `FileNotFoundError`."""
        if mode not in (*_TEXT_MODES, *_BINARY_MODES):
            msg = "open(path) only reads here; write with harness.write(path, content)"
            raise ValueError(msg)
        result = Record(ask("call", [operation.name, [path], {}]))
        text = whole_text(result, operation, ask)
        if mode in _BINARY_MODES:
            return io.BytesIO(text.encode())
        return io.StringIO(text)

    open_file.__name__ = "open"
    open_file.__qualname__ = "open"
    return open_file

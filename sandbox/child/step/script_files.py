"""`open` for scripts: reads files of the environment as `harness.read` does.

It never opens a file of the machine, and it cannot write.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, Final

from controlplane.sandbox.child.step.harness.long_texts import Call, text_to_the_end
from controlplane.sandbox.interface.operations import Effect, Operation
from controlplane.sandbox.interface.records import Record

_TEXT_MODES: Final = ("r", "rt", "tr")
_BINARY_MODES: Final = ("rb", "br")


def reading_operation(operations: tuple[Operation, ...]) -> Operation | None:
    """Return the operation `read`, or None if the environment does not declare one."""
    for operation in operations:
        # `json_field` is the field of a result with a text.
        reads_text = operation.effect is Effect.READS and operation.json_field
        if operation.name == "read" and reads_text:
            return operation
    return None


def build_open(operation: Operation, call: Call) -> Callable[..., Any]:
    """Return the function `open` of scripts.

    It reads a whole file by the operation, and returns it in memory. The script can
    cite the file, because the parent records the call like one of `harness.read`. Options
    such as `encoding` are accepted and ignored, because the operation returns text.
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
        result = Record(call(operation.name, [path], {}))
        text = text_to_the_end(result, operation, call)
        if mode in _BINARY_MODES:
            return io.BytesIO(text.encode())
        return io.StringIO(text)

    open_file.__name__ = "open"
    open_file.__qualname__ = "open"
    return open_file

"""What a script finds when it runs: its names, its console, and a function `open`."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from io import TextIOBase
from types import ModuleType
from typing import Any, Final, NamedTuple

from controlplane.sandbox.child.language.script_builtins import (
    builtins_of_step,
    show_help,
)
from controlplane.sandbox.child.language.script_modules import (
    Modules,
    ready_modules,
)
from controlplane.sandbox.child.step.harness import Call, text_to_the_end
from controlplane.sandbox.child.step.scratchpad import EXCEPTIONS
from controlplane.sandbox.child.walls.step_timers import StepTimers
from controlplane.sandbox.interface.frames import Connection
from controlplane.sandbox.interface.limits import Layer
from controlplane.sandbox.interface.messages import ScriptSetting
from controlplane.sandbox.interface.operations import Effect, Operation
from controlplane.sandbox.interface.records import Record


class StepContext(NamedTuple):
    """What the steps of a process share."""

    connection: Connection
    setting: ScriptSetting
    modules: Modules
    functions: Mapping[str, ModuleType]
    """The loaded modules of the benchmark's functions, by name."""
    harness: Any
    """The object by which scripts make calls: `harness.read("/a.md")`."""
    timers: StepTimers | None
    """They limit the time of a step; None if nothing limits this process."""
    call_seconds: Mapping[str, float]
    """The seconds that calls may take beside their step's: `{"search": 120.0}`."""

    @property
    def has_language_policy(self) -> bool:
        """True if scripts may use only a part of Python."""
        return Layer.LANGUAGE in self.setting.isolation


# `sys.stdout` and `sys.stderr` of a script. What they get is the output of the step.


class Console(TextIOBase):
    """A step's `sys.stdout` and `sys.stderr`.

    It is also the `console` of JavaScript, which models sometimes write: its `log` prints.
    """

    encoding = "utf-8"

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write

    def write(self, text: str) -> int:
        """Print a text as it is."""
        if not isinstance(text, str):
            msg = f"write() argument must be str, not {type(text).__name__}"
            raise TypeError(msg)
        self._write(str.__str__(text))  # a plain text, also of a subclass of `str`
        return len(text)

    def reconfigure(self, **options: Any) -> None:
        """Do nothing: the output is text, without an encoding to choose."""

    # `print` writes to `sys.stdout`, which is this console.
    log = staticmethod(print)
    info = staticmethod(print)
    warn = staticmethod(print)
    warning = staticmethod(print)
    error = staticmethod(print)
    debug = staticmethod(print)


# `open` for scripts: reads files of the environment as `harness.read` does.
#
# It never opens a file of the machine, and it cannot write.

_TEXT_MODES: Final = ("r", "rt", "tr")
_BINARY_MODES: Final = ("rb", "br")


def _reading_operation(operations: tuple[Operation, ...]) -> Operation | None:
    """Return the operation `read`, or None if the environment does not declare one."""
    for operation in operations:
        # `json_field` is the field of a result with a text.
        reads_text = operation.effect is Effect.READS and operation.json_field
        if operation.name == "read" and reads_text:
            return operation
    return None


def _build_open(operation: Operation, call: Call) -> Callable[..., Any]:
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


# The names that every script has: builtins, `harness`, `scratchpad` and a few modules.
#
# A script is executed with a dict of its global names. Under the language policy, which limits
# what Python a script may use, the dict also replaces Python's builtins: `__builtins__` is the
# name by which Python looks them up.


def names_of_script(
    context: StepContext, source: str, call: Call, scratchpad: Any, console: Console
) -> dict[str, Any]:
    """Return the global names of a script, whose text is `source`."""
    objects = {
        "harness": context.harness,
        "scratchpad": scratchpad,
        "console": console,
    }
    functions = vars(context.harness).get("tools")
    if functions is not None:
        objects["tools"] = functions

    given = {
        **EXCEPTIONS,  # `HarnessError`, which a call raises, and others
        **ready_modules(context.modules, source),  # `json` and others
    }
    if not context.has_language_policy:
        # It keeps Python's builtins, `open` among them, which belong to the whole process.
        return {**given, "help": show_help, **objects}

    # `len`, `print`, and `__import__`
    builtin_names = {**builtins_of_step(context.modules), **given}
    # `open` reads by the operation `read`, if the environment has one.
    reading = _reading_operation(context.setting.operations)
    if reading is not None:
        builtin_names["open"] = _build_open(reading, call)
    return {"__builtins__": builtin_names, **objects}

"""Compiles and runs the script of a step."""

from __future__ import annotations

import gc
import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from io import TextIOBase
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from controlplane.sandbox.child.language.script_builtins import (
    builtins_of_step,
    show_help,
)
from controlplane.sandbox.child.language.script_compiler import compile_script
from controlplane.sandbox.child.language.script_errors import (
    RefusedScript,
    describe_refusal,
)
from controlplane.sandbox.child.language.script_modules import (
    STEP,
    Modules,
    ready_modules,
)
from controlplane.sandbox.child.step.harness import Call, text_to_the_end
from controlplane.sandbox.child.step.scratchpad import EXCEPTIONS
from controlplane.sandbox.child.step.step_errors import StepContext, StepErrors
from controlplane.sandbox.interface.host import Ending
from controlplane.sandbox.interface.operations import Effect, Operation
from controlplane.sandbox.interface.records import Record

if TYPE_CHECKING:
    from controlplane.sandbox.child.step.step import Step

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


@dataclass(frozen=True, slots=True)
class _GivenNames:
    """The names for the scripts of one step."""

    modules: Modules
    """What scripts can import."""
    operations: tuple[Operation, ...]
    call: Call
    objects: dict[str, Any]
    """`harness`, `scratchpad` and `console`, by name; `tools`, if the benchmark has functions."""
    source: str
    """The text of the script."""

    def for_guarded_script(self) -> dict[str, Any]:
        """Return the global names of a script under the language policy."""
        builtin_names = {
            **builtins_of_step(self.modules),  # `len`, `print`, and `__import__`
            **EXCEPTIONS,  # `HarnessError`, which a call raises, and others
            **ready_modules(self.modules, self.source),  # `json` and others
        }
        # `open` reads by the operation `read`, if the environment has one.
        reading = _reading_operation(self.operations)
        if reading is not None:
            builtin_names["open"] = _build_open(reading, self.call)
        return {"__builtins__": builtin_names, **self.objects}

    def for_plain_python(self) -> dict[str, Any]:
        """Return the global names of a script without the language policy.

        It keeps Python's builtins, `open` among them, which belong to the whole process.
        """
        return {
            **EXCEPTIONS,
            **ready_modules(self.modules, self.source),
            "help": show_help,
            **self.objects,
        }


class ScriptOutcome(NamedTuple):
    """How a script ended, for the report to the parent."""

    ending: Ending
    """For example `FINISHED`, `RAISED` (an exception) or `REFUSED` (it was not run)."""
    error: str = ""
    """The traceback or the refusal that the model is shown; empty if the script finished."""
    is_out_of_memory: bool = False
    """True if the script reached the memory limit of this process."""

    def with_fault(self, fault: str) -> ScriptOutcome:
        """Return this outcome with a fault that was found after the script had ended.

        A script that finished then counts as one that raised.
        """
        ending = self.ending
        if ending is Ending.FINISHED:
            ending = Ending.RAISED
        return self._replace(ending=ending, error=f"{self.error}\n{fault}".strip())


class CurrentScript:
    """Runs a script, written by a model, as the current step of this process.

    What the script prints, and what it requests, goes through `step` to the parent.
    """

    def __init__(self, context: StepContext, step: Step, errors: StepErrors) -> None:
        self._context = context
        self._step = step
        self._errors = errors

    def execute(self) -> ScriptOutcome:
        """Compile the script, make its step the current one, and run the script.

        Nothing that the script raises leaves this method: it becomes the outcome.
        """
        try:
            code = self._compile()
        except RefusedScript as refused:
            ending = Ending.SYNTAX if refused.is_syntax else Ending.REFUSED
            return ScriptOutcome(ending, describe_refusal(refused))

        main = self._enter_step()
        try:
            exec(code, vars(main))
        except BaseException as error:  # noqa: BLE001 - the border to the script
            return self._outcome_after(error)
        return ScriptOutcome(Ending.FINISHED)

    def _compile(self) -> CodeType:
        """Return the compiled script. Raises `RefusedScript` if it is not Python, or not allowed."""
        gc.disable()  # Compiling makes many objects, none of which are garbage.
        try:
            return compile_script(
                self._errors.source, is_guarded=self._context.has_language_policy
            )
        finally:
            gc.enable()

    def _enter_step(self) -> ModuleType:
        """Make this step the current one of the process, and return the module of its script.

        The module has the names that a script finds, such as `harness` and `scratchpad`. The
        next step replaces all that is set here.
        """
        # `dataclasses`, for example, looks up names of a script's classes in its module.
        main = ModuleType("__main__")
        sys.modules["__main__"] = main

        console = Console(self._step.conversation.print)
        sys.stdout = console
        sys.stderr = console

        # The modules and builtins of scripts exist only once. They find the step in `STEP`.
        STEP.describe = self._errors.describe
        STEP.call = self._step.requests.call
        STEP.answer = self._step.answer

        objects = {
            "harness": self._context.harness,
            "scratchpad": self._step.scratchpad,
            "console": console,
        }
        functions = vars(self._context.harness).get("tools")
        if functions is not None:
            objects["tools"] = functions
        names = _GivenNames(
            self._context.modules,
            self._context.setting.operations,
            self._step.requests.call,
            objects,
            self._errors.source,
        )
        if self._context.has_language_policy:
            vars(main).update(names.for_guarded_script())
        else:
            vars(main).update(names.for_plain_python())
        return main

    def _outcome_after(self, error: BaseException) -> ScriptOutcome:
        """Return the outcome of a script that raised.

        After `exit()` or `exit(0)`, the script counts as finished.
        """
        if type(error) is SystemExit:
            code = error.code
            if code is None or (type(code) is int and code == 0):
                return ScriptOutcome(Ending.FINISHED)
        return ScriptOutcome(
            Ending.RAISED,
            self._errors.describe(error),
            is_out_of_memory=isinstance(error, MemoryError),
        )

"""The tracebacks of a script's exceptions, with what to write instead of an undefined name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, NamedTuple

from controlplane.sandbox.child.language.script_errors import (
    describe_exception,
    is_assigned,
)
from controlplane.sandbox.child.language.script_modules import (
    BUILTINS_INSTEAD,
    Modules,
    import_hint,
)
from controlplane.sandbox.child.step.scratchpad import SCRATCHPAD_METHODS
from controlplane.sandbox.child.walls.step_timers import StepTimers
from controlplane.sandbox.interface.frames import Connection
from controlplane.sandbox.interface.limits import Layer
from controlplane.sandbox.interface.messages import ScriptSetting
from controlplane.sandbox.interface.operations import Operation

# What the steps of a process share.


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


@dataclass(frozen=True, slots=True)
class StepErrors:
    """Describes the exceptions of the script of one step."""

    source: str
    step_number: int
    operations: tuple[Operation, ...]
    """What the script can call."""

    def describe(self, error: BaseException) -> str:
        """Return the traceback of an exception, through the script's own lines."""
        try:
            if isinstance(error, SystemExit):
                return f"SystemExit: the script ended itself (code {error.code!s:.200})"
            return describe_exception(error, self.source, self.remedy_for_name)
        except BaseException as second:  # noqa: BLE001 - the exception's own methods may raise
            return (
                f"{type(second).__name__} while a {type(error).__name__} was described"
            )

    def remedy_for_name(self, name: str) -> str:
        """Return what to write instead of an undefined name; empty if unknown."""
        for operation in self.operations:
            if operation.name == name:
                place = "tools" if operation.is_function else "harness"
                return f"write `{place}.{name}(...)`"
        if name in SCRATCHPAD_METHODS:
            return f"write `scratchpad.{name}(...)`"
        if name in ("answer", "submit"):
            return "write `harness.answer(scratchpad, verify)`"
        if name == "verify":
            return "define `def verify(sp):` before it is used"
        remedy = BUILTINS_INSTEAD.get(name) or import_hint(name)
        if remedy:
            return remedy
        if is_assigned(name, self.source):
            return f"give it a first value before this line: `{name} = ...`"
        if self.step_number > 1:
            return "names end with their step: write the whole script again, from its first line on"
        return ""

"""The names that every script has: builtins, `harness`, `scratchpad` and a few modules.

A script is executed with a dict of its global names. Under the language policy, which limits
what Python a script may use, the dict also replaces Python's builtins: `__builtins__` is the
name by which Python looks them up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from controlplane.sandbox.child.language.script_builtins import builtins_of_step
from controlplane.sandbox.child.language.script_modules import READY_MODULES, Modules
from controlplane.sandbox.child.step.harness.long_texts import Call
from controlplane.sandbox.child.step.script_exceptions import EXCEPTIONS
from controlplane.sandbox.child.step.script_files import build_open, reading_operation
from controlplane.sandbox.interface.operations import Operation


@dataclass(frozen=True, slots=True)
class GivenNames:
    """The names for the scripts of one step."""

    modules: Modules
    """What scripts can import."""
    operations: tuple[Operation, ...]
    call: Call
    objects: dict[str, Any]
    """`harness`, `scratchpad` and `console`, by name."""

    def for_guarded_script(self) -> dict[str, Any]:
        """Return the global names of a script under the language policy."""
        builtin_names = {
            **builtins_of_step(self.modules),  # `len`, `print`, and `__import__`
            **EXCEPTIONS,  # `HarnessError`, which a call raises, and others
            **self._ready_modules(),  # `json` and others
        }
        # `open` reads by the operation `read`, if the environment has one.
        reading = reading_operation(self.operations)
        if reading is not None:
            builtin_names["open"] = build_open(reading, self.call)
        return {"__builtins__": builtin_names, **self.objects}

    def for_plain_python(self) -> dict[str, Any]:
        """Return the global names of a script without the language policy.

        It keeps Python's builtins, `open` among them, which belong to the whole process.
        """
        return {**EXCEPTIONS, **self._ready_modules(), **self.objects}

    def _ready_modules(self) -> dict[str, Any]:
        """Return the modules that a script has without importing them."""
        return {name: self.modules[name] for name in READY_MODULES}

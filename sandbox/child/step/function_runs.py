"""Runs functions of the benchmark, which make calls like a script."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from types import ModuleType

from controlplane.sandbox.child.step.harness.harness import function_harness
from controlplane.sandbox.child.step.harness.script_calls import ScriptCalls
from controlplane.sandbox.child.step.script_exceptions import HarnessError
from controlplane.sandbox.functions import Harness, run_function
from controlplane.sandbox.interface.error_codes import INTERNAL, CallError
from controlplane.sandbox.interface.messages.child_results import (
    FunctionFault,
    FunctionFields,
)
from controlplane.sandbox.interface.messages.parent_messages import RunFunction, Setting


class FunctionRuns:
    """Runs the functions of loaded modules."""

    def __init__(
        self, modules: Mapping[str, ModuleType], setting: Setting, calls: ScriptCalls
    ) -> None:
        self._modules = modules
        self._setting = setting
        self._calls = calls
        self.is_out_of_memory = False
        """True if a function reached the memory limit of this process."""

    def outcome(self, task: RunFunction) -> FunctionFields | FunctionFault:
        """Run a function, and return its result or its error."""
        gc.disable()  # A function makes little garbage, and searching for it takes time.
        try:
            fields = run_function(
                self._modules, task.function, self._harness(task), task.arguments
            )
        except (CallError, HarnessError) as error:
            # A call of the function failed, or the function raised such an error on purpose.
            return FunctionFault(error.code, error.message)
        except BaseException as error:  # noqa: BLE001 - the border to the function
            if isinstance(error, MemoryError):
                self.is_out_of_memory = True
            text = f"{task.function} broke: {type(error).__name__}: {error}"
            return FunctionFault(INTERNAL, text)
        finally:
            gc.enable()
        return FunctionFields(fields)

    def _harness(self, task: RunFunction) -> Harness:
        known_calls = []
        for call in task.known_calls:
            known_calls.append((call.operation, call.arguments, call.result))
        return function_harness(
            self._setting.operations,
            self._calls.call,
            self._calls.call_all,
            self._setting.executables,
            known_calls,
        )

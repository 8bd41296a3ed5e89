"""Compiles and runs the script of a step."""

from __future__ import annotations

import gc
import sys
from types import CodeType, ModuleType
from typing import NamedTuple

from controlplane.sandbox.child.language.current_step import STEP
from controlplane.sandbox.child.language.script_compiler import compile_script
from controlplane.sandbox.child.language.script_errors import (
    RefusedScript,
    describe_refusal,
)
from controlplane.sandbox.child.step.console import Console
from controlplane.sandbox.child.step.dialogue import Dialogue
from controlplane.sandbox.child.step.script_names import GivenNames
from controlplane.sandbox.child.step.step_context import StepContext
from controlplane.sandbox.child.step.step_errors import StepErrors
from controlplane.sandbox.interface.host import Ending


class ScriptOutcome(NamedTuple):
    """How a script ended."""

    ending: Ending
    error: str = ""
    is_out_of_memory: bool = False
    """True if the script reached the memory limit of this process."""

    def with_fault(self, fault: str) -> ScriptOutcome:
        """Return this outcome with a fault that was found after the script had ended."""
        ending = self.ending
        if ending is Ending.FINISHED:
            ending = Ending.RAISED
        return self._replace(ending=ending, error=f"{self.error}\n{fault}".strip())


class ScriptRun:
    """Runs a script as the current step of this process."""

    def __init__(
        self, context: StepContext, dialogue: Dialogue, errors: StepErrors
    ) -> None:
        self._context = context
        self._dialogue = dialogue
        self._errors = errors

    def execute(self) -> ScriptOutcome:
        """Compile the script, make its step the current one, and run the script."""
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
        gc.disable()  # Compiling makes many objects, none of which are garbage.
        try:
            return compile_script(
                self._errors.source, is_guarded=self._context.has_language_policy
            )
        finally:
            gc.enable()

    def _enter_step(self) -> ModuleType:
        """Make this step the current one of the process, and return the module of its script.

        The next step replaces all that is set here.
        """
        # `dataclasses`, for example, looks up names of a script's classes in its module.
        main = ModuleType("__main__")
        sys.modules["__main__"] = main

        console = Console(self._dialogue.print)
        sys.stdout = console
        sys.stderr = console

        # The modules and builtins of scripts exist only once. They find the step in `STEP`.
        STEP.describe = self._errors.describe
        STEP.call = self._dialogue.calls.call
        STEP.answer = self._dialogue.submission.answer

        objects = {
            "harness": self._context.harness,
            "scratchpad": self._dialogue.scratchpad,
            "console": console,
        }
        names = GivenNames(
            self._context.modules,
            self._context.setting.operations,
            self._dialogue.calls.call,
            objects,
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

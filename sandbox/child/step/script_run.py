"""Compiles and runs the script of a step."""

from __future__ import annotations

import gc
import sys
from types import CodeType, ModuleType
from typing import NamedTuple

from controlplane.sandbox.child.language.current_step import STEP
from controlplane.sandbox.child.language.refused_script import (
    RefusedScript,
    describe_refusal,
)
from controlplane.sandbox.child.language.script_compiler import compile_script
from controlplane.sandbox.child.step.console import Console
from controlplane.sandbox.child.step.dialogue import Dialogue
from controlplane.sandbox.child.step.script_names import GivenNames
from controlplane.sandbox.child.step.step_context import StepContext
from controlplane.sandbox.child.step.step_errors import StepErrors
from controlplane.sandbox.interface.host import Ending


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


class ScriptRun:
    """Runs a script, written by a model, as the current step of this process.

    What the script prints, and what it requests, goes through `dialogue` to the parent.
    """

    def __init__(
        self, context: StepContext, dialogue: Dialogue, errors: StepErrors
    ) -> None:
        self._context = context
        self._dialogue = dialogue
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

"""The process of a trial's scripts, from its preparation to its last step.

A trial is one attempt of a model at one task. The model solves it in steps: each step
runs one script that the model wrote. A benchmark may also bring functions in Python,
which are trusted.

`prepare` runs in the process from which children are forked: it imports and replaces
everything that scripts need. `ScriptServer.serve` runs in a child, which belongs to one
trial: it receives the trial's `Setting` (its operations, limits and clock), confines
itself, and then runs one step after another.
"""

from __future__ import annotations

import ast
import string
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from socket import socket
from types import ModuleType
from typing import Any

from controlplane.sandbox.child.language.current_step import STEP
from controlplane.sandbox.child.language.guards.library_guards import guard_library
from controlplane.sandbox.child.language.library_replacements import replacements
from controlplane.sandbox.child.language.pinned_clock import CLOCK, pin_time
from controlplane.sandbox.child.language.pinned_randomness import pin_random
from controlplane.sandbox.child.language.script_modules import Modules, build_modules
from controlplane.sandbox.child.language.time_zones import load_time_zones
from controlplane.sandbox.child.step.harness.harness import build_harness
from controlplane.sandbox.child.step.step_context import StepContext
from controlplane.sandbox.child.step.step_run import NO_SCRIPT, StepRun
from controlplane.sandbox.child.walls.audit import NEEDED_BY_SCRIPTS
from controlplane.sandbox.child.walls.isolation import confine_child
from controlplane.sandbox.child.walls.kernel import Kernel
from controlplane.sandbox.child.warm_up import warm_up
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.messages.frames import Closed, FrameReader
from controlplane.sandbox.interface.messages.message_fields import MessageFields
from controlplane.sandbox.interface.messages.parent_messages import (
    RunFunction,
    RunStep,
    Setting,
    decode_parent_message,
)
from controlplane.sandbox.interface.operations import Operation


@dataclass(frozen=True, slots=True)
class ScriptServer:
    """Serves the scripts of one trial in a child that was forked from this process.

    Each step of the trial runs one script, or one function of the benchmark.
    """

    modules: Modules
    """The modules that scripts may import, as scripts see them."""
    functions: Mapping[str, ModuleType]
    """The loaded modules of the benchmark's functions, by name."""

    def serve(self, connection: socket, kernel: Kernel | None) -> None:
        """Run the steps and functions that the parent sends, until it closes the connection.

        The first message is the trial's setting. The isolation begins before any script runs.
        """
        # Descriptor 0 is the connection to the parent. Nothing may read from it as standard input.
        sys.stdin = None
        try:
            reader = FrameReader(connection)
            setting = Setting.decode(
                MessageFields(reader.receive(bounds.MOST_FROM_PARENT))
            )
            confine_child(kernel, setting.isolation, setting.limits, NEEDED_BY_SCRIPTS)
            context = self.context(reader, setting)
            while _serve_one(context):
                pass
        except Closed:
            return

    def context(self, reader: FrameReader, setting: Setting) -> StepContext:
        """Return what the steps under this setting share, such as the connection and `harness`."""
        harness = step_harness(setting.operations)
        return StepContext(reader, setting, self.modules, self.functions, harness)


def _serve_one(context: StepContext) -> bool:
    """Run the next step or function. Returns True if this process can run another one.

    This is not inlined into `serve`: when it returns, its local names are gone, and
    with them all objects of the step.
    """
    message = context.reader.receive(bounds.MOST_FROM_PARENT)
    task = decode_parent_message(MessageFields(message))
    # A function of the benchmark runs in a step of its own, which has no script.
    step = StepRun(context, task if isinstance(task, RunStep) else NO_SCRIPT)
    match task:
        case RunStep():
            step.run()
        case RunFunction():
            step.run_function(task)
    return not step.is_spent  # It is spent if it reached the memory limit.


def step_harness(operations: tuple[Operation, ...]) -> Any:
    """Return the `harness` that all steps of a process use.

    It is created once, because creating it takes longer than a short step. So its functions
    do not belong to one step: they pass each call to the step that runs at that moment. The
    global `STEP` refers to that one.
    """

    def call_in_current_step(
        operation: str, positional: list[Any], named: dict[str, Any]
    ) -> Any:
        return STEP.call(operation, positional, named)

    def answer_in_current_step(scratchpad: Any, verify: Any) -> None:
        STEP.answer(scratchpad, verify)

    return build_harness(operations, call_in_current_step, answer_in_current_step)


# Preparing the process from which children are forked


def prepare(function_modules: tuple[str, ...] = ()) -> ScriptServer:
    """Prepare this process for running scripts.

    - Pins Python's library: a replay gets the same time and the same random numbers.
    - Loads the benchmark's functions.
    - Guards the library, so that scripts cannot use it to get around the language policy.
    - Runs a few steps, so that later ones are faster.

    Raises `ImportError`.
    """
    # The order matters. The benchmark's functions see the pinned clock and random numbers.
    # They are trusted, so they are loaded before the library is guarded against scripts.
    load_time_zones()
    pin_random()
    pin_time()
    functions = {name: _load_functions(name) for name in function_modules}
    guard_library()
    _import_late_modules()

    server = ScriptServer(build_modules(replacements()), functions)
    warm_up(server.context)
    return server


def _load_functions(name: str) -> ModuleType:
    """Return a module of the benchmark's functions.

    Raises `ImportError`, whose message says what such a module may import.
    """
    try:
        return import_module(name)
    except BaseException as error:  # noqa: BLE001 - a library may end its import in its own way
        msg = (
            f"the functions of {name} cannot be loaded beside scripts "
            f"({type(error).__name__}: {error!s:.200}): such a module imports the standard library "
            "and Python's own modules, no library that needs datetime's C part"
        )
        raise ImportError(msg) from None


def _import_late_modules() -> None:
    """Import what the library imports only when it is first used: a child cannot read files.

    Each line uses a part of the library that does so.
    """
    CLOCK.begin_step(now_us=0)  # `strptime` reads the clock.
    divmod(1 << 20_000, 1 << 10_000)  # imports `_pylong`, from Python 3.12 on
    time.strptime("1", "%d")  # imports `_strptime`
    ast.unparse(ast.Constant(0))  # imports what writes annotations, from Python 3.14 on
    # compiles the pattern of templates, from Python 3.14 on
    string.Template("").substitute()

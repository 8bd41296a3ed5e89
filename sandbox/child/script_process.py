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
import gc
import string
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from socket import socket, socketpair
from types import ModuleType
from typing import Any, Final

from controlplane.sandbox.child.language import pinned_library
from controlplane.sandbox.child.language.current_step import STEP
from controlplane.sandbox.child.language.guards.library_guards import guard_library
from controlplane.sandbox.child.language.library_replacements import replacements
from controlplane.sandbox.child.language.script_modules import Modules, build_modules
from controlplane.sandbox.child.step.harness import build_harness
from controlplane.sandbox.child.step.step_context import StepContext
from controlplane.sandbox.child.step.step_run import NO_SCRIPT, StepRun
from controlplane.sandbox.child.walls.audit import NEEDED_BY_SCRIPTS
from controlplane.sandbox.child.walls.isolation import confine_child
from controlplane.sandbox.child.walls.kernel import Kernel
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.child_messages import ChildMessage, StepReport
from controlplane.sandbox.interface.file_operations import FILE_OPERATIONS
from controlplane.sandbox.interface.frames import Closed, FrameReader, send_frame
from controlplane.sandbox.interface.host import Layer, Limits
from controlplane.sandbox.interface.message_fields import MessageFields
from controlplane.sandbox.interface.operations import Operation, Plain
from controlplane.sandbox.interface.parent_messages import (
    Answered,
    ParentMessage,
    RunFunction,
    RunStep,
    RunVerify,
    Setting,
    decode_parent_message,
)


@dataclass(frozen=True, slots=True)
class ScriptServer:
    """Serves the scripts of one trial in a child that was forked from this process."""

    modules: Modules
    functions: Mapping[str, ModuleType]
    """The loaded modules of the benchmark's functions, by name."""

    def serve(self, connection: socket, kernel: Kernel | None) -> None:
        """Run the steps and functions that the parent sends, until it closes the connection."""
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
        """Return what the steps under this setting share."""
        harness = step_harness(setting.operations)
        return StepContext(reader, setting, self.modules, self.functions, harness)


def _serve_one(context: StepContext) -> bool:
    """Run the next step or function. Returns True if this process can run another one.

    This is not inlined into `serve`: when it returns, its local names are gone, and
    with them all objects of the step.
    """
    message = context.reader.receive(bounds.MOST_FROM_PARENT)
    task = decode_parent_message(MessageFields(message))
    step = StepRun(context, task if isinstance(task, RunStep) else NO_SCRIPT)
    match task:
        case RunStep():
            step.run()
        case RunFunction():
            step.run_function(task)
    return not step.is_spent  # It is spent if it reached the memory limit.


def step_harness(operations: tuple[Operation, ...]) -> Any:
    """Return the `harness` that all steps of a process use.

    It is created once, because creating it takes longer than a short step. So it cannot
    belong to one step: its functions pass each call to the step that runs at that
    moment, which is in `STEP`.
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

    Pins the library, loads the benchmark's functions, and runs a few steps, so that
    later ones are faster. Raises `ImportError`.
    """
    # The order matters. The benchmark's functions see the pinned clock. They are
    # trusted, so they are loaded before the library is guarded against scripts.
    pinned_library.pin_library()
    functions = {name: _load_functions(name) for name in function_modules}
    guard_library()
    _import_late_modules()

    server = ScriptServer(build_modules(replacements()), functions)
    warm_up(server)
    return server


def _load_functions(name: str) -> ModuleType:
    """Return a module of functions. Raises `ImportError` that says what it may import."""
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
    """Import what the library imports only when it is first used: a child cannot read files."""
    pinned_library.begin_step(now_us=0, seed=0, step=0)  # `strptime` reads the clock.
    divmod(1 << 20_000, 1 << 10_000)  # imports `_pylong`, from Python 3.12 on
    time.strptime("1", "%d")  # imports `_strptime`
    ast.unparse(ast.Constant(0))  # imports what writes annotations, from Python 3.14 on
    string.Template(
        ""
    ).substitute()  # compiles the pattern of templates, from Python 3.14 on


_WARM_SCRIPT: Final = """
record = harness.read("/a.json").json()
print(len(record), f"{sorted(record)}")
scratchpad["answer"] = str(record["id"])
scratchpad.cite("/a.json", "holds the id that was asked for")
harness.answer(scratchpad, lambda sp: sp["answer"] == "a")
"""

_WARM_FILE: Final[dict[str, Plain]] = {
    "path": "/a.json",
    "content": '{"id": "a", "count": 1}',
    "truncated": False,
    "sha256": "",
}
_WARM_REPLIES: Final[tuple[ParentMessage, ...]] = (
    # harness.read: the file
    Answered(_WARM_FILE),
    # scratchpad.cite: the spelling of the path
    Answered("/a.json"),
    # harness.answer: the parent first demands that the script's `verify` be run, and then accepts
    RunVerify(is_blank=False),
    Answered(None),
)
"""What a parent sends while `_WARM_SCRIPT` runs, in this order."""

_WARM_ROUNDS: Final = 12
"""How often the ordinary step is run. The interpreter specialises
code that has run a few times; this is more than enough."""


def warm_up(server: ScriptServer) -> None:
    """Run an ordinary step a few times in the process from which children are forked.

    Then the interpreter has specialised the code for its usual types. Otherwise each
    child would do so again, in memory of its own.

    This process plays both sides: it sends the parent's messages, and receives them as
    a child does, so that the code for receiving is specialised, too.
    """
    gc.freeze()  # Imported objects live for ever, so no search for garbage has to visit them.
    isolation = frozenset({Layer.LANGUAGE, Layer.PROCESS})
    setting = Setting(FILE_OPERATIONS, Limits(), now_us=0, seed=0, isolation=isolation)
    parent, connection = socketpair()
    with parent, connection:
        reader = FrameReader(connection)
        parent_reader = FrameReader(parent)
        for number in range(_WARM_ROUNDS):
            # As the parent: send everything in advance. The replies wait in the socket
            # until the script's requests need them.
            send_frame(parent, setting.encode(), bounds.MOST_FROM_PARENT)
            for reply in _WARM_REPLIES:
                send_frame(parent, reply.encode(), bounds.MOST_FROM_PARENT)

            # As the child: receive the setting, and run the step.
            message = reader.receive(bounds.MOST_FROM_PARENT)
            received_setting = Setting.decode(MessageFields(message))
            context = server.context(reader, received_setting)
            StepRun(context, RunStep(number, _WARM_SCRIPT, {})).run()

            # As the parent: receive what the step sent, so that the socket does not fill up.
            _skip_to_report(parent_reader)


def _skip_to_report(reader: FrameReader) -> None:
    """Receive the messages of a step, up to the report of its end."""
    while True:
        received = reader.receive(bounds.MOST_FROM_PARENT)
        message = ChildMessage.decode(MessageFields(received))
        if isinstance(message.body, StepReport):
            return

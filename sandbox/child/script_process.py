"""The process of a trial's scripts, from its preparation to its last step.

A trial is one attempt of a model at one task. The model solves it in steps: each step
runs one script that the model wrote. A benchmark may also bring functions in Python,
which are trusted.

`prepare` runs in the process from which children are forked: it imports and replaces
everything that scripts need. `_ScriptServer.serve` runs in a child, which belongs to one
trial: it receives the trial's `ScriptSetting` (its operations, limits and clock), confines
itself, and then runs one step after another.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from socket import socketpair
from types import ModuleType
from typing import Any, Final

from controlplane.sandbox.child.language.pinned_clock import pin_time
from controlplane.sandbox.child.language.script_modules import (
    STEP,
    Modules,
    build_modules,
)
from controlplane.sandbox.child.library import (
    guard_library,
    import_late_modules,
    load_time_zones,
    pin_random,
    replacements,
    show_usual_dates,
)
from controlplane.sandbox.child.step.harness import build_harness
from controlplane.sandbox.child.step.script_run import StepContext
from controlplane.sandbox.child.step.step import NO_SCRIPT, Step
from controlplane.sandbox.child.walls.kernel import Kernel
from controlplane.sandbox.child.walls.process_layer import (
    NEEDED_BY_SCRIPTS,
    confine_child,
)
from controlplane.sandbox.child.walls.step_timers import StepTimers
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.file_operations import FILE_OPERATIONS
from controlplane.sandbox.interface.frames import Closed, Connection
from controlplane.sandbox.interface.limits import Layer, Limits
from controlplane.sandbox.interface.messages import (
    Message,
    Returned,
    RunFunction,
    RunScript,
    RunVerify,
    ScriptSetting,
    StepReport,
    ToProcess,
    decode_from_parent,
    encoded,
    message_bytes,
    received_fields,
)
from controlplane.sandbox.interface.operations import Operation, Plain

# Runs an ordinary step a few times before children are forked, so that later steps are faster.

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
_WARM_REPLIES: Final[tuple[ToProcess, ...]] = (
    # harness.read: the file
    Returned(_WARM_FILE),
    # scratchpad.cite: the spelling of the path
    Returned("/a.json"),
    # harness.answer: the parent first demands that the script's `verify` be run, and then accepts
    RunVerify(is_blank=False),
    Returned(None),
)
"""What a parent sends while `_WARM_SCRIPT` runs, in this order."""

_WARM_ROUNDS: Final = 12
"""How often the ordinary step is run. The interpreter specialises
code that has run a few times; this is more than enough."""


def warm_up(context_of: Callable[[Connection, ScriptSetting], StepContext]) -> None:
    """Run an ordinary step a few times in the process from which children are forked.

    Then the interpreter has specialised the code for its usual types. Otherwise each
    child would do so again, in memory of its own.

    This process plays both sides: it sends the parent's messages, and receives them as
    a child does, so that the code for receiving is specialised, too. `context_of` returns
    what the steps of a child share.
    """
    gc.freeze()  # Imported objects live for ever, so no search for garbage has to visit them.
    isolation = frozenset({Layer.LANGUAGE, Layer.PROCESS})
    setting = ScriptSetting(isolation, Limits(), FILE_OPERATIONS, now_us=0, seed=0)
    parents_end, childs_end = socketpair()
    with parents_end, childs_end:
        parent = Connection(parents_end)
        child = Connection(childs_end)
        for number in range(_WARM_ROUNDS):
            # As the parent: send everything in advance. The replies wait in the socket
            # until the script's requests need them.
            for fields in (setting.encode(), *map(encoded, _WARM_REPLIES)):
                parent.send(message_bytes(fields), bounds.MOST_FROM_PARENT)

            # As the child: receive the setting, and run the step.
            received = received_fields(child, bounds.MOST_FROM_PARENT)
            context = context_of(child, ScriptSetting.decode(received))
            script = RunScript(number, _WARM_SCRIPT, {}, wall_ms=60_000)
            Step(context, script).run()

            # As the parent: receive what the step sent, so that the socket does not fill up.
            report = None
            while not isinstance(report, StepReport):
                fields = received_fields(parent, bounds.MOST_FROM_PARENT)
                report = Message.decode(fields).body


@dataclass(frozen=True, slots=True)
class _ScriptServer:
    """Serves the scripts of one trial in a child that was forked from this process.

    Each step of the trial runs one script, or one function of the benchmark.
    """

    modules: Modules
    """The modules that scripts may import, as scripts see them."""
    functions: Mapping[str, ModuleType]
    """The loaded modules of the benchmark's functions, by name."""

    def serve(self, connection: Connection, kernel: Kernel | None) -> None:
        """Run the steps and functions that the parent sends, until it closes the connection.

        The first message is the trial's setting. The isolation begins before any script runs.
        """
        # Descriptor 0 is the connection to the parent. Nothing may read from it as standard input.
        sys.stdin = None
        try:
            fields = received_fields(connection, bounds.MOST_FROM_PARENT)
            setting = ScriptSetting.decode(fields)
            confine_child(kernel, setting.isolation, setting.limits, NEEDED_BY_SCRIPTS)
            context = self.context(connection, setting)
            gc.freeze()  # The search for garbage after each step need not visit what stays.
            while _serve_one(context):
                pass
        except Closed:
            return

    def context(self, connection: Connection, setting: ScriptSetting) -> StepContext:
        """Return what the steps under this setting share, such as the connection and `harness`."""
        harness = _step_harness(setting.operations)
        timers = None
        if Layer.PROCESS in setting.isolation:
            timers = StepTimers(setting.limits)
        call_seconds = {}
        for operation in setting.operations:
            if operation.longest_s:
                call_seconds[operation.name] = operation.longest_s
        return StepContext(
            connection,
            setting,
            self.modules,
            self.functions,
            harness,
            timers,
            call_seconds,
        )


def _serve_one(context: StepContext) -> bool:
    """Run the next step or function. Returns True if this process can run another one.

    This is not inlined into `serve`: when it returns, its local names are gone, and
    with them all objects of the step.
    """
    fields = received_fields(context.connection, bounds.MOST_FROM_PARENT)
    task = decode_from_parent(fields)
    if isinstance(task, RunFunction):
        step = Step(context, NO_SCRIPT)
        step.run_alone(task)
        return not step.is_spent
    assert isinstance(task, RunScript)
    step = Step(context, task)
    step.run()
    return not step.is_spent  # It is spent if it reached the memory limit.


def _step_harness(operations: tuple[Operation, ...]) -> Any:
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


def prepare(function_modules: tuple[str, ...] = ()) -> _ScriptServer:
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
    show_usual_dates()
    functions = {name: _load_functions(name) for name in function_modules}
    guard_library()
    import_late_modules()

    server = _ScriptServer(build_modules(replacements()), functions)
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

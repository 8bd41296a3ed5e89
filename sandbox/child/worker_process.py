"""The process of a worker: runs our own functions on untrusted data, such as the files of a user.

The fork server's process calls `prepare`, which imports the modules of the functions.
Then it forks the worker's process, where `WorkerServer.serve` confines the process
and runs one function after another. What a function keeps in module globals
stays until the process ends.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from socket import socket
from types import ModuleType

from controlplane.sandbox.child.parent_connection import (
    CurrentProcess,
    ParentConnection,
    encode_message,
)
from controlplane.sandbox.child.walls.isolation import (
    NEEDED_BY_LIBRARY,
    NEEDED_BY_SCRIPTS,
    confine_child,
)
from controlplane.sandbox.child.walls.kernel import Kernel
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import (
    INTERNAL,
    RESOURCE_EXHAUSTED,
    CallError,
)
from controlplane.sandbox.interface.isolation_layers import ALL_LAYERS, Layer
from controlplane.sandbox.interface.limits import WorkerLimits
from controlplane.sandbox.interface.messages.frames import Closed, FrameReader
from controlplane.sandbox.interface.messages.message_fields import MessageFields
from controlplane.sandbox.interface.messages.worker_messages import (
    FunctionCall,
    FunctionError,
    ReturnedValue,
    WorkerSetup,
)

# The reply of a worker to a call: the result of its function, or the error.
#
# A function raises `CallError` on purpose, for example for a file that does not exist. Any other
# exception may have left its data half changed, and a result that is too large may have filled the
# memory. Then the worker's process is not used again.


def function_reply(
    modules: Mapping[str, ModuleType], call: FunctionCall, max_bytes: int
) -> bytes:
    """Run a function of the modules, and return the encoded message with its result or its error."""
    # `call.function` is, for example, `package.files:read`.
    module_name, _, function_name = call.function.partition(":")
    try:
        function = getattr(modules[module_name], function_name)
        value = function(*call.arguments)
        reply = encode_message(ReturnedValue(value))
    except CallError as error:
        message = error.message[: bounds.MOST_REFUSAL_CHARS]
        return encode_message(
            FunctionError(error.code, message, process_must_end=False)
        )
    except MemoryError:
        message = "this needs more memory than a call may use"
        return _unexpected_error(RESOURCE_EXHAUSTED, message)
    except RecursionError:
        return _unexpected_error(RESOURCE_EXHAUSTED, "the data is nested too deeply")
    except Exception as error:  # noqa: BLE001 - an exception of a function fails this one call
        return _unexpected_error(INTERNAL, f"{type(error).__name__}: {error}")

    if len(reply) > max_bytes:
        message = f"the result is larger than {max_bytes} bytes"
        return _unexpected_error(RESOURCE_EXHAUSTED, message)
    return reply


def _unexpected_error(code: str, message: str) -> bytes:
    """Return the encoded message for an error after which this process cannot be used again."""
    message = message[: bounds.MOST_REFUSAL_CHARS]
    return encode_message(FunctionError(code, message, process_must_end=True))


def prepare(module_names: tuple[str, ...]) -> WorkerServer:
    """Import the modules whose functions will be called. Raises `ImportError`.

    A module may have a function `warm_up`, which loads what it would otherwise load at
    its first use.
    """
    modules = {}
    for name in module_names:
        module = import_module(name)
        if hasattr(module, "warm_up"):
            module.warm_up()
        modules[name] = module
    return WorkerServer(modules)


@dataclass(frozen=True, slots=True)
class WorkerServer:
    """Serves the calls of a `Worker`, in a child that was forked from this process.

    A worker runs library functions on untrusted data, isolated from the parent that calls them.
    """

    modules: Mapping[str, ModuleType]
    """The modules whose functions may be called, by name."""

    def serve(self, connection: socket, kernel: Kernel | None) -> None:
        """Answer the parent's calls until it closes the connection."""
        # 1. Receive the limits, and confine this process by them.
        reader = FrameReader(connection)
        first_message = reader.receive(bounds.MOST_REQUEST_BYTES)
        setup = WorkerSetup.decode(MessageFields(first_message))
        layers = ALL_LAYERS if setup.with_kernel else frozenset({Layer.PROCESS})
        confine_child(kernel, layers, setup.limits, _needed_events())

        # 2. Answer one call after another.
        parent = ParentConnection(reader, setup.limits)
        CurrentProcess.parent = parent  # for `ask_parent`, which functions call
        self._answer_calls(parent)

    def _answer_calls(self, parent: ParentConnection) -> None:
        """Answer one call after another, until the parent closes the connection."""
        while True:
            try:
                message = parent.receive()
            except Closed:
                return  # The parent needs this process no more.

            if isinstance(message, WorkerSetup):
                # Another trial takes over this process. Only trials with the same
                # limits share one, so nothing changes.
                continue
            if isinstance(message, FunctionCall):
                parent.send_encoded(self._timed_reply(message, parent.limits))

    def _timed_reply(self, call: FunctionCall, limits: WorkerLimits) -> bytes:
        """Run the function of a call, and return the encoded reply: its result or its error.

        If the call takes too much CPU time, the signal SIGPROF ends this process.
        """
        signal.setitimer(signal.ITIMER_PROF, limits.call_cpu_s)
        reply = function_reply(self.modules, call, limits.reply_bytes)
        signal.setitimer(signal.ITIMER_PROF, 0)
        return reply


def _needed_events() -> frozenset[str]:
    """Return the audit events that the functions may cause, given the libraries they imported.

    Python reports operations such as `open` and `compile` as audit events. Any other event
    is refused.
    """
    events = set(NEEDED_BY_SCRIPTS)
    for library, events_of_library in NEEDED_BY_LIBRARY.items():
        if library in sys.modules:
            events |= events_of_library
    return frozenset(events)

"""The process of a worker: runs our own functions on untrusted data, such as the files of a user.

The fork server's process calls `prepare`, which imports the modules of the functions.
Then it forks the worker's process, where `_WorkerServer.serve` confines the process
and runs one function after another. What a function keeps in module globals
stays until the process ends.

A function may need something that only the parent has, such as the text of a file, and asks for
it by `ask_parent`.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType

from controlplane.sandbox.child.walls.kernel import Kernel
from controlplane.sandbox.child.walls.process_layer import (
    NEEDED_BY_LIBRARY,
    NEEDED_BY_SCRIPTS,
    SPARE_MEMORY,
    confine_child,
)
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import (
    INTERNAL,
    RESOURCE_EXHAUSTED,
    CallError,
)
from controlplane.sandbox.interface.frames import Closed, Connection, Forged
from controlplane.sandbox.interface.limits import WorkerLimits
from controlplane.sandbox.interface.messages import (
    Failed,
    FromProcess,
    Message,
    Question,
    Returned,
    RunFunction,
    ToProcess,
    WorkerSetting,
    decode_from_parent,
    message_bytes,
    received_fields,
)
from controlplane.sandbox.interface.operations import Plain


class _Parent:
    """The connection of this process to its parent, for the functions that ask.

    They do not get it as an argument, because their arguments are those of the call.
    """

    connection: Connection
    limits: WorkerLimits


def ask_parent(*question: Plain) -> Plain:
    """Ask the parent a question during a call, and return the answer of its `serve`.

    Raises `CallError` if the parent refuses.
    """
    body = _body_of(Question(list(question)))
    _Parent.connection.send(body, _Parent.limits.reply_bytes)
    match _received():
        case Returned(value):
            answer: Plain = value
            return answer
        case Failed() as failed:
            raise failed.error()
        case _:
            msg = "the parent did not answer a question"
            raise Forged(msg)


def _body_of(message: FromProcess) -> bytes:
    """Return a message's bytes. Raises `TypeError` or `ValueError` if it is not plain data."""
    return message_bytes(Message(message).encode())


def _received() -> ToProcess:
    """Return the parent's next message. Raises `Closed`."""
    limit = _Parent.limits.message_bytes
    return decode_from_parent(received_fields(_Parent.connection, limit))


# The reply of a worker to a call: the result of its function, or the error.
#
# A function raises `CallError` on purpose, for example for a file that does not exist. Any other
# exception may have left its data half changed, and a result that is too large may have filled the
# memory. Then the worker's process is not used again.


def _function_reply(
    modules: Mapping[str, ModuleType], task: RunFunction, max_bytes: int
) -> bytes:
    """Run a function of the modules, and return the encoded message with its result or its error."""
    # `task.function` is, for example, `package.files:read`.
    module_name, _, function_name = task.function.partition(":")
    try:
        function = getattr(modules[module_name], function_name)
        reply = _body_of(Returned(function(*task.positional)))
        if len(reply) <= max_bytes:
            return reply
        text = f"the result is larger than {max_bytes} bytes"
        error = Failed(RESOURCE_EXHAUSTED, text, is_last=True)
    except CallError as own_error:
        error = Failed.of(own_error)
    except MemoryError:
        SPARE_MEMORY.clear()
        text = "this needs more memory than a call may use"
        error = Failed(RESOURCE_EXHAUSTED, text, is_last=True)
    except RecursionError:
        text = "the data is nested too deeply"
        error = Failed(RESOURCE_EXHAUSTED, text, is_last=True)
    except Exception as fault:  # noqa: BLE001 - an exception of a function fails this one call
        error = Failed(INTERNAL, f"{type(fault).__name__}: {fault}", is_last=True)
    message = error.message[: bounds.MOST_REFUSAL_CHARS]
    return _body_of(error._replace(message=message))


def prepare(module_names: tuple[str, ...]) -> _WorkerServer:
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
    return _WorkerServer(modules)


@dataclass(frozen=True, slots=True)
class _WorkerServer:
    """Serves the calls of a `Worker`, in a child that was forked from this process.

    A worker runs library functions on untrusted data, isolated from the parent that calls them.
    """

    modules: Mapping[str, ModuleType]
    """The modules whose functions may be called, by name."""

    def serve(self, connection: Connection, kernel: Kernel | None) -> None:
        """Answer the parent's calls until it closes the connection."""
        # 1. Receive the setting, and confine this process by it.
        fields = received_fields(connection, bounds.MOST_REQUEST_BYTES)
        setting = WorkerSetting.decode(fields)
        confine_child(kernel, setting.isolation, setting.limits, _needed_events())
        _Parent.connection = connection
        _Parent.limits = setting.limits

        # 2. Answer one call after another.
        while True:
            try:
                task = _received()
            except Closed:
                return  # The parent needs this process no more.
            if isinstance(task, RunFunction):
                # If the call takes too much CPU time, the signal SIGPROF ends this process.
                signal.setitimer(signal.ITIMER_PROF, setting.limits.call_cpu_s)
                reply = _function_reply(self.modules, task, setting.limits.reply_bytes)
                signal.setitimer(signal.ITIMER_PROF, 0)
                connection.send(reply, setting.limits.reply_bytes)


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

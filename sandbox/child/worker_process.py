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

from controlplane.sandbox.child.walls.audit import NEEDED_BY_LIBRARY, NEEDED_BY_SCRIPTS
from controlplane.sandbox.child.walls.isolation import confine_child
from controlplane.sandbox.child.walls.kernel import Kernel
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import (
    INTERNAL,
    RESOURCE_EXHAUSTED,
    CallError,
)
from controlplane.sandbox.interface.frames import Closed, Forged, FrameReader, send_body
from controlplane.sandbox.interface.host import ALL_LAYERS, Layer, WorkerLimits
from controlplane.sandbox.interface.json_documents import json_text
from controlplane.sandbox.interface.message_fields import MessageFields
from controlplane.sandbox.interface.operations import Plain
from controlplane.sandbox.interface.worker_messages import (
    FromWorker,
    FunctionCall,
    FunctionError,
    FunctionResult,
    Question,
    QuestionAnswer,
    QuestionRefusal,
    ToWorker,
    WorkerSetup,
    decode_for_worker,
)

# The connection to the parent


@dataclass(frozen=True, slots=True)
class ParentConnection:
    """Sends messages to the parent and receives the parent's messages."""

    reader: FrameReader
    limits: WorkerLimits

    def receive(self) -> ToWorker:
        """Return the parent's next message. Raises `Closed`."""
        message = self.reader.receive(self.limits.message_bytes)
        return decode_for_worker(MessageFields(message))

    def send(self, message: FromWorker) -> None:
        """Send a message. Raises `TooLong` and `Closed`."""
        self.send_encoded(encode_message(message))

    def send_encoded(self, body: bytes) -> None:
        """Send a message that is encoded already."""
        send_body(self.reader.connection, body, self.limits.reply_bytes)


def encode_message(message: FromWorker) -> bytes:
    """Return the bytes of a message. Raises `TypeError` or `ValueError` if it is not plain data."""
    return json_text(message.encode()).encode("utf-8", "replace")


class _CurrentProcess:
    """Holds this process's connection to the parent, for `ask_parent`.

    `WorkerServer.serve` sets it. The functions that it calls do not get the connection
    as an argument.
    """

    parent: ParentConnection


def ask_parent(*question: Plain) -> Plain:
    """Ask the parent a question during a call, and return the answer of its `serve`.

    Raises `CallError` if the parent refuses.
    """
    parent = _CurrentProcess.parent
    parent.send(Question(list(question)))
    match parent.receive():
        case QuestionAnswer(value):
            return value
        case QuestionRefusal(code, message):
            raise CallError(code, message)
        case _:
            msg = "the parent did not answer a question"
            raise Forged(msg)


# Serving calls


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
    """Serves the calls of a `Worker`, in a child that was forked from this process."""

    modules: Mapping[str, ModuleType]

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
        _CurrentProcess.parent = parent
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
                parent.send_encoded(self._timed_reply(message, setup.limits))

    def _timed_reply(self, call: FunctionCall, limits: WorkerLimits) -> bytes:
        """Return the encoded reply to a call.

        If the call takes too much CPU time, the signal SIGPROF ends this process.
        """
        signal.setitimer(signal.ITIMER_PROF, limits.call_cpu_s)
        reply = self._reply(call, limits.reply_bytes)
        signal.setitimer(signal.ITIMER_PROF, 0)
        return reply

    def _reply(self, call: FunctionCall, max_bytes: int) -> bytes:
        """Run the function, and return the encoded message with its result or its error."""
        # such as `package.files:read`
        module_name, _, function_name = call.function.partition(":")
        try:
            function = getattr(self.modules[module_name], function_name)
            value = function(*call.arguments)
            reply = encode_message(FunctionResult(value))
        except CallError as error:
            # The function raised it on purpose, for example for a file that does not exist.
            message = error.message[: bounds.MOST_REFUSAL_CHARS]
            return encode_message(
                FunctionError(error.code, message, process_must_end=False)
            )
        except MemoryError:
            message = "this needs more memory than a call may use"
            return _unexpected_error(RESOURCE_EXHAUSTED, message)
        except RecursionError:
            return _unexpected_error(
                RESOURCE_EXHAUSTED, "the data is nested too deeply"
            )
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

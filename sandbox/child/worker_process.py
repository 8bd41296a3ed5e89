"""The worker process: runs our own functions on untrusted data, isolated like scripts.

The modules of the functions are imported before the isolation begins. Then the process receives
calls, one at a time, and sends results. A function may ask the parent for more data by `ask_parent`.
Data in module globals stays until the process ends.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from socket import socket
from types import ModuleType
from typing import Any

from controlplane.sandbox.child.walls.audit import NEEDED_BY_LIBRARY, NEEDED_BY_SCRIPTS
from controlplane.sandbox.child.walls.isolation import confine_child
from controlplane.sandbox.child.walls.kernel import Kernel
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import INTERNAL, RESOURCE_EXHAUSTED, CallError
from controlplane.sandbox.interface.frames import Closed, FrameReader, json_text, send_body
from controlplane.sandbox.interface.host import ALL_LAYERS, Layer, WorkerLimits
from controlplane.sandbox.interface.operations import Plain


class _Parent:
    """The connection of this process to its parent, set when the process begins to serve."""

    reader: FrameReader
    limits: WorkerLimits


def ask_parent(*question: Plain) -> Plain:
    """Ask the parent a question during a call, and return the answer of its `serve`.

    Raises `CallError` if the parent refuses.
    """
    limits = _Parent.limits
    body = _message_body(["ask", list(question)])
    send_body(_Parent.reader.connection, body, limits.reply_bytes)
    kind, *parts = _Parent.reader.receive(limits.message_bytes)
    if kind == "refused":
        raise CallError(*parts)
    value: Plain = parts[0]
    return value


def prepare(module_names: tuple[str, ...]) -> WorkerServer:
    """Import the modules whose functions will be called. Raises `ImportError`."""
    modules = {}
    for name in module_names:
        modules[name] = import_module(name)
        if hasattr(modules[name], "warm_up"):
            modules[name].warm_up()
    return WorkerServer(modules)


@dataclass(frozen=True, slots=True)
class WorkerServer:
    """Serves calls in a child that was forked from this process."""

    modules: Mapping[str, ModuleType]

    def serve(self, connection: socket, kernel: Kernel | None) -> None:
        """Answer the parent's calls until it closes the connection."""
        reader = FrameReader(connection)
        _, limit_fields, with_kernel = reader.receive(bounds.MOST_REQUEST_BYTES)
        limits = WorkerLimits(**limit_fields)
        layers = ALL_LAYERS if with_kernel else frozenset({Layer.PROCESS})
        confine_child(kernel, layers, limits, _needed_events())
        _Parent.reader = reader
        _Parent.limits = limits

        while True:
            try:
                kind, *message = reader.receive(limits.message_bytes)
            except Closed:
                return
            if kind == "setting":
                # Another trial takes over this process. Its limits are the same.
                continue
            function, arguments = message
            reply = self._timed_reply(function, arguments)
            send_body(connection, reply, limits.reply_bytes)

    def _timed_reply(self, function: str, arguments: list[Any]) -> bytes:
        """Return the reply to a call. A signal kills this process if the call takes too long."""
        signal.setitimer(signal.ITIMER_PROF, _Parent.limits.call_cpu_s)
        reply = self._reply(function, arguments)
        signal.setitimer(signal.ITIMER_PROF, 0)
        return reply

    def _reply(self, function: str, arguments: list[Any]) -> bytes:
        """Run a function (`module:name`) and return the message with its result or its error.

        `failed` is a `CallError` that the function raised itself. `broken` is any other error, after
        which the data in the process may be half changed.
        """
        module, _, name = function.partition(":")
        try:
            value = getattr(self.modules[module], name)(*arguments)
            reply = _message_body(["done", value])
        except CallError as error:
            return _fault_body("failed", error.code, error.message)
        except MemoryError:
            message = "this needs more memory than a call may use"
            return _fault_body("broken", RESOURCE_EXHAUSTED, message)
        except RecursionError:
            return _fault_body("broken", RESOURCE_EXHAUSTED, "the data is nested too deeply")
        except Exception as error:  # noqa: BLE001 - an exception of a function fails this one call
            return _fault_body("broken", INTERNAL, f"{type(error).__name__}: {error}")

        max_bytes = _Parent.limits.reply_bytes
        if len(reply) > max_bytes:
            message = f"the result is larger than {max_bytes} bytes"
            return _fault_body("broken", RESOURCE_EXHAUSTED, message)
        return reply


def _needed_events() -> frozenset[str]:
    """Return the audit events that the functions may raise."""
    events = set(NEEDED_BY_SCRIPTS)
    for library, events_of_library in NEEDED_BY_LIBRARY.items():
        if library in sys.modules:
            events |= events_of_library
    return frozenset(events)


def _fault_body(kind: str, code: str, message: str) -> bytes:
    return _message_body([kind, code, message[: bounds.MOST_REFUSAL_CHARS]])


def _message_body(message: list[Plain]) -> bytes:
    return json_text(message).encode("utf-8", "replace")

"""The worker process: computes on untrusted data in the same isolation as scripts, for one trial at a time.

It runs functions of modules that were imported before the isolation began, one call at a time. A function may ask the
parent for data with `ask_parent`. Data that it keeps in its modules lives as long as the process does.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from socket import socket
from types import ModuleType
from typing import Any, Final

from controlplane.sandbox.child.isolation import NEEDED, Kernel, confine_child
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import INTERNAL, RESOURCE_EXHAUSTED, CallError
from controlplane.sandbox.interface.frames import Closed, FrameReader, json_text, send_body
from controlplane.sandbox.interface.host import ALL_LAYERS, Layer, WorkerLimits
from controlplane.sandbox.interface.operations import Plain

NEEDED_OF_LIBRARIES: Final = {
    "sqlite3": frozenset({"sqlite3.connect", "sqlite3.connect/handle"}),
    "openpyxl": frozenset({"array.__new__"}),
}
"""Events by the library that raises them, allowed if the library was imported: openpyxl keeps a cell's style in an
array, which reaches only memory of its own."""


class _Parent:
    """The connection to the parent while this process is a worker."""

    reader: FrameReader
    limits: WorkerLimits


def ask_parent(*question: Plain) -> Plain:
    """Ask the trusted side for data, during a call that it made with `serve`. Raises `CallError` if it refuses."""
    send_body(_Parent.reader.connection, _body(["ask", list(question)]), _Parent.limits.reply_bytes)
    kind, *parts = _Parent.reader.receive(_Parent.limits.message_bytes)
    if kind == "refused":
        raise CallError(*parts)
    value: Plain = parts[0]
    return value


def prepare(names: tuple[str, ...]) -> partial[None]:
    """Import the modules whose functions will be called, and return the function that serves calls in a child."""
    modules = {name: import_module(name) for name in names}
    for module in modules.values():
        getattr(module, "warm_up", int)()
    return partial(_serve, modules)


def _serve(modules: Mapping[str, ModuleType], connection: socket, kernel: Kernel | None) -> None:
    """Answer the parent's calls until it closes the connection."""
    reader = FrameReader(connection)
    _, given, with_kernel = reader.receive(bounds.MOST_REQUEST_BYTES)
    limits = WorkerLimits(**given)
    layers = ALL_LAYERS if with_kernel else frozenset({Layer.PROCESS})
    of_libraries = (events for name, events in NEEDED_OF_LIBRARIES.items() if name in sys.modules)
    confine_child(kernel, layers, limits, NEEDED.union(*of_libraries))
    _Parent.reader, _Parent.limits = reader, limits
    while True:
        try:
            kind, *message = reader.receive(limits.message_bytes)
            if kind == "setting":  # It serves another trial from here on.
                continue
            function, arguments = message
        except Closed:
            return
        signal.setitimer(
            signal.ITIMER_PROF, limits.call_cpu_s
        )  # Ends this process if the call takes longer.
        reply = _reply(modules, function, arguments)
        signal.setitimer(signal.ITIMER_PROF, 0)
        send_body(connection, reply, limits.reply_bytes)


def _reply(modules: Mapping[str, ModuleType], function: str, arguments: list[Any]) -> bytes:
    module, _, name = function.partition(":")
    kind, code = "broken", RESOURCE_EXHAUSTED
    try:
        reply = _body(["done", getattr(modules[module], name)(*arguments)])
        if len(reply) <= _Parent.limits.reply_bytes:
            return reply
        message = f"the result is larger than {_Parent.limits.reply_bytes} bytes"
    except CallError as error:
        kind, code, message = "failed", error.code, error.message
    except MemoryError:
        message = "this needs more memory than a call may use"
    except RecursionError:
        message = "the data is nested too deeply"
    except Exception as error:  # noqa: BLE001 - an exception of a function fails this one call
        code, message = INTERNAL, f"{type(error).__name__}: {error}"
    return _body([kind, code, message[: bounds.MOST_REFUSAL_CHARS]])


def _body(message: list[Plain]) -> bytes:
    return json_text(message).encode("utf-8", "replace")

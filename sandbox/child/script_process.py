"""The process of a trial's scripts: prepared once, it runs one step after another, and releases each step's objects."""

from __future__ import annotations

import ast
import gc
import io
import os
import string
import sys
import time
import zoneinfo
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from importlib import import_module
from socket import socket, socketpair
from types import ModuleType
from typing import BinaryIO, Final

from sandbox.child import script_builtins
from sandbox.child.isolation import NEEDED, Kernel, confine_child
from sandbox.child.script_builtins import Modules, build, replacements
from sandbox.child.script_guards import guard_library
from sandbox.child.script_step import MOST_FROM_PARENT, Shared, StepRun, step_harness
from sandbox.interface.frames import Closed, FrameReader, send_frame
from sandbox.interface.host import Layer, Limits, Setting, read_setting
from sandbox.interface.operations import FILE_OPERATIONS, Plain

_MOST_BYTES: Final = 1 << 24
_WARM_SCRIPT: Final = """
record = harness.read("/a.json").json()
print(len(record), f"{sorted(record)}")
scratchpad["answer"] = str(record["id"])
scratchpad.cite("/a.json", "holds the id that was asked for")
harness.answer(scratchpad, lambda sp: sp["answer"] == "a")
"""
_WARM_REPLIES: Final[tuple[list[Plain], ...]] = (
    ["ok", 1, {"path": "/a.json", "content": '{"id": "a", "count": 1}', "truncated": False, "sha256": ""}],
    ["ok", 2, "/a.json"],
    ["verify", 3, False],
    ["ok", 3, None],
)


def prepare(function_modules: tuple[str, ...] = ()) -> partial[None]:
    """Pin this process's library, load the benchmark's functions, and return the function that serves scripts."""
    script_builtins.pin_library()
    functions = dict(map(_loaded, function_modules))  # Before a script's guards are in the library.
    guard_library()
    script_builtins.begin_step(0, 0, 0)  # Some versions of Python import what seeding needs when they first seed,
    divmod(1 << 20_000, 1 << 10_000)  # and others when they first divide big numbers.
    ast.unparse(ast.Constant(0))  # From Python 3.14 on, annotations are written with modules that this imports.
    string.Template("").substitute()  # From Python 3.14 on, its pattern is made at the first use,
    time.strptime("1", "%d")  # as is the module behind this in every version.
    _install_zones()
    modules = build(replacements())
    warm_up(modules)
    return partial(serve, modules, functions)


def _loaded(name: str) -> tuple[str, ModuleType]:
    """Return a module of functions with its name. Raises `ImportError` that says what such a module may import."""
    try:
        return name, import_module(name)
    except BaseException as error:  # noqa: BLE001 - a library may end its import by an exception of its own
        msg = (
            f"the functions of {name} cannot be loaded beside scripts ({type(error).__name__}: {error!s:.200}): such a "
            "module imports the standard library and Python's own modules, no library that needs datetime's C part"
        )
        raise ImportError(msg) from None


def _install_zones() -> None:
    """Read the data of all time zones now: a child has no files."""
    zones: dict[str, bytes] = {}
    for top in reversed(zoneinfo.TZPATH):
        for folder, below, names in os.walk(top):
            below[:] = [name for name in below if name not in ("posix", "right")]  # the same zones again
            for path in (f"{folder}/{name}" for name in names):
                # A link may lead nowhere.
                with suppress(OSError), open(path, "rb") as file:  # noqa: PTH123 - half the time of pathlib
                    if (data := file.read()).startswith(b"TZif"):
                        zones[path.removeprefix(f"{top}/")] = data

    def load(key: str) -> BinaryIO:
        if key not in zones:
            msg = f"No time zone found with key {key}"
            raise zoneinfo.ZoneInfoNotFoundError(msg)
        return io.BytesIO(zones[key])

    zoneinfo.reset_tzpath(())
    vars(zoneinfo._common)["load_tzdata"] = load


def serve(modules: Modules, functions: Mapping[str, ModuleType], connection: socket, kernel: Kernel | None) -> None:
    """Run the steps and the functions that the parent sends, until it closes the connection."""
    sys.stdin = None  # Its descriptor is now the connection; the library must not read from it.
    try:
        reader = FrameReader(connection)
        setting = read_setting(reader.receive(_MOST_BYTES))
        confine_child(kernel, setting.isolation, setting.limits, NEEDED)
        shared = Shared(reader, setting, modules, functions, step_harness(setting.operations))
        while _serve_one(shared):
            pass
    except Closed:
        return


def warm_up(modules: Modules) -> None:
    """Run an ordinary step a few times in the process from which children are forked.

    The interpreter specialises code when it runs first; otherwise each child would do so again, in memory of its own.
    """
    gc.freeze()  # Imported objects are not to be searched after each step.
    parent, connection = socketpair()
    with parent, connection:
        reader, sent = FrameReader(connection), FrameReader(parent)
        setting = Setting(FILE_OPERATIONS, Limits(), 0, 0, frozenset({Layer.LANGUAGE, Layer.PROCESS}))
        # Enough for the interpreter to specialise the code.
        for number in range(12):
            for message in (setting.message(), *_WARM_REPLIES):
                send_frame(parent, message, _MOST_BYTES)
            setting = read_setting(reader.receive(_MOST_BYTES))
            shared = Shared(reader, setting, modules, {}, step_harness(setting.operations))
            StepRun(shared).run(number, _WARM_SCRIPT, {})
            while sent.receive(_MOST_BYTES)[0] != "end":
                pass


def _serve_one(shared: Shared) -> bool:
    """Run the next step or function; say whether this process can run another. No local name here outlives it."""
    kind, *parts = shared.reader.receive(MOST_FROM_PARENT)
    step = StepRun(shared)
    if kind == "step":
        step.run(*parts)
    else:
        step.compute_alone(*parts)
    return not step.is_spent

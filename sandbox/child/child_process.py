"""The child process: runs one step after another, each with fresh names, and releases what a step made."""

from __future__ import annotations

import calendar
import csv
import decimal
import gc
import signal
import sys
import typing
from socket import socketpair
from typing import TYPE_CHECKING, Any, Final

from sandbox.child.child_step import StepRun
from sandbox.interface.file_operations import FILE_OPERATIONS
from sandbox.interface.limits import Limits
from sandbox.interface.operations import Plain
from sandbox.interface.walls import Wall
from sandbox.library.current_step import STEP
from sandbox.library.module_facades import Modules
from sandbox.process.audit_hook import NEEDED, refuse_the_rest
from sandbox.process.child_settings import Setting, read_setting
from sandbox.process.confinement import RECURSION_LIMIT, leave_root, limit_trial
from sandbox.process.frames import Closed, json_text, read_body, receive_frame, send_frame
from sandbox.process.kernel_walls import Kernel
from sandbox.process.output_channel import Channel

if TYPE_CHECKING:
    from socket import socket

_MOST_BYTES: Final = 1 << 24
_WARM_STEPS: Final = 12
"""More than the interpreter takes to specialise what it runs."""
_WARM_SCRIPT: Final = """
import json
names = [each.name for each in harness.list("/").entries]
record = harness.read("/a.json").json()
totals = {}
for name, value in sorted(record.items()):
    totals[name] = totals.get(name, 0) + len(str(value))
scratchpad["totals"] = totals
print(len(names), json.dumps(totals), f"{len(names):>3}")
scratchpad["answer"], scratchpad["outcome"] = str(record["id"]), "OUTCOME_OK"
scratchpad.cite("/a.json", "holds the id that was asked for")
def verify(sp):
    return sp["answer"] == "a" and all(name.strip() for name in names)
harness.answer(scratchpad, verify)
"""
_WARM_REPLIES: Final[tuple[list[Plain], ...]] = (
    ["ok", 1, {"entries": [{"name": "a.json", "path": "/a.json", "is_dir": False}]}],
    ["ok", 2, {"path": "/a.json", "content": '{"id": "a", "count": 1}', "truncated": False, "sha256": ""}],
    ["ok", 3, "/a.json"],
    ["verify", 4, False],
    ["ok", 4, None],
)
FORGET_CPU_S: Final = 1.0
"""CPU seconds that the finalizers of a finished step may use. Beyond that the process ends, and another takes over."""
_DIALECTS: Final[dict[str, Any]] = {name: csv.get_dialect(name) for name in csv.list_dialects()}
_LONGEST_FIELD: Final = csv.field_size_limit()


def forget_step() -> bool:
    """Release what a step made, and set back what the library lets a script set. Finalizers run now.

    Returns False where something still holds on to what the step made, such as a cache of the library: the next step
    then starts in another process, with the memory that it may use.
    """
    for number in (signal.SIGALRM, signal.SIGPROF):  # Their handlers lead to the step.
        signal.signal(number, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, FORGET_CPU_S)
    left = STEP.forget()
    sys.stdout = sys.stderr = None
    sys.modules.pop("__main__", None)
    gc.collect()
    reset_library()
    signal.setitimer(signal.ITIMER_PROF, 0)
    return left() is None


def reset_library() -> None:
    """Set back what the library lets any script set for its whole process."""
    sys.setrecursionlimit(RECURSION_LIMIT)
    sys.set_int_max_str_digits(sys.int_info.default_max_str_digits)
    decimal.setcontext(decimal.Context())
    calendar.setfirstweekday(calendar.MONDAY)
    csv.field_size_limit(_LONGEST_FIELD)
    if {name: csv.get_dialect(name) for name in csv.list_dialects()} != _DIALECTS:
        for name in csv.list_dialects():
            csv.unregister_dialect(name)
        for name, dialect in _DIALECTS.items():
            csv.register_dialect(name, dialect)
    typing.clear_overloads()


def serve(modules: Modules, connection: socket, kernel: Kernel | None) -> None:
    """Run the steps that the parent sends, until it closes the connection."""
    sys.stdin = None  # Its descriptor is the connection now; the library must not read from it.
    try:
        setting = read_setting(receive_frame(connection, _MOST_BYTES))
        if Wall.PROCESS in setting.walls:
            if Wall.KERNEL not in setting.walls:
                leave_root()
            limit_trial(setting.limits.memory_mb, setting.limits.trial_cpu_s)
        if Wall.KERNEL in setting.walls and kernel is not None:
            kernel.filter_child()
        if Wall.PROCESS in setting.walls:
            refuse_the_rest(NEEDED)
        channel = Channel(connection, setting.limits)
        while _is_good_for_another(channel, setting, modules) and forget_step():
            pass
    except Closed:
        return


def warm_up(modules: Modules) -> None:
    """Run an ordinary step a few times in the process that children are forked from.

    What the interpreter learns and keeps when code runs first, each child would learn again, in memory of its own.
    """
    gc.freeze()  # What was imported is not to be searched after each step.
    parent, connection = socketpair()
    with parent, connection:
        given = Setting(FILE_OPERATIONS, Limits(), 0, 0, frozenset({Wall.LANGUAGE, Wall.PROCESS}))
        setting = read_setting(read_body(json_text(given.message()).encode()))
        channel = Channel(connection, setting.limits)
        for number in range(_WARM_STEPS):
            for reply in _WARM_REPLIES:
                send_frame(parent, reply, _MOST_BYTES)
            step = StepRun(channel, setting, modules)
            step.run(number, _WARM_SCRIPT, {})
            while receive_frame(parent, _MOST_BYTES)[0] != "end":
                pass
            del step
            forget_step()


def _is_good_for_another(channel: Channel, setting: Setting, modules: Modules) -> bool:
    """Run the next step, and say whether this process can run more. No local name here outlives the step."""
    _, number, source, tagged = channel.receive()
    step = StepRun(channel, setting, modules)
    step.run(number, source, tagged)
    return not step.is_spent

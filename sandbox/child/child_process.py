"""The child process: runs one step after another, each with fresh names, and releases what a step made."""

from __future__ import annotations

import calendar
import csv
import decimal
import gc
import signal
import sys
import typing
from typing import TYPE_CHECKING, Final

from sandbox.child.child_step import StepRun
from sandbox.interface.walls import Wall
from sandbox.library.current_step import STEP
from sandbox.library.module_facades import Modules
from sandbox.process.audit_hook import NEEDED, refuse_the_rest
from sandbox.process.child_settings import Setting, read_setting
from sandbox.process.confinement import RECURSION_LIMIT, leave_root, limit_trial
from sandbox.process.frames import Closed, receive_frame
from sandbox.process.kernel_walls import Kernel
from sandbox.process.output_channel import Channel

if TYPE_CHECKING:
    from socket import socket

FORGET_CPU_S: Final = 1.0
"""CPU seconds that the finalizers of a finished step may use. Beyond that the process ends, and another takes over."""
_DIALECTS: Final = {"excel": csv.excel, "excel-tab": csv.excel_tab, "unix": csv.unix_dialect}
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
    for name in csv.list_dialects():
        csv.unregister_dialect(name)
    for name, dialect in _DIALECTS.items():
        csv.register_dialect(name, dialect)
    typing.clear_overloads()


def serve(modules: Modules, connection: socket, kernel: Kernel | None) -> None:
    """Run the steps that the parent sends, until it closes the connection."""
    sys.stdin = None  # Its descriptor is the connection now; the library must not read from it.
    try:
        setting = read_setting(receive_frame(connection, 1 << 24))
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


def _is_good_for_another(channel: Channel, setting: Setting, modules: Modules) -> bool:
    """Run the next step, and say whether this process can run more. No local name here outlives the step."""
    _, number, source, tagged = channel.receive()
    step = StepRun(channel, setting, modules)
    step.run(number, source, tagged)
    return not step.is_spent

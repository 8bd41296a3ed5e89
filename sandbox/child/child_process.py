"""The child process: runs one step after another, each with fresh names, and leaves nothing of a step for the next.

Names, guards, caches of the library, the recursion limit and the decimal context start anew.
"""

from __future__ import annotations

import decimal
import gc
import signal
import sys
import zoneinfo._common
from typing import TYPE_CHECKING, Final

from sandbox.child.child_step import StepRun
from sandbox.interface.script_objects import take_back
from sandbox.interface.walls import Wall
from sandbox.library.attribute_guard import CONTEXTS
from sandbox.library.current_step import STEP
from sandbox.library.module_facades import Modules
from sandbox.process.audit_hook import refuse_the_rest
from sandbox.process.child_settings import Setting, read_setting
from sandbox.process.confinement import RECURSION_LIMIT, leave_root, limit_trial
from sandbox.process.frames import Closed, receive_frame
from sandbox.process.kernel_walls import Kernel
from sandbox.process.output_channel import Channel
from sandbox.substitutes.library_sealing import Shared

if TYPE_CHECKING:
    from _socket import socket

FORGET_CPU_S: Final = 1.0
"""How much CPU the finalizers of a step may take once it is over; more ends the process, and the next step gets another
one."""


def forget_step(shared: Shared) -> bool:
    """Leave nothing of a step behind: finalizers run now, and caches of the library forget its objects.

    Returns whether that succeeded; where something holds on to what the step made, its code could run in the next.
    """
    for number in (signal.SIGALRM, signal.SIGPROF):  # What they call leads to the step.
        signal.signal(number, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, FORGET_CPU_S)
    made_abstract, left = STEP.forget()
    take_back()
    zoneinfo._common.load_tzdata = None  # type: ignore[assignment]
    sys.stdout = sys.stderr = None
    for _ in range(2):  # What the caches held is garbage only after they forgot it, and its finalizers run then.
        gc.collect()
        shared.restore()
        shared.forget(made_abstract=made_abstract)
        if left() is None:
            break
    sys.setrecursionlimit(RECURSION_LIMIT)
    sys.set_int_max_str_digits(sys.int_info.default_max_str_digits)
    decimal.setcontext(decimal.Context())
    CONTEXTS.clear()
    signal.setitimer(signal.ITIMER_PROF, 0)
    return left() is None


def serve(modules: Modules, shared: Shared, connection: socket, kernel: Kernel | None) -> None:
    """Run the steps that the parent sends, until it closes the connection."""
    sys.stdin = None  # Its descriptor is the connection now, which the library may not read from.
    try:
        setting = read_setting(receive_frame(connection, 1 << 24))
        if Wall.PROCESS in setting.walls:
            if Wall.KERNEL not in setting.walls:
                leave_root()
            limit_trial(setting.limits)
        if Wall.KERNEL in setting.walls and kernel is not None:
            kernel.filter_child()
        if Wall.PROCESS in setting.walls:
            refuse_the_rest()
        channel = Channel(connection, setting.limits)
        while _is_good_for_another(channel, setting, modules) and forget_step(shared):
            pass
    except Closed:
        return


def _is_good_for_another(channel: Channel, setting: Setting, modules: Modules) -> bool:
    """Run the next step, and say whether this process can run more. Nothing here holds on to what the step made."""
    _, number, source, tagged = channel.next_step()
    step = StepRun(channel, setting, modules)
    step.run(number, source, tagged)
    return not step.is_spent

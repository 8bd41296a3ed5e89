"""The process of a fork server: imports everything once, then forks a child for every request.

A forked child starts in a millisecond, with
all modules loaded. The steps of this process:

1. `main` confines the process by the kernel layer, which its children inherit, and
   imports what the children need. Then it sends the parent a `StartReport`.
2. `ForkingProcess.run` serves the parent's requests over the control socket: it hands
   out a child, or ends a child and says how it ended.
3. The process ends if the parent closes the control
   socket or dies. All children end with it.

It has one thread, because a fork copies only the thread that forks.
"""

import gc
import os
import signal
import socket
from typing import Final

from controlplane.sandbox.child.child_imports import import_for_children
from controlplane.sandbox.child.forking_process import BROKEN, ForkingProcess
from controlplane.sandbox.child.walls import isolation, kernel
from controlplane.sandbox.child.walls.kernel import Kernel
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.messages.fork_server_messages import (
    StartFailure,
    StartReport,
)
from controlplane.sandbox.interface.messages.frames import send_frame

WORKER_GARBAGE_THRESHOLD: Final = 20_000
"""New objects between two searches for garbage in a worker. With Python's own
700, one call would search the worker's lasting objects a hundred times."""


# Starting


def main(
    descriptor: int, *, with_kernel: bool, modules: tuple[str, ...], for_workers: bool
) -> None:
    """Run the fork server over the control socket at `descriptor`.

    `modules` are imported before the isolation begins. With `for_workers`,
    each child calls functions of these modules. Otherwise each child runs scripts,
    which may use these modules.

    The order of the steps matters: each takes away what an earlier step still needs.
    """
    # Ctrl-C in a terminal reaches every process there; the parent decides what to do about it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    control = socket.socket(fileno=descriptor)
    linux = kernel.load()

    # The result of each part of the kernel layer that is tried: "" if the part works,
    # otherwise the reason why not.
    kernel_parts: dict[str, str] = {}

    # 1. Enter namespaces. The kernel refuses that to a process with threads, and an import may
    #    start a thread.
    if with_kernel and linux is not None:
        kernel_parts.update(linux.unshare())

    # 2. Import what the children need, while this process can read files.
    try:
        server = import_for_children(modules, for_workers)
    except ImportError as error:
        send_frame(
            control, StartFailure(str(error)).encode(), bounds.MOST_REQUEST_BYTES
        )
        os._exit(BROKEN)

    # 3. Give up files. Standard input is /dev/null, and standard error becomes it, too.
    isolation.measure_address_space()
    os.dup2(0, 2)
    isolation.refuse_files()

    # 4. Put up the rest of the kernel layer.
    if with_kernel:
        if linux is None:
            kernel_parts["kernel"] = "only Linux on x86_64 or aarch64 has it"
        else:
            has_user_namespace = kernel_parts["user namespace"] == ""  # from step 1
            kernel_parts.update(_confine(linux, has_user_namespace))

    # 5. Leave the imported objects out of the search for garbage: nearly all of them live for ever.
    #    The search was off during the imports, to make them faster.
    gc.freeze()
    if for_workers:
        gc.set_threshold(WORKER_GARBAGE_THRESHOLD)
    gc.enable()

    # 6. If this process has made a pid namespace, fork its first process.
    lifeline = None
    has_pid_namespace = kernel_parts.get("pid namespace") == ""
    if linux is not None and has_pid_namespace:
        lifeline = _fork_namespace_keeper(linux)

    send_frame(control, StartReport(kernel_parts).encode(), bounds.MOST_REQUEST_BYTES)
    ForkingProcess(control, server, linux, lifeline).run()
    os._exit(0)


def _confine(linux: Kernel, has_user_namespace: bool) -> dict[str, str]:
    """Restrict this process by the kernel. Its children inherit the restrictions.

    Returns one text for each part: "" if the part works, otherwise the reason why not.
    The order matters, because later parts forbid system calls that earlier ones need.
    """
    report = {"empty root": linux.empty_root()}
    if not has_user_namespace:
        # Without a user namespace, root in this process is root of the machine.
        isolation.leave_root()
    report["undumpable"] = linux.set_option(kernel.UNDUMPABLE)
    report["no_new_privs"] = linux.set_option(kernel.NO_NEW_PRIVILEGES)
    report["landlock"] = linux.landlock()
    report["no capabilities"] = linux.drop_capabilities()
    report["seccomp"] = linux.filter_server()
    return report


def _fork_namespace_keeper(linux: Kernel) -> socket.socket:
    """Fork the keeper, the first process of the pid namespace. Returns its lifeline.

    The first fork after `unshare` makes the first process of the new pid namespace. When
    that one ends, the kernel ends all others in it. The keeper ends when the lifeline, a
    socket of this process, is closed. So all children end when this process ends.
    """
    lifeline, end_of_keeper = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        linux.set_option(kernel.DIE_WITH_PARENT)
        lifeline.close()
        end_of_keeper.recv(1)  # Returns when the other end is closed.
        os._exit(0)
    end_of_keeper.close()
    return lifeline

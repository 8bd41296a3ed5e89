"""The process of a fork server: imports everything once, then forks a child for every request.

A forked child starts in a millisecond, with
all modules loaded. The steps of this process:

1. `main` confines the process by the kernel layer, which its children inherit, and
   imports what the children need. Then it tells the parent which parts of the layer work.
2. `_ForkingProcess.run` serves the parent's requests over the control socket: it hands
   out a child, or ends a child and says how it ended.
3. The process ends if the parent closes the control
   socket or dies. All children end with it.

It has one thread, because a fork copies only the thread that forks.
"""

import codecs
import gc
import os
import signal
import socket
import sys
from importlib import import_module
from typing import Final, NamedTuple, Never, Protocol

from controlplane.sandbox.child.walls import kernel, process_layer
from controlplane.sandbox.child.walls.kernel import Kernel
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import INTERNAL
from controlplane.sandbox.interface.frames import Connection
from controlplane.sandbox.interface.messages import (
    CHILD_REPLY,
    CHILD_REQUEST,
    Failed,
    Message,
    Outcome,
    Returned,
    message_bytes,
)

# What children need from the process that forks them: everything imported, and what to serve.
#
# A fork server forks one of two kinds of children: processes that run *scripts* of a model, or
# *workers*, which call functions of a benchmark. A child has no files, so it could import nothing
# itself. Forked from a process that has imported everything, it starts within milliseconds.

_CODECS: Final = (
    "ascii latin-1 utf-8-sig utf-16-le utf-16-be utf-7 unicode_escape raw-unicode-escape cp437 "
    "cp850 cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 iso8859-2 iso8859-5 iso8859-7 iso8859-9 "
    "iso8859-15 koi8-r koi8-u mac-roman shift_jis cp932 euc_jp iso2022_jp gbk gb2312 gb18030 big5 "
    "euc_kr"
)
"""Encodings that files and messages of users are in. Python loads
an encoding at its first use, from a file, and the children have no files."""

_C_MODULES_HIDDEN_FROM_SCRIPTS: Final = ("_hashlib", "_datetime", "_zoneinfo")
"""Modules in C whose import fails in scripts, so that the library uses its Python code instead.
The Python code gets the time from the module `time`, where it is pinned (the same in
every replay). The C code would get the real time from the machine."""


class _ChildServer(Protocol):
    """What a child does after it was forked, prepared in this process."""

    def serve(self, connection: Connection, kernel: Kernel | None) -> None:
        """Serve the parent over the connection until the parent closes it."""
        ...


def _import_for_children(modules: tuple[str, ...], for_workers: bool) -> _ChildServer:
    """Import everything that children need, and return what they do. Raises `ImportError`."""
    for codec in _CODECS.split():
        codecs.lookup(codec)

    process_module = "controlplane.sandbox.child.worker_process"
    if not for_workers:
        process_module = "controlplane.sandbox.child.script_process"
        for name in _C_MODULES_HIDDEN_FROM_SCRIPTS:
            sys.modules[name] = None  # type: ignore[assignment] # An import of it fails now.

    # This import isn't at the top of this module: it loads modules of the library, such
    # as `datetime`, which load their C part unless it has been hidden before.
    process = import_module(process_module)
    # `prepare` imports `modules`, and returns the object that serves the parent in a child.
    server: _ChildServer = process.prepare(modules)
    return server


# Forks the children, and ends them, as the parent requests it over the control socket.

_BROKEN: Final = 70
"""The exit code of a process that failed through no fault of a script (EX_SOFTWARE)."""


class _WaitingChild(NamedTuple):
    """A child that was forked before the parent asked for it."""

    pid: int
    connection: socket.socket
    """The parent's end of its connection."""


class _ForkingProcess:
    """Forks a child, a process for one trial, whenever the parent requests one.

    The parent sends requests over the control socket: for a new child, or to end one. One
    child is always forked in advance, so that no request has to wait for a fork.
    """

    def __init__(
        self,
        control: socket.socket,
        server: _ChildServer,
        linux: Kernel | None,
        lifeline: socket.socket | None,
    ) -> None:
        self._control = control
        """The socket to the parent, for requests and replies."""
        self._server = server
        """What a child does: it serves scripts, or functions of a worker."""
        self._linux = linux
        """The kernel layer of the isolation; None if this machine does not have it."""
        self._lifeline = lifeline
        """The socket that keeps the pid namespace alive; None if there is no namespace.
        Without one, each child asks the kernel to end it with this process."""
        self._waiting_child: _WaitingChild | None = None
        """The child that the next request gets."""

    def run(self) -> None:
        """Serve requests until the parent is gone."""
        while True:
            if self._waiting_child is None:
                self._waiting_child = self._fork_child()
            try:
                record = self._control.recv(CHILD_REQUEST.size, socket.MSG_WAITALL)
            except OSError:
                return
            if len(record) < CHILD_REQUEST.size:  # The parent closed the connection.
                return

            (child_to_end,) = CHILD_REQUEST.unpack(record)
            if child_to_end:
                self._control.sendall(_end_child(child_to_end))
                continue

            # Send the waiting child's number and its connection, and close the copy here.
            pid, connection = self._waiting_child
            self._waiting_child = None
            with connection:
                record = CHILD_REPLY.pack(pid, 0, 0, 0)
                socket.send_fds(self._control, [record], [connection.fileno()])

    def _fork_child(self) -> _WaitingChild:
        """Fork a child, which waits for the parent's first message. Returns it to the fork server.

        In the child itself, this does not return.
        """
        end_of_parent, end_of_child = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            # A child must not have the sockets of the fork server. Each is closed here, because
            # `_become_child` closes the descriptors only up to the limit of open files, and
            # the numbers of these may be higher.
            end_of_parent.close()
            self._control.close()
            if self._lifeline is not None:
                self._lifeline.close()
            self._become_child(end_of_child)  # It does not return.
        end_of_child.close()
        return _WaitingChild(pid, end_of_parent)

    def _become_child(self, connection: socket.socket) -> Never:
        """Serve the parent over the connection as a child, and end this process.

        The child must never return to the code of the fork server, so every way ends it here.
        """
        try:
            if self._lifeline is None and self._linux is not None:
                self._linux.set_option(kernel.DIE_WITH_PARENT)

            connection_at_0 = Connection(_only_open_descriptor(connection))
            self._server.serve(connection_at_0, self._linux)
        except BaseException:  # noqa: BLE001 - the border of the child: any failure ends it here
            os._exit(_BROKEN)
        finally:
            os._exit(0)


def _only_open_descriptor(connection: socket.socket) -> socket.socket:
    """Make the connection the only open descriptor of this process, with the number 0."""
    # Close 0 to 2, copy the connection to the lowest free number, and close all others.
    os.closerange(0, 3)
    os.dup(connection.fileno())
    process_layer.close_descriptors()
    # Family and type are given because the isolation forbids to ask the kernel for them.
    return socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, fileno=0)


def _end_child(pid: int) -> bytes:
    """Kill a child if it is alive, and return the reply with its exit code, CPU time and memory.

    If there is no such child, the reply has none of them.
    """
    try:
        ended_pid, status, usage = os.wait4(pid, os.WNOHANG)
        if ended_pid == 0:  # The child is still alive.
            os.kill(pid, signal.SIGKILL)
            _, status, usage = os.wait4(pid, 0)
    except ChildProcessError:
        return CHILD_REPLY.pack(pid, 0, 0, 0)  # This process has no such child.
    cpu_ms = int((usage.ru_utime + usage.ru_stime) * 1000)
    # Only Linux counts the memory in KiB.
    peak_kib = usage.ru_maxrss if sys.platform == "linux" else 0
    exit_code = os.waitstatus_to_exitcode(status)
    return CHILD_REPLY.pack(pid, exit_code, cpu_ms, peak_kib)


_WORKER_GARBAGE_THRESHOLD: Final = 20_000
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
        server = _import_for_children(modules, for_workers)
    except ImportError as error:
        _tell_parent(control, Failed(INTERNAL, str(error)))
        os._exit(_BROKEN)

    # 3. Give up files. Standard input is /dev/null, and standard error becomes it, too.
    process_layer.measure_address_space()
    os.dup2(0, 2)
    process_layer.refuse_files()

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
        gc.set_threshold(_WORKER_GARBAGE_THRESHOLD)
    gc.enable()

    # 6. If this process has made a pid namespace, fork its first process.
    lifeline = None
    has_pid_namespace = kernel_parts.get("pid namespace") == ""
    if linux is not None and has_pid_namespace:
        lifeline = _fork_namespace_keeper(linux)

    _tell_parent(control, Returned(kernel_parts))
    _ForkingProcess(control, server, linux, lifeline).run()
    os._exit(0)


def _tell_parent(control: socket.socket, outcome: Outcome) -> None:
    """Say that this process is ready, with the parts of the kernel layer, or why it is not."""
    body = message_bytes(Message(outcome).encode())
    Connection(control).send(body, bounds.MOST_REQUEST_BYTES)


def _confine(linux: Kernel, has_user_namespace: bool) -> dict[str, str]:
    """Restrict this process by the kernel. Its children inherit the restrictions.

    Returns one text for each part: "" if the part works, otherwise the reason why not.
    The order matters, because later parts forbid system calls that earlier ones need.
    """
    report = {"empty root": linux.empty_root()}
    if not has_user_namespace:
        # Without a user namespace, root in this process is root of the machine.
        process_layer.leave_root()
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

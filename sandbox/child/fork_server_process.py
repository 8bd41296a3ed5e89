"""The fork server's own process: single-threaded, imports done once, one child for every request.

It reads fixed requests from its control socket: `+` hands out a child (its socket and number go
back), `-` ends child number N and reports how it ended. It ends when its parent closes the socket
or dies, and its children end with it. Children inherit the kernel layer from it.
"""

import codecs
import contextlib
import gc
import os
import signal
import socket
import sys
from importlib import import_module
from typing import Final, NamedTuple, Never, Protocol

from controlplane.sandbox.child.walls import isolation, kernel
from controlplane.sandbox.child.walls.kernel import Kernel
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.frames import REPLY, REQUEST, send_frame

BROKEN: Final = 70
"""The exit code of a child that failed through no fault of a script (EX_SOFTWARE)."""

_CODECS: Final = (
    "ascii latin-1 utf-8-sig utf-16-le utf-16-be utf-7 unicode_escape raw-unicode-escape cp437 "
    "cp850 cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 iso8859-2 iso8859-5 iso8859-7 iso8859-9 "
    "iso8859-15 koi8-r koi8-u mac-roman shift_jis cp932 euc_jp iso2022_jp gbk gb2312 gb18030 big5 "
    "euc_kr"
)
"""Encodings loaded for all children, besides those built in."""

PYTHON_FORM_IN_SCRIPTS: Final = ("_hashlib", "_datetime", "_zoneinfo")
"""C modules that scripts do without: the library's Python forms ask `time`, whose clocks are pinned."""

WORKER_GARBAGE_THRESHOLD: Final = 20_000
"""New objects between two searches for garbage in a worker. With Python's own 700, a call would
search its lasting objects a hundred times."""


class ChildServer(Protocol):
    """What a child does, prepared in this process."""

    def serve(self, connection: socket.socket, kernel: Kernel | None) -> None:
        """Serve the parent over the connection until it is closed."""
        ...


class ReadyChild(NamedTuple):
    """A child that was forked before it is asked for."""

    pid: int
    connection: socket.socket
    """The parent's end of its connection."""


class ForkingProcess:
    """Forks children that are ready before they are asked for."""

    def __init__(
        self,
        control: socket.socket,
        server: ChildServer,
        linux: Kernel | None,
        lifeline: socket.socket | None,
    ) -> None:
        self._control = control
        self._server = server
        self._kernel = linux
        self._lifeline = lifeline
        """Keeps the pid namespace alive. Without one, each child asks the kernel to end it with
        this process."""
        self._ready_child: ReadyChild | None = None

    def run(self) -> None:
        """Serve requests until the parent is gone."""
        while True:
            if self._ready_child is None:
                self._ready_child = self._fork_child()
            try:
                request = self._control.recv(REQUEST.size, socket.MSG_WAITALL)
            except OSError:
                return
            if len(request) < REQUEST.size:
                return

            kind, number = REQUEST.unpack(request)
            if kind == b"+":
                self._hand_out(self._ready_child)
                self._ready_child = None
            else:
                self._end_child(number)

    def _hand_out(self, child: ReadyChild) -> None:
        """Send a child's number and connection to the parent."""
        with child.connection:
            reply = REPLY.pack(child.pid, 0, 0)
            socket.send_fds(self._control, [reply], [child.connection.fileno()])

    def _fork_child(self) -> ReadyChild:
        """Fork a child, which waits for its first message."""
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            # Closed one by one, since their numbers may be beyond those that the child closes.
            ours.close()
            self._control.close()
            if self._lifeline is not None:
                self._lifeline.close()
            self._become_child(theirs)
        theirs.close()
        return ReadyChild(pid, ours)

    def _become_child(self, connection: socket.socket) -> Never:
        """Serve the parent over the connection as a child, and end this process."""
        try:
            if self._lifeline is None and self._kernel is not None:
                self._kernel.control(kernel.DIE_WITH_PARENT)

            # The connection becomes the only descriptor, with the lowest number.
            os.closerange(0, 3)
            os.dup(connection.fileno())
            isolation.close_descriptors()
            # Its kind is named, since the isolation forbids to ask the kernel for it.
            connection_at_0 = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, fileno=0)
            self._server.serve(connection_at_0, self._kernel)
        except BaseException:  # noqa: BLE001 - the border of the child: any failure ends it here
            os._exit(BROKEN)
        finally:
            os._exit(0)

    def _end_child(self, pid: int) -> None:
        """Kill a child if it is alive, and report its exit code and its CPU time."""
        code = 0
        cpu_ms = 0
        with contextlib.suppress(ChildProcessError):
            ended_pid, status, usage = os.wait4(pid, os.WNOHANG)
            if ended_pid == 0:
                os.kill(pid, signal.SIGKILL)
                _, status, usage = os.wait4(pid, 0)
            code = os.waitstatus_to_exitcode(status)
            cpu_ms = int((usage.ru_utime + usage.ru_stime) * 1000)
        self._control.sendall(REPLY.pack(pid, code, cpu_ms))


def main(
    descriptor: int, *, with_kernel: bool, modules: tuple[str, ...], for_workers: bool
) -> None:
    """Run the fork server over the control socket at `descriptor`.

    `modules` are loaded before the isolation begins. Its children run scripts and functions of
    these modules or, `for_workers`, calls of the modules' functions alone.
    """
    # Ctrl-C in a terminal reaches every process there; the parent decides what to do about it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    control = socket.socket(fileno=descriptor)

    # Namespaces come first: a process with threads gets none, and an import may start one.
    linux = kernel.load()
    report: dict[str, str] = {}
    if with_kernel and linux is not None:
        report = linux.unshare()

    # Then the imports, while there are files.
    try:
        server = _prepare(modules, for_workers)
    except ImportError as error:
        send_frame(control, ["broken", str(error)], bounds.MOST_REQUEST_BYTES)
        os._exit(BROKEN)

    # Then everything else that the isolation takes away.
    isolation.measure_address_space()
    os.dup2(0, 2)  # /dev/null: nothing here is printed.
    isolation.refuse_files()
    if with_kernel:
        report |= _confine(linux, has_user_namespace=report.get("user namespace") == "")

    # Imports leave little garbage, and looking for it takes time.
    gc.freeze()
    if for_workers:
        gc.set_threshold(WORKER_GARBAGE_THRESHOLD)
    gc.enable()

    lifeline = None
    if linux is not None and report.get("pid namespace") == "":
        lifeline = _found_namespace(linux)

    send_frame(control, ["ready", dict(report)], bounds.MOST_REQUEST_BYTES)
    ForkingProcess(control, server, linux, lifeline).run()
    os._exit(0)


def _prepare(modules: tuple[str, ...], for_workers: bool) -> ChildServer:
    """Load everything that children need. Raises `ImportError`."""
    for codec in _CODECS.split():
        codecs.lookup(codec)
    kind = "worker"
    if not for_workers:
        kind = "script"
        for name in PYTHON_FORM_IN_SCRIPTS:
            sys.modules[name] = None  # type: ignore[assignment] # An import of it fails then.
    # Imported only now, so that the library takes its Python forms.
    process_module = import_module(f"controlplane.sandbox.child.{kind}_process")
    server: ChildServer = process_module.prepare(modules)
    return server


def _confine(linux: Kernel | None, *, has_user_namespace: bool) -> dict[str, str]:
    """Put the kernel layer around this process, each part while that is still possible."""
    if linux is None:
        return {"kernel": "only Linux on x86_64 or aarch64 has it"}
    report = {"empty root": linux.empty_root()}
    if not has_user_namespace:  # Root here is also root outside.
        isolation.leave_root()
    report["undumpable"] = linux.control(kernel.UNDUMPABLE)
    report["no_new_privs"] = linux.control(kernel.NO_NEW_PRIVILEGES)
    report["landlock"] = linux.landlock()
    report["no capabilities"] = linux.drop_capabilities()
    report["seccomp"] = linux.filter_server()
    return report


def _found_namespace(linux: Kernel) -> socket.socket:
    """Fork the first process of the pid namespace, and return the socket that keeps it alive.

    The other processes of the namespace end with it. It is a copy of this process that waits for
    this one to end, so it costs next to no memory.
    """
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        linux.control(kernel.DIE_WITH_PARENT)
        ours.close()
        theirs.recv(1)
        os._exit(0)
    theirs.close()
    return ours

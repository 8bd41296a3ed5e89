"""The fork server's own process: single-threaded, imports done once, one child for every request.

It reads fixed requests from its control socket: `+` hands out a child (its socket and number go back), `-` ends child
number N and reports how it ended. It ends when its parent closes the socket or dies, and its children end with it.
Children inherit the kernel layer from it.
"""

import codecs
import contextlib
import gc
import os
import signal
import socket
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final, Never

from controlplane.sandbox.child import isolation
from controlplane.sandbox.child.isolation import Kernel, load
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.frames import REPLY, REQUEST, send_frame

Serve = Callable[[socket.socket, Kernel | None], None]

BROKEN: Final = 70
"""The exit code of a child that failed through no fault of a script."""
_CODECS: Final = (
    "ascii latin-1 utf-8-sig utf-16-le utf-16-be utf-7 unicode_escape raw-unicode-escape cp437 cp850 cp1250 cp1251 "
    "cp1252 cp1253 cp1254 cp1255 cp1256 iso8859-2 iso8859-5 iso8859-7 iso8859-9 iso8859-15 koi8-r koi8-u mac-roman "
    "shift_jis cp932 euc_jp iso2022_jp gbk gb2312 gb18030 big5 euc_kr"
)
CODECS: Final = tuple(_CODECS.split())
"""Encodings loaded for all children, besides those built in (UTF-8, UTF-16, UTF-32, Latin-1, ASCII)."""


class ForkingProcess:
    """Forks children that are ready before they are asked for."""

    def __init__(
        self,
        control: socket.socket,
        serve: Serve,
        kernel: Kernel | None,
        lifeline: socket.socket | None,
    ) -> None:
        self._control = control
        self._serve = serve
        self._kernel = kernel
        self._lifeline = lifeline
        """Keeps the pid namespace alive. Without one, each child asks the kernel to end the child with this process."""
        self._ready: tuple[int, socket.socket] | None = None

    def run(self) -> None:
        """Serve requests until the parent is gone."""
        while True:
            if self._ready is None:
                self._ready = self._forked()
            try:
                request = self._control.recv(REQUEST.size, socket.MSG_WAITALL)
            except OSError:
                return
            if len(request) < REQUEST.size:
                return
            kind, number = REQUEST.unpack(request)
            if kind == b"+":
                pid, connection = self._ready
                with connection:
                    socket.send_fds(self._control, [REPLY.pack(pid, 0, 0)], [connection.fileno()])
                self._ready = None
            else:
                self._end(number)

    def _forked(self) -> tuple[int, socket.socket]:
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if (
            pid == 0
        ):  # The server's sockets may have numbers beyond the limit up to which descriptors are closed.
            ours.close()
            self._control.close()
            if self._lifeline is not None:
                self._lifeline.close()
            self._become_child(theirs)
        theirs.close()
        return pid, ours

    def _end(self, pid: int) -> None:
        code, cpu_ms = 0, 0
        with contextlib.suppress(ChildProcessError):
            ended, status, used = os.wait4(pid, os.WNOHANG)
            if ended == 0:
                os.kill(pid, signal.SIGKILL)
                _, status, used = os.wait4(pid, 0)
            code, cpu_ms = (
                os.waitstatus_to_exitcode(status),
                int((used.ru_utime + used.ru_stime) * 1000),
            )
        self._control.sendall(REPLY.pack(pid, code, cpu_ms))

    def _become_child(self, connection: socket.socket) -> Never:
        try:
            if self._lifeline is None and self._kernel is not None:
                self._kernel.control(isolation.DIE_WITH_PARENT)
            os.closerange(0, 3)
            os.dup(connection.fileno())  # The lowest free number: 0.
            isolation.close_descriptors()
            # Its kind is named, since the isolation forbids to ask the kernel for it.
            self._serve(
                socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, fileno=0), self._kernel
            )
        except BaseException:  # noqa: BLE001 - the border of the child: any failure ends it here
            os._exit(BROKEN)
        finally:
            os._exit(0)


def main(
    descriptor: int, *, with_kernel: bool, modules: tuple[str, ...], for_workers: bool
) -> None:
    """Run the fork server over the control socket at `descriptor`, with or without the kernel layer.

    `modules` are loaded before the isolation begins. Its children run scripts and functions of these modules or,
    `for_workers`, calls of the modules' functions alone.
    """
    # Ctrl-C in a terminal reaches every process there; the parent decides what to do about it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    control = socket.socket(fileno=descriptor)
    kernel = load()
    report: dict[str, str] = {}
    if with_kernel and kernel is not None:
        report = kernel.unshare()
    for codec in CODECS:
        codecs.lookup(codec)
    try:
        if not for_workers:  # The library's Python forms ask `time`, whose clocks are pinned.
            without: dict[str, Any] = dict.fromkeys(("_hashlib", "_datetime", "_zoneinfo"))
            sys.modules.update(without)
        kind = "worker" if for_workers else "script"
        serve: Serve = import_module(f"controlplane.sandbox.child.{kind}_process").prepare(modules)
    except ImportError as error:
        send_frame(control, ["broken", str(error)], bounds.MOST_REQUEST_BYTES)
        os._exit(BROKEN)
    isolation.measure_address_space()
    os.dup2(0, 2)
    isolation.refuse_files()
    if with_kernel:
        report |= _confine(kernel, has_user=report.get("user namespace") == "")
    gc.freeze()  # Imports leave little garbage, and looking for it takes time.
    if for_workers:
        # For workers: with Python's own 700 they would search the lasting objects of a call for garbage a hundred
        # times.
        gc.set_threshold(20_000)
    gc.enable()
    has_namespace = kernel is not None and report.get("pid namespace") == ""
    lifeline = _found_namespace(kernel) if has_namespace and kernel is not None else None
    send_frame(control, ["ready", dict(report)], bounds.MOST_REQUEST_BYTES)
    ForkingProcess(control, serve, kernel, lifeline).run()
    os._exit(0)


def _found_namespace(kernel: Kernel) -> socket.socket:
    """Fork the first process of the pid namespace, and return the socket that keeps it alive; the others end with it.

    It is a copy of this process that waits for this one to end, so it costs next to no memory.
    """
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        kernel.control(isolation.DIE_WITH_PARENT)
        ours.close()
        theirs.recv(1)
        os._exit(0)
    theirs.close()
    return ours


def _confine(kernel: Kernel | None, *, has_user: bool) -> dict[str, str]:
    """Put the kernel layer around this process, each part while that is still possible."""
    if kernel is None:
        return {"kernel": "only Linux on x86_64 or aarch64 has it"}
    emptied = kernel.empty_root()
    if not has_user:  # Without a user namespace, root here is also root outside.
        isolation.leave_root()
    return {
        "empty root": emptied,
        "undumpable": kernel.control(isolation.UNDUMPABLE),
        "no_new_privs": kernel.control(isolation.NO_NEW_PRIVILEGES),
        "landlock": kernel.landlock(),
        "no capabilities": kernel.drop_capabilities(),
        "seccomp": kernel.filter_server(),
    }

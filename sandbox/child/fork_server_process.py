"""The fork server's own process: single-threaded, imports done once, one child for every request.

It reads requests of one byte and a number from its control socket: `+` hands out a child (its socket and number go
back), `-` ends child number N and says how it ended, `&` comes with a socket and makes a copy of this process that
serves there, ready without importing anything, on core N - 1 unless N is 0. It ends when its parent closes the socket
or dies, and its children and copies end with it. Children inherit the kernel wall from it.
"""

import array
import codecs
import contextlib
import gc
import os
import signal
import socket
import string
import struct
import time
from collections.abc import Callable
from functools import partial
from typing import Final, Never

from sandbox.library.type_slots import NotReplaced
from sandbox.process import confinement
from sandbox.process.kernel_walls import Kernel, load

Serve = Callable[[socket.socket, Kernel | None], None]
"""Serves scripts in a child over its socket."""


REQUEST: Final = struct.Struct("!cI")
BROKEN: Final = 70
"""The exit code of a child that failed although no script made it fail."""
CODECS: Final = (
    *("utf-8-sig", "utf-16-le", "utf-16-be", "unicode_escape"),
    *("cp1252", "iso8859-15"),
)
"""Encodings loaded for scripts, beside those built in (UTF-8, UTF-16, UTF-32, Latin-1, ASCII). A child loads none."""
REPLY: Final = struct.Struct("!IiI")
"""A child's number, its exit code, and the milliseconds of CPU that it used."""
_OBJECTS_BETWEEN_COLLECTIONS: Final = 20_000
"""For aides: Python's own 700 have them look for garbage a hundred times in what stays until a call is over."""
ONE_DESCRIPTOR: Final = socket.CMSG_SPACE(array.array("i", [0]).itemsize)
"""The bytes to receive beside a message that may come with a descriptor."""


class ForkingProcess:
    """Forks children that are ready before they are asked for."""

    def __init__(
        self,
        control: socket.socket,
        report: dict[str, str],
        serve: Serve,
        kernel: Kernel | None,
        lifeline: socket.socket | None,
    ) -> None:
        self._control = control
        self._report = report
        self._serve = serve
        self._kernel = kernel
        self._lifeline = lifeline
        """Keeps the pid namespace alive. Without one, each child asks the kernel to end it with this process."""
        self._ready: list[tuple[int, socket.socket]] = []

    def run(self) -> None:
        """Say that this is ready, and serve requests until the parent is gone."""
        _announce(self._control, self._report)
        self._make_ready()
        while True:
            try:
                request, extra, _, _ = self._control.recvmsg(REQUEST.size, ONE_DESCRIPTOR, socket.MSG_WAITALL)
            except OSError:
                return
            if len(request) < REQUEST.size:
                return
            kind, number = REQUEST.unpack(request)
            if kind == b"+":
                self._hand_out()
                self._make_ready()
            elif kind == b"-":
                self._end(number)
            elif extra:
                self._copy(_unix_socket(array.array("i", extra[0][2])[0]), core=number - 1)

    def _make_ready(self) -> None:
        if self._ready:
            return
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            ours.close()
            self._control.close()
            if self._lifeline is not None:
                self._lifeline.close()
            self._become_child(theirs)
        theirs.close()
        self._ready.append((pid, ours))

    def _hand_out(self) -> None:
        self._make_ready()
        pid, ours = self._ready.pop()
        descriptors = array.array("i", [ours.fileno()])
        self._control.sendmsg([REPLY.pack(pid, 0, 0)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)])
        ours.close()

    def _end(self, pid: int) -> None:
        code, cpu_ms = 0, 0
        try:
            ended, status, used = os.wait4(pid, os.WNOHANG)
            if ended == 0:
                os.kill(pid, signal.SIGKILL)
                _, status, used = os.wait4(pid, 0)
            code, cpu_ms = os.waitstatus_to_exitcode(status), int((used.ru_utime + used.ru_stime) * 1000)
        except ChildProcessError:
            pass
        self._control.sendall(REPLY.pack(pid, code, cpu_ms))

    def _copy(self, control: socket.socket, core: int) -> None:
        """Fork a copy that serves over `control`. Only its control socket ends it before this process ends."""
        if os.fork() != 0:
            control.close()
            return
        if core >= 0:
            with contextlib.suppress(OSError):  # It may not be this process's any more.
                os.sched_setaffinity(0, {core})
        if self._lifeline is not None:
            self._lifeline.close()
        elif self._kernel is not None:
            self._kernel.die_with_parent()
        for _, connection in self._ready:
            connection.close()
        self._control.close()
        ForkingProcess(control, self._report, self._serve, self._kernel, lifeline=None).run()
        os._exit(0)

    def _become_child(self, connection: socket.socket) -> Never:
        try:
            if self._lifeline is None and self._kernel is not None:
                self._kernel.die_with_parent()
            os.closerange(0, 3)
            os.dup(connection.fileno())  # The lowest free number: 0.
            confinement.close_descriptors()
            self._serve(_unix_socket(0), self._kernel)
        except BaseException:  # noqa: BLE001 - the border of the child: whatever broke it, it ends here
            os._exit(BROKEN)
        finally:
            os._exit(0)


def _unix_socket(descriptor: int) -> socket.socket:
    """Return the socket without asking the kernel of what kind it is, which the walls forbid."""
    return socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, fileno=descriptor)


def main(descriptor: int, *, with_kernel: bool, aide_modules: tuple[str, ...] | None) -> None:
    """Be the fork server over the control socket at `descriptor`, the kernel wall up or not.

    Its children run scripts, or, given the names of modules, calls of their functions.
    """
    # Ctrl-C in a terminal reaches every process there; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    control = socket.socket(fileno=descriptor)
    kernel = load()
    report: dict[str, str] = {}
    if with_kernel and kernel is not None:
        report = kernel.unshare()
    try:
        serve = _prepare_scripts() if aide_modules is None else _prepare_aides(aide_modules)
    except NotReplaced as error:
        _announce(control, {"broken": str(error)})
        return
    confinement.measure_address_space()
    os.dup2(0, 2)
    confinement.refuse_files()
    if with_kernel:
        report |= _confine(kernel, has_user=report.get("user namespace") == "")
    gc.freeze()  # Imports leave little to collect, and looking for it takes time.
    if aide_modules is not None:
        gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    gc.enable()
    has_namespace = kernel is not None and report.get("pid namespace") == ""
    lifeline = _found_namespace(kernel) if has_namespace and kernel is not None else None
    ForkingProcess(control, report, serve, kernel, lifeline).run()
    os._exit(0)


def _found_namespace(kernel: Kernel) -> socket.socket:
    """Fork the first process of the pid namespace, and return what keeps it alive: when it ends, all in it end.

    It is a copy of this process that waits for this one to end, so it costs next to no memory.
    """
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        kernel.die_with_parent()
        ours.close()
        theirs.recv(1)
        os._exit(0)
    theirs.close()
    return ours


def _prepare_scripts() -> Serve:
    """Import all that scripts may need, pin the clocks, guard the library, and return what serves scripts."""
    for codec in CODECS:
        codecs.lookup(codec)

    from sandbox.library import pinned_addresses

    pinned_addresses.install()  # Before what the imports below keep in sets.

    import ast
    import pprint

    from sandbox.child import child_process, zone_files
    from sandbox.library import builtin_methods, module_facades, pinned_clock, replacements, safe_format, type_hints
    from sandbox.library.current_step import STEP

    builtin_methods.install()
    pinned_clock.install()
    pinned_clock.begin_step(0, 0, 0)  # Some versions of Python import what seeding needs when they first seed,
    divmod(1 << 20_000, 1 << 10_000)  # and others when they first divide big numbers.
    safe_format.install()
    type_hints.install()
    ast.unparse(ast.Constant(0))  # From Python 3.14 on, annotations are written with what this imports.
    string.Template("").substitute()  # From Python 3.14 on, its pattern is made at the first use,
    time.strptime("1", "%d")  # as is the module behind this in every version.
    vars(pprint)["id"] = STEP.number_of  # It sorts by it.
    zone_files.install()
    modules = module_facades.build(replacements.table())
    child_process.warm_up(modules)
    return partial(child_process.serve, modules)


def _prepare_aides(modules: tuple[str, ...]) -> Serve:
    from sandbox.child import aide_process

    return aide_process.prepare(modules)


def _confine(kernel: Kernel | None, *, has_user: bool) -> dict[str, str]:
    """Put the kernel wall on this process, each part while it can still be put up."""
    if kernel is None:
        return {"kernel": "only Linux has it"}
    emptied = kernel.empty_root()
    if not has_user:  # Without a user namespace, root here is root outside.
        confinement.leave_root()
    return {
        "empty root": emptied,
        "undumpable": kernel.undumpable(),
        "no_new_privs": kernel.no_new_privileges(),
        "landlock": kernel.landlock(),
        "no capabilities": kernel.drop_capabilities(),
        "seccomp": kernel.filter_server(),
    }


def _announce(control: socket.socket, report: dict[str, str]) -> None:
    from sandbox.process.frames import send_frame

    send_frame(control, ["ready", dict(report)], 1 << 16)

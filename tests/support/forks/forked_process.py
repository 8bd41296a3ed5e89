"""Turns a fresh fork of the server into the command, or the program, that a test asks for.

The fork has everything of the server: its environment, its folder, its standard streams. The request
of the test says what the command has in their place: `{"arguments": ["runs"], "is_program": false,
"folder": "/tmp/a", "environment": {...}, "session": false}`. The arguments of a program are its path
and its words: `["/tmp/a/program.py", "runs"]`.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import importlib
import io
import json
import os
import pkgutil
import runpy
import select
import socket
import struct
import subprocess
import sys
import termios
import threading
import time
import traceback
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from controlplane.benchmarks.ecom import shop_environment
from controlplane.benchmarks.files import files_benchmark
from controlplane.benchmarks.folder import folder_benchmark
from controlplane.benchmarks.shop.shop_schema import FUNCTION_MODULES
from tests.support.product_files import PACKAGES, ROOT

# What `subprocess.Popen` passes to its method that starts a process, by position.
#
# The method, `_execute_child`, is private, but the same in Python 3.11 to 3.14. So a class that
# overrides it knows what it is given: `named_arguments((None, None, True))["close_fds"]` is True.

PIPE_ENDS = (
    "stdin_read", "stdin_write", "stdout_read", "stdout_write", "stderr_read", "stderr_write",
)  # fmt: skip
"""The ends of the three pipes that `Popen` may open between a command and its parent. Both ends of
a pipe are -1 for a stream that the command inherits."""

NAMES = (
    "executable", "preexec_fn", "close_fds", "pass_fds", "cwd", "env",
    "startupinfo", "creationflags", "shell", *PIPE_ENDS,
    "restore_signals", "gid", "gids", "uid", "umask", "start_new_session",
)  # fmt: skip
"""The arguments behind the command's words. `process_group`, which follows, is used by no test."""


def named_arguments(arguments: Sequence[Any]) -> dict[str, Any]:
    """Return the arguments behind the command's words by their names."""
    return dict(zip(NAMES, arguments, strict=False))


def standard_streams(arguments: dict[str, Any]) -> list[int]:
    """Return the descriptors of the command's standard streams: `[0, 14, 2]`."""
    streams = [
        arguments["stdin_read"],
        arguments["stdout_write"],
        arguments["stderr_write"],
    ]
    for number in range(3):
        if streams[number] == -1:
            streams[number] = number  # the stream of the test itself
    return streams


# When a command or a program can be a fork of a process that has imported the product already.
#
# A fork costs 30 ms; to start Python and import the product costs half a second. But a fork cannot
# have an environment that Python itself reads at its start, such as `PYTHONUTF8=1`.

READ_AT_START = ("PYTHON", "LC_", "LANG", "MALLOC_", "LD_")
"""Beginnings of variables that Python or the C library reads before any code of ours runs.
A command or program that changes one of them cannot be a fork."""


def can_fork(environment: Mapping[str, str], usual: Mapping[str, str]) -> bool:
    """Return True if a fork can have this environment.

    `usual` is the environment of the server; only the variables that differ from it matter.
    """
    # The server waits for the end of its forks by `pidfd_open`, which only Linux has.
    if not hasattr(os, "pidfd_open"):
        return False
    for name in environment.keys() | usual.keys():
        is_changed = environment.get(name) != usual.get(name)
        if is_changed and name.startswith(READ_AT_START):
            return False
    return True


def exit_code_of(end: SystemExit) -> int:
    """Return the exit code that Python gives a process that ends by this `SystemExit`."""
    if end.code is None:
        return 0
    if isinstance(end.code, int):
        return end.code
    return 1  # the exception carries a text, which Python prints


# Asks the server, the process that forks, for the process of one `controlplane` command.
#
# Each command has a *line*, a socket to the server, over which go
#
# 1. test -> fork      a byte with the descriptors of the three standard streams
# 2. test -> fork      a line of JSON, `{"arguments": ["runs"], "folder": "/tmp/a", ...}`
# 3. server -> test    the id of the command's process, as `NUMBER`
# 4. server -> test    its exit code, as `NUMBER`, when the command has ended


def request_fork(
    arguments: Sequence[str], passed: dict[str, Any], *, is_program: bool
) -> tuple[socket.socket, int]:
    """Start a command with these arguments; return its line and the id of its process.

    With `is_program`, the first argument is the path of a Python program to run in place of the
    product. `passed` is what `Popen` was given: `{"cwd": "/tmp/a", "env": {...}, "stdin_read": -1, ...}`.
    """
    request = {
        "arguments": arguments,
        "is_program": is_program,
        "folder": str(passed["cwd"] or Path.cwd()),
        "environment": passed["env"],
        "session": passed["start_new_session"],
    }

    line = new_line()
    socket.send_fds(line, [A_BYTE], standard_streams(passed))
    line.sendall(json.dumps(request).encode() + b"\n")
    (process_id,) = NUMBER.unpack(line.recv(NUMBER.size))
    return line, process_id


# Connections to the server that forks a process for each command of a test.
#
# A connection, a *line*, is a pair of sockets: the test has one end, the server the other. The server,
# `tests/support/forks/command_server.py`, gets its ends over the *control socket*, which it has from its
# start. `new_line()` starts the server if it does not run yet. A process that was handed the control
# socket of a running server uses that one: `use_server(control)`.

NUMBER = struct.Struct("i")
"""How the server sends the two numbers of a command over its line, which the test reads: the process
id, and later the exit code."""

A_BYTE = b"+"
"""What is sent on a socket with descriptors: they cannot be sent without a byte of data."""

Server = tuple[socket.socket, "subprocess.Popen[bytes] | None"]
"""The control socket of a server, and its process, unless another process has started it."""

_servers: list[Server] = []
"""The one server; empty until it runs."""
_lock = threading.Lock()


def new_line() -> socket.socket:
    """Return a new line to the server, which is started if it does not run yet."""
    line, server_end = socket.socketpair()
    with server_end, _lock:
        if not _servers:
            # That module imports this one, so it cannot be imported at the top.
            from tests.support.command import clean_environment

            _servers.append(start_server(clean_environment()))
        control, _ = _servers[0]
        socket.send_fds(control, [A_BYTE], [server_end.fileno()])
    return line


def use_server(control: socket.socket) -> None:
    """Let a server that runs already, whose control socket this is, fork all commands."""
    _servers.append((control, None))


def start_server(
    environment: dict[str, str],
) -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """Start the process that forks. It ends when its control socket is closed."""
    control, server_end = socket.socketpair()
    with server_end:
        server = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "tests.support.forks.command_server",
                str(server_end.fileno()),
            ],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            pass_fds=[server_end.fileno()],
        )
    return control, server


# The standard streams of a forked process, which gets new ones in place of those of its parent.


def replace_standard_streams(descriptors: list[int]) -> None:
    """Make these descriptors the standard streams, 0, 1 and 2, of the process and of Python.

    Python's own streams are opened anew because they may have buffered something of the server.
    They get the encoding and the buffering that a new Python gives them.
    """
    for standard_number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, standard_number)
        os.close(descriptor)
    sys.stdin = sys.__stdin__ = open(0, closefd=False)  # noqa: SIM115 - it stays open as long as the process
    for number, name in ((1, "stdout"), (2, "stderr")):
        old_stream = getattr(sys, name)
        new_stream = io.TextIOWrapper(
            io.BufferedWriter(io.FileIO(number, "w", closefd=False)),
            old_stream.encoding,
            old_stream.errors,
            line_buffering=name == "stderr" or os.isatty(number),
        )
        setattr(sys, name, new_stream)
        setattr(sys, f"__{name}__", new_stream)


# The modules that the server of commands imports before its first fork, so that forks have them.
#
# `import_modules_of_commands()` imports `controlplane.journal.journal_writer`, for example, but not
# `controlplane.mcp`, which few commands need.

PRELOADED = (
    "controlplane",
    "controlplane.benchmarks.ecom",
    "controlplane.benchmarks.shop",
)
"""The packages whose modules are imported.

Of `controlplane`, the parts below are left out. The two benchmarks stand here by their own names,
because `controlplane.benchmarks` is one of these parts.
"""

NOT_PRELOADED = (
    "controlplane.__main__",
    "controlplane.benchmarks",
    "controlplane.gates.__main__",
    "controlplane.mcp",
    "controlplane.sandbox",
    "controlplane.workers.dask_workers",
)
"""Parts of `controlplane` that few commands import, or that do something when imported."""


def import_modules_of_commands() -> None:
    """Import the modules of the product, and four libraries that take long."""
    for package_name in PRELOADED:
        package = importlib.import_module(package_name)
        for module in pkgutil.walk_packages(package.__path__, f"{package_name}."):
            if package_name == "controlplane" and module.name.startswith(NOT_PRELOADED):
                continue
            importlib.import_module(module.name)
    for name in ("openai", "rich.live", "jinja2", "yaml"):
        importlib.import_module(name)


# A command that was forked for a test, and has not ended yet, as the forking process knows it.
#
#     select.select([command], [], [])     # waits for its end
#     command.report_end()                 # sends the test its exit code
#
# The connection to the test is the command's line, a socket.


@dataclass(frozen=True, eq=False)
class RunningCommand:
    """A forked command that has not ended yet.

    `select` can wait for its end, because `fileno` returns a descriptor that becomes readable.
    """

    pid: int
    pidfd: int
    """A descriptor of the process, which becomes readable when the process has ended."""
    line: socket.socket
    """The connection to the test that started the command."""

    def fileno(self) -> int:
        return self.pidfd

    def report_end(self) -> None:
        """Send the test the exit code of the process, which has ended, and close the line."""
        _, status = os.waitpid(self.pid, 0)
        exit_code = os.waitstatus_to_exitcode(status)
        with contextlib.suppress(OSError):  # The test may not wait for it any more.
            self.line.sendall(NUMBER.pack(exit_code))
        self.close()

    def close(self) -> None:
        """Close what this process has of the command; the command itself goes on."""
        os.close(self.pidfd)
        self.line.close()


# The modules that a fork server may import for several tests.
#
# A *fork server* is a process that has imported modules, and forks for each run. Starting one takes long,
# so tests share a server, if the modules are the same for every test:
#
#     may_be_shared(["controlplane.gates"])    # True
#     may_be_shared(["my_rules"])              # False: another test may write another `my_rules`

SHAREABLE_PACKAGES = frozenset((*PACKAGES, *sys.stdlib_module_names, "tests", "yaml"))
"""The packages whose modules are the same for every test. `tests` has rule sets, such as
`tests.controlplane.commands.judge.test_rule_sets`."""

EVERY_RUN = (
    *shop_environment.WORKER_MODULES,
    *files_benchmark.WORKER_MODULES,
    *folder_benchmark.WORKER_MODULES,
)
"""What the shared server imports for the workers of all runs; each run needs a part of it."""


def may_be_shared(module_names: Iterable[str]) -> bool:
    """Return True if these modules are the same for every test."""
    packages = {name.partition(".")[0] for name in module_names}
    return packages <= SHAREABLE_PACKAGES


assert may_be_shared(EVERY_RUN), "all runs would start servers of their own"


def with_every_function(function_modules: Iterable[str]) -> tuple[str, ...]:
    """Return the modules of all the shop's functions, and then those of `function_modules`.

    So one server serves runs that declare different functions of the shop. Each module is in the
    result once.
    """
    modules = list(FUNCTION_MODULES)
    for module in function_modules:
        if module not in FUNCTION_MODULES:
            modules.append(module)
    return tuple(modules)


CODE_OF_FAILED_FLUSH = 120
"""The exit code of Python if a standard stream cannot be written out at the end."""


def become(line: socket.socket) -> NoReturn:
    """Run, in a fresh fork, the command or the program that a test asks for on `line`, a socket.

    The test sends the three standard streams and a request, `{"arguments": ["runs"], "is_program":
    false, "session": false, ...}`. With a session of its own, a command can have a terminal.
    """
    _, streams, _, _ = socket.recv_fds(line, 1, 3)
    with line, line.makefile("rb") as received:
        request = json.loads(received.readline())
    if request["session"]:
        os.setsid()
    replace_standard_streams(streams)
    if request["session"] and os.isatty(0):
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # The terminal is the command's own.
    _take_on_surroundings(request)

    code = 1
    try:
        if request["is_program"]:
            runpy.run_path(sys.argv[0], run_name="__main__")
        else:
            runpy.run_module("controlplane", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        code = exit_code_of(end)
    except BaseException:  # noqa: BLE001 - Python, too, prints whatever ends a program
        traceback.print_exc()
    finally:
        _exit(code)


def _take_on_surroundings(request: dict[str, Any]) -> None:
    """Take on the environment, the folder and the arguments of the request."""
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    os.chdir(request["folder"])
    if request["is_program"]:
        sys.argv[:] = request["arguments"]
        sys.path[0] = str(Path(sys.argv[0]).resolve().parent)
    else:
        sys.argv[1:] = request["arguments"]
        sys.path[0] = request["folder"]


def _exit(code: int) -> NoReturn:
    """End the process as Python does, but without freeing its objects.

    A fork shares the memory of the server until one of them writes to it, which copies the page.
    To free all objects would write to nearly every page, and so copy the whole server.
    """
    threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            code = code or CODE_OF_FAILED_FLUSH
    os._exit(code)


# Starts `controlplane` commands as forks of a process that has imported the product already.
#
#     command = ForkedCommand(["runs"], cwd=folder, env=environment, stdout=subprocess.PIPE)
#     out, _ = command.communicate()
#
# The *server* is the process that forks. Each command has a socket to it, its *line*, over which the
# server sends the exit code when the command has ended.

CODE_OF_LOST_COMMAND = -9
"""The exit code of a command whose server was killed before it could tell one."""


class ForkedCommand(subprocess.Popen[Any]):
    """A `Popen` of `controlplane`, whose `args` are the words behind `controlplane`.

    Three inner methods of `Popen` are overridden: the one that starts a process, and the two that
    learn of its end.
    """

    is_program = False
    """True if `args` are the path of a Python program and its words, in place of a command's."""

    def _execute_child(self, args: Any, *popen_arguments: Any) -> None:
        """Ask the server for a fork, where `Popen` would start a program."""
        passed = named_arguments(popen_arguments)
        self._line, self.pid = request_fork(args, passed, is_program=self.is_program)
        # What `Popen` itself does after the start of a process:
        self._child_created = True
        self._close_pipe_fds(*(passed[name] for name in PIPE_ENDS))

    def _internal_poll(self, *_: Any, **__: Any) -> int | None:
        """Return the exit code if the command has ended, as `Popen.poll` wants it."""
        if self.returncode is None and self._line_is_readable(timeout_s=0):
            exit_code = self._line.recv(NUMBER.size)
            if exit_code:
                (self.returncode,) = NUMBER.unpack(exit_code)
            else:
                self.returncode = CODE_OF_LOST_COMMAND
            self._line.close()
        return self.returncode

    def _wait(self, timeout: float | None) -> int:
        """Wait for the end of the command, as `Popen.wait` wants it."""
        if self.returncode is None and not self._line_is_readable(timeout_s=timeout):
            assert timeout is not None
            raise subprocess.TimeoutExpired(self.args, timeout)
        exit_code = self._internal_poll()
        assert exit_code is not None
        return exit_code

    def _line_is_readable(self, timeout_s: float | None) -> bool:
        """Wait until the server has sent something or is gone; return False if it takes longer."""
        readable, _, _ = select.select([self._line], [], [], timeout_s)
        return bool(readable)


class ForkedProgram(ForkedCommand):
    """A `Popen` of a Python program, whose `args` are its path and the words behind it."""

    is_program = True

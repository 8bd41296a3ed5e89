"""Turns a fresh fork of the server into the command, or the program, that a test asks for.

The fork has everything of the server: its environment, its folder, its standard streams. The request
of the test says what the command has in their place: `{"arguments": ["runs"], "is_program": false,
"folder": "/tmp/a", "environment": {...}, "session": false}`. The arguments of a program are its path
and its words: `["/tmp/a/program.py", "runs"]`.
"""

import atexit
import contextlib
import fcntl
import importlib
import io
import json
import os
import pkgutil
import runpy
import socket
import sys
import termios
import threading
import time
import traceback
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from controlplane.benchmarks.ecom import shop_environment
from controlplane.benchmarks.files import files_benchmark
from controlplane.benchmarks.folder import folder_benchmark
from controlplane.benchmarks.shop.shop_schema import FUNCTION_MODULES
from tests.support.forks.fork_conditions import exit_code_of
from tests.support.forks.server_lines import NUMBER
from tests.support.product_files import PACKAGES

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

"""`python -m controlplane`: runs the command line.

Every error becomes one line and an exit code.

This module imports only the standard library, in old syntax, until the Python version
and the system are checked.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import gc
import io
import logging
import os
import re
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

READER_LEFT = 141
"""A shell's exit code for a program whose output is no longer read (128 + SIGPIPE)."""
_SHOWING_COMMANDS = ("show", "runs", "benchmarks")
"""Commands that only print. If the reader of the output leaves, as `head` does, they succeed."""


def main() -> None:
    """Run the command line. Every error becomes one line on stderr and an exit code."""
    # End the program if it cannot work under this version of Python, or on this system.
    if sys.version_info < (3, 11):  # noqa: UP036 - a source tree is not checked by pip
        _exit(
            2,
            f"this is Python {sys.version.split()[0]}, and 3.11 or newer is needed: use ./start, or python3.11 -m",
        )
    if not hasattr(os, "fork"):
        _exit(
            2,
            "this system cannot fork, which the sandbox needs: use Linux or macOS (on Windows, WSL)",
        )
    _open_closed_streams()
    _collect_garbage_less_often()
    for name in ("COLUMNS", "LINES"):
        if os.environ.get(name) == "0":
            del os.environ[name]
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # for terminals without Unicode

    arguments = [word for word in sys.argv[1:] if word != "--debug"]
    debug = "--debug" in sys.argv[1:]
    with _log_shown(debug), _signals_like_ctrl_c():
        _run_command(arguments, debug)


def _run_command(arguments: list[str], debug: bool) -> NoReturn:
    """Run one command and exit with its code."""
    try:
        _leave_out_working_folder()
        from controlplane.agent.reply.objects import REPLY
        from controlplane.command_line import run_command

        # `REPLY` is the module name of scripts that a model writes. Python's warnings
        # about their code are of no use to the user.
        warnings.filterwarnings("ignore", module=re.escape(REPLY))
        try:
            sys.exit(run_command(arguments))
        finally:
            if sys.stdout:  # None if it is closed
                sys.stdout.flush()  # report a full disk here, not at exit
    except KeyboardInterrupt:
        _exit(130, "interrupted")
    except BrokenPipeError:  # The reader of the output has left, as in `| head`.
        _discard_output()
        sys.exit(0 if _only_shows(arguments) else READER_LEFT)
    except Exception as error:  # noqa: BLE001 - every error becomes one line
        if debug:
            print(_sanitized(traceback.format_exc()), end="", file=sys.stderr)
        if _is_output_failure(error):
            _discard_output()
        code, line = _exit_code_and_line(error)
        _exit(code, line)


def _collect_garbage_less_often() -> None:
    """Raise the garbage collector's threshold, so that the start takes a tenth less time.

    Python's default of 700 causes a hundred collections while modules are imported, and
    all of these stay in use.
    """
    gc.set_threshold(100_000)
    atexit.register(gc.freeze)  # skips a last collection at exit


@contextlib.contextmanager
def _log_shown(debug: bool) -> Iterator[None]:
    """Print this package's log on stderr while the command runs, if `--debug` is given."""
    if not debug:
        yield
        return
    log = logging.getLogger("controlplane")
    earlier_level = log.level
    details = _DebugLog()
    log.setLevel(logging.DEBUG)
    log.addHandler(details)
    try:
        yield
    finally:
        log.removeHandler(details)
        log.setLevel(earlier_level)


@contextlib.contextmanager
def _signals_like_ctrl_c() -> Iterator[None]:
    """Let SIGTERM and SIGHUP act like Ctrl-C.

    A run installs its own handlers, which let running steps finish.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may install handlers
        return
    earlier_handlers = {}
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # `nohup` ignores SIGHUP
            earlier_handlers[number] = signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in earlier_handlers.items():
            signal.signal(number, handler)


def _open_closed_streams() -> None:
    """Open the null device for closed standard streams, which some supervisors leave behind.

    Otherwise the next opened file would get the number of a closed stream, and be used
    as that stream.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            # gets the lowest free number, which is this one
            os.open(os.devnull, os.O_RDWR)
            mode = "r" if number == 0 else "w"
            stream = open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115 - for good
            setattr(sys, name, stream)


def _leave_out_working_folder() -> None:
    """Remove the working folder from the module path, so that no code in it runs.

    `python -m` searches this folder first. If it contains this package itself, as in a
    clone of the repository, it stays: the package would not be found without it.
    """
    try:
        working_folder = str(Path.cwd())
    except OSError as error:
        _exit(
            2,
            f"the working directory cannot be used ({error.strerror}); change to one that exists",
        )
    folder_of_package = str(Path(__file__).resolve().parents[1])
    if working_folder != folder_of_package:
        sys.path[:] = [
            folder for folder in sys.path if folder not in ("", working_folder)
        ]


def _only_shows(arguments: list[str]) -> bool:
    """Return True if the command only prints: it has changed nothing when its reader leaves."""
    commands = [word for word in arguments if not word.startswith("-")]
    return not commands or commands[0] in _SHOWING_COMMANDS or "--help" in arguments


def _is_output_failure(error: Exception) -> bool:
    """Return True if standard output cannot be written, because the disk behind it is full.

    An error about any other file has that file's name.
    """
    if not isinstance(error, OSError) or error.filename is not None:
        return False
    from controlplane.errors import DISK_FULL_ERRORS

    is_at_largest_size = error.errno == errno.EFBIG
    return is_at_largest_size or error.errno in DISK_FULL_ERRORS


def _discard_output() -> None:
    """Send buffered output to the null device. Python would flush it at exit and fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _DebugLog(logging.Handler):
    """Prints this package's log, for example tracebacks of failed trials.

    Other packages may log keys, so their logs are not printed. `sys.stderr` is looked
    up for every record, because a live display replaces it while it draws.
    """

    def emit(self, record: logging.LogRecord) -> None:
        print(_sanitized(self.format(record)), file=sys.stderr)


def _exit_code_and_line(error: Exception) -> tuple[int, str]:
    """Return the exit code and the line for an error that ends the command.

    The product's own errors have both. Any other is a fault: exit code 1, and where it happened.
    """
    code = getattr(error, "exit_code", None)  # The product's own errors have one.
    if isinstance(code, int):
        return code, str(error)
    if isinstance(error, OSError) and _is_output_failure(error):
        return 3, f"the result cannot be printed: {error.strerror}"
    if isinstance(error, ModuleNotFoundError) and _is_import_of_ours(error):
        return (
            2,
            f"the package {error.name} is not installed here: use ./start, or in a clone, pip install -e .",
        )

    text = f"{type(error).__name__}: {error}"
    with contextlib.suppress(ImportError):
        from controlplane.errors import fault_text

        text = fault_text(error)
    return 1, f"{text} (--debug shows more)"


def _is_import_of_ours(error: ModuleNotFoundError) -> bool:
    """Return True if code of this package has imported what is missing, and not the user's code."""
    importer = ""
    for frame, _line in traceback.walk_tb(error.__traceback__):
        importer = frame.f_globals.get("__name__", "")
    return importer.partition(".")[0] == "controlplane"


def _sanitized(text: str) -> str:
    """Return a text without control characters, as far as the module for that can be imported."""
    try:
        from controlplane.terminal_text import sanitize
    except ImportError:
        # Python is too old, or a package is missing. The text about that is our own.
        return text
    return sanitize(text)


def _exit(code: int, text: str) -> NoReturn:
    """Print an error as one line, and end the program with this exit code."""
    print(f"controlplane: {_sanitized(text)}", file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()

"""`python -m controlplane`: runs the command line, and turns every error into one line and its exit code.

Until the Python and the system are known to do, nothing but the standard library is imported, and no newer syntax used.
"""

from __future__ import annotations

import codecs
import errno
import io
import logging
import os
import re
import signal
import sys
import threading
import traceback
import warnings
from pathlib import Path
from typing import NoReturn

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_PLAIN_MARKS = str.maketrans("✓✗×·─━→↑↓…", "+xx.-=>^v~")


def main() -> None:
    """Run the command line. Every error of ours becomes one line on stderr and its exit code."""
    if sys.version_info < (3, 11):  # noqa: UP036 - a source tree can be run by a Python that pip would refuse
        _stop(2, f"this is Python {sys.version.split()[0]}, and 3.11 or newer is needed: use ./start, or python3.11 -m")
    if not hasattr(os, "fork"):
        _stop(2, "this system cannot fork, which the sandbox needs: use Linux or macOS (on Windows, WSL)")
    arguments = [each for each in sys.argv[1:] if each != "--debug"]
    debug = len(arguments) < len(sys.argv) - 1
    details = _Details()
    if debug:
        logging.getLogger("controlplane").setLevel(logging.DEBUG)
        logging.getLogger("controlplane").addHandler(details)
    before = {}
    if threading.current_thread() is threading.main_thread():
        # What is ignored stays so: `nohup` asks for it.
        kinds = [each for each in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(each) is not signal.SIG_IGN]
        before = {each: signal.signal(each, _as_ctrl_c) for each in kinds}
    for name in ("COLUMNS", "LINES"):
        if os.environ.get(name) == "0":
            del os.environ[name]  # containers say so where they do not know; nothing would be shown
    if isinstance(sys.stdout, io.TextIOWrapper):
        codecs.register_error("plain marks", _plainly)
        sys.stdout.reconfigure(errors="plain marks")
    try:
        here = _working_folder()
        if here not in sys.path:
            sys.path.insert(0, here)  # as `python -m` does, so that a module beside the user is found
        from agent.model import REPLY
        from controlplane.command_line import run_command

        warnings.filterwarnings("ignore", module=re.escape(REPLY))  # Nobody at the terminal wrote it.
        try:
            sys.exit(run_command(arguments))
        finally:
            if sys.stdout:  # there is none where it was closed
                sys.stdout.flush()  # what cannot be printed is told here, not by Python as it ends
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        _print_no_more()
        sys.exit(141)
    except Exception as error:  # noqa: BLE001 - the border of the command line: every error becomes one line
        if debug:
            traceback.print_exc()
        if _fault_of_printing(error):
            _print_no_more()
        _stop(*_told(error))
    finally:
        logging.getLogger("controlplane").removeHandler(details)
        for number, handler in before.items():
            signal.signal(number, handler)


def _plainly(error: UnicodeError) -> tuple[str, int]:
    """Return what a terminal without Unicode shows: marks that can be told apart, and of the rest question marks."""
    assert isinstance(error, UnicodeEncodeError)
    text = error.object[error.start : error.end].translate(_PLAIN_MARKS)
    return text.encode("ascii", "replace").decode(), error.end


def _working_folder() -> str:
    try:
        return str(Path.cwd())
    except OSError as error:
        _stop(2, f"the working directory cannot be used ({error.strerror}); change to one that is there")


def _fault_of_printing(error: Exception) -> str:
    """Return why standard output takes no more; empty for other errors, as those of files, which have their names."""
    if isinstance(error, OSError) and error.errno in _FULL and error.filename is None:
        return str(error.strerror)
    return ""


def _print_no_more() -> None:
    """Have what is left to print go nowhere: Python would try once more as it ends, and fail as before."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _as_ctrl_c(number: int, frame: object) -> None:
    """End what goes on in order; a run that has begun has gentler ways, which take this one's place."""
    raise KeyboardInterrupt


class _Details(logging.Handler):
    """Shows what is logged here, tracebacks of broken trials above all; never what other packages log, keys and all.

    It writes to whatever standard error is at the moment: a live view stands in for it while it draws.
    """

    def emit(self, record: logging.LogRecord) -> None:
        print(self.format(record), file=sys.stderr)


def _told(error: Exception) -> tuple[int, str]:
    """Return the exit code and the line for an error."""
    code = getattr(error, "exit_code", None)
    if isinstance(code, int):
        return code, str(error)
    fault = _fault_of_printing(error)
    if fault:
        return 3, f"the result cannot be printed: {fault}"
    if isinstance(error, ModuleNotFoundError):
        return 2, f"the package {error.name} is not installed here: use ./start, or install with pip install -e ."
    return 1, f"{type(error).__name__}: {error} (--debug shows where)"


def _stop(code: int, text: str) -> NoReturn:
    print(f"controlplane: {text}", file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()

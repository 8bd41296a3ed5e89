"""Stops a run when a signal asks for it."""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from controlplane.errors import Interrupted
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.lifecycle.unfinished_run import resume_command

_SHOW_CURSOR: str = "\x1b[?25h\n"
"""Shows the cursor again, which the live display of a run hides."""


@contextmanager
def stop_on_signals(
    stop: Callable[[], None],
    run: Run | None = None,
    on_terminated: Callable[[Run], None] | None = None,
) -> Iterator[None]:
    """Handle signals in the block: call `stop` at the first one, and end the process at the second.

    - The signals are SIGINT, SIGTERM and SIGHUP. An ignored SIGHUP stays ignored. A
      second SIGHUP does not end the process, since a closing terminal may send several.
    - `run`: the run to name in the message at the end of the process.
    - `on_terminated`: if given, even the first SIGTERM ends the process, after a call of this.

    Outside of the main thread, this does nothing: only that thread can handle signals.
    """
    is_stopping = False

    def on_signal(number: int, frame: FrameType | None) -> None:
        nonlocal is_stopping
        del frame
        if number == signal.SIGHUP:
            _detach_closed_terminal()
            if is_stopping:
                return
        if number == signal.SIGTERM and run is not None and on_terminated is not None:
            with contextlib.suppress(Exception):  # The process has to end in any case.
                on_terminated(run)
            _end_at_once(run)  # does not return
        if is_stopping:  # This is the second signal.
            _end_at_once(run)
        is_stopping = True
        stop()

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    handlers_before = {number: signal.signal(number, on_signal) for number in numbers}
    try:
        yield
    finally:
        for number, handler in handlers_before.items():
            signal.signal(number, handler)


def _end_at_once(run: Run | None) -> NoReturn:
    """End the process immediately, with a message.

    The journal stays intact, since each event is a single write. This acquires no lock:
    the signal may have interrupted code that holds it.
    """
    text = "controlplane: stopped at once; nothing that was recorded is lost"
    if run is not None:
        text += f": {resume_command(run)}"
    cursor = _SHOW_CURSOR if os.isatty(2) else ""
    os.write(2, f"{cursor}{text}\n".encode())
    os._exit(Interrupted.exit_code)


def _detach_closed_terminal() -> None:
    """Redirect the standard streams of a closed terminal to the null device.

    Otherwise printing would fail, before the run has recorded its end. A closed terminal
    is still a character device, but `isatty` is false for it.
    """
    for number in range(3):
        with contextlib.suppress(OSError):
            is_device = stat.S_ISCHR(os.fstat(number).st_mode)
            if is_device and not os.isatty(number):
                null_device = os.open(os.devnull, os.O_RDWR)
                os.dup2(null_device, number)
                os.close(null_device)

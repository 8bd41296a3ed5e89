"""A real terminal: a program behind a pseudo-terminal,
and the screen that a user would see of it."""

import contextlib
import fcntl
import os
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import pyte

from tests.support.command import clean_environment, start_in_environment

# Makes the pseudo-terminal the program's own, so that Ctrl-C reaches it as a signal.
LAUNCHER = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execvp(sys.argv[1], sys.argv[1:])"
UP, DOWN, RIGHT, LEFT, PAGE_DOWN = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[6~"
CTRL_C = "\x03"


class Terminal:
    """Runs the command line (or `argv`) in a window of `columns` by `rows`."""

    def __init__(
        self,
        *arguments: str | Path,
        cwd: Path,
        columns: int = 80,
        rows: int = 24,
        argv: Sequence[str] = (),
        **changes: str,
    ) -> None:
        self.screen = pyte.HistoryScreen(columns, rows, history=5000)
        self._stream = pyte.ByteStream(self.screen)
        self.written = b""
        self._master, slave = os.openpty()
        self.resize(columns, rows)
        self.modes = termios.tcgetattr(slave)
        variables = clean_environment(**{"TERM": "xterm-256color", **changes})
        variables.pop("COLUMNS", None)
        streams = {
            "stdin": slave,
            "stdout": slave,
            "stderr": slave,
            "start_new_session": True,
            "text": False,
        }
        if argv:
            words = [sys.executable, "-IS", "-c", LAUNCHER, *argv]
            self._process = subprocess.Popen(words, cwd=cwd, env=variables, **streams)
        else:
            self._process = start_in_environment(
                arguments, cwd=cwd, env=variables, **streams
            )
        self._slave = slave
        self._is_open = True

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(
        self, *_: type[BaseException] | BaseException | TracebackType | None
    ) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, 9)
        self._process.wait()
        if self._is_open:
            os.close(self._slave)
            os.close(self._master)

    def resize(self, columns: int, rows: int) -> None:
        """Change the window's size; the program gets its signal from the kernel."""
        fcntl.ioctl(
            self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0)
        )
        self.screen.resize(rows, columns)

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    @property
    def lines(self) -> list[str]:
        """What stands on the screen now."""
        self.read(0)
        return [line.rstrip() for line in self.screen.display]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def everything(self) -> str:
        """The screen and what has scrolled off it."""
        self.read(0)
        top = [
            "".join(line[at].data for at in range(self.screen.columns)).rstrip()
            for line in self.screen.history.top
        ]
        return "\n".join([*top, *(line.rstrip() for line in self.screen.display)])

    def read(self, seconds: float) -> bool:
        """Take in what the program has written within
        `seconds`; return whether that was anything."""
        ready, _, _ = select.select([self._master], [], [], seconds)
        if not ready:
            return False
        data = os.read(self._master, 1 << 16)
        self.written += data
        self._stream.feed(data)
        self.read(0)
        return True

    def wait_for(
        self, what: str | Callable[[str], Any], timeout_s: float = 15.0
    ) -> str:
        """Wait until the screen's text fits a regular expression or a predicate; return it."""
        deadline = time.monotonic() + timeout_s
        is_new = True
        while time.monotonic() < deadline:
            if is_new or callable(what):
                text = self.text
                if re.search(what, text) if isinstance(what, str) else what(text):
                    return text
            is_new = self.read(0.05)
        msg = f"waited for {what!r} in vain; the screen shows:\n{self.text}"
        raise AssertionError(msg)

    def press(self, key: str, expect: str) -> str:
        """Press a key, wait for what it is to bring, and return the screen once it is quiet."""
        self.type(key)
        self.wait_for(expect)
        while self.read(0.05):
            pass
        return self.text

    def hang_up(self) -> None:
        """Close the window under the program."""
        os.close(self._slave)
        os.close(self._master)
        self._is_open = False

    def wait(self, timeout_s: float = 30.0) -> int:
        """Wait for the program's end after its window was closed, and return its exit code."""
        return self._process.wait(timeout_s)

    def finish(self, timeout_s: float = 30.0) -> int:
        """Wait for the program's end, reading all it writes, and return its exit code."""
        deadline = time.monotonic() + timeout_s
        while self._process.poll() is None:
            assert time.monotonic() < deadline, (
                f"it does not end; the screen shows:\n{self.text}\n{self._state}"
            )
            self.read(0.05)
        while self.read(0.05):
            pass
        return self._process.returncode

    @property
    def _state(self) -> str:
        """What the kernel says of a program that should have ended, and what it wrote last."""
        status = Path(f"/proc/{self._process.pid}/status")
        lines = status.read_text().splitlines() if status.exists() else []
        told = [
            line
            for line in lines
            if line.startswith(("State", "Threads", "Sig", "Shd"))
        ]
        return "\n".join([*told, f"written last: {self.written[-200:]!r}"])

    @property
    def is_as_before(self) -> bool:
        """Whether the terminal was given back as it was: its modes, its cursor, its main screen."""
        modes = termios.tcgetattr(self._slave) == self.modes
        screens = self.written.count(b"\x1b[?1049h") == self.written.count(
            b"\x1b[?1049l"
        )
        return modes and screens and not self.screen.cursor.hidden

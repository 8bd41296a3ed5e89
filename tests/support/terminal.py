"""A real terminal: a program behind a pseudo-terminal, and the screen that a user would see.

    with Terminal("show", cwd=folder, columns=100) as terminal:
        terminal.wait_for("3 runs")
        terminal.press(DOWN, expect="> second")
        terminal.type(CTRL_C)
        assert terminal.finish() == 130

`Window` has what is typed and shown; here the program is started, waited for and ended.
"""

import contextlib
import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import pyte

from tests.support.command import clean_environment, start_in_environment

# Starts a program on a pseudo-terminal, and tells what the kernel says of it.
#
#     process = start_on_terminal(program_end, ["show"], argv=(), cwd=folder, variables={})
#
# `program_end` is the program's end of the pseudo-terminal: its three standard streams.

LAUNCHER = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""
"""A script that turns into the program whose words follow it, such as `less notes.txt`. Before, it
makes the terminal the program's own, so that Ctrl-C reaches the program as a signal."""


def start_on_terminal(
    program_end: int,
    arguments: Sequence[str | Path],
    *,
    argv: Sequence[str],
    cwd: Path,
    output: BinaryIO | None = None,
    variables: Mapping[str, str],
) -> "subprocess.Popen[Any]":
    """Start `controlplane` with these arguments, or instead the program and words in `argv`.

    Standard output goes to the file `output`, if there is one, instead of the terminal.
    """
    assert not (arguments and argv), "the arguments of a program belong into `argv`"
    environment = clean_environment(**{"TERM": "xterm-256color", **variables})
    environment.pop("COLUMNS", None)  # The program has to ask the terminal.
    streams: dict[str, Any] = {
        "stdin": program_end,
        "stdout": output or program_end,
        "stderr": program_end,
        "start_new_session": True,
        "text": False,
    }
    if argv:
        words = [sys.executable, "-IS", "-c", LAUNCHER, *argv]
        return subprocess.Popen(words, cwd=cwd, env=environment, **streams)
    # The process of a command makes the terminal its own without the launcher.
    return start_in_environment(arguments, cwd=cwd, env=environment, **streams)


def state_of_process(pid: int) -> str:
    """Return what the kernel says of a process: `State: S (sleeping)`, `Threads: 1` and so on."""
    status_file = Path(f"/proc/{pid}/status")
    state_lines: list[str] = []
    if status_file.exists():
        for line in status_file.read_text().splitlines():
            if line.startswith(("State", "Threads", "Sig", "Shd")):
                state_lines.append(line)
    return "\n".join(state_lines)


# The window of a terminal: a pseudo-terminal, and the screen that a user would see.
#
# A program gets one end of the pseudo-terminal as its standard streams, here `program_end`. What it
# writes appears on the screen, and what is typed into the window is its input.

QUIET_S = 0.05
"""A program that writes nothing for so long has written all it wants to show now."""


class Window:
    """A window of `columns` by `rows`, which is open until `hang_up`."""

    def __init__(self, columns: int, rows: int) -> None:
        self.screen = pyte.HistoryScreen(columns, rows, history=5000)
        self._stream = pyte.ByteStream(self.screen)
        self.written = b""
        """All bytes that the program has written."""
        self._user_end, self.program_end = os.openpty()
        """The two ends of the pseudo-terminal: the user's, and the program's."""
        self.is_open = True
        self.resize(columns, rows)

    def type(self, text: str) -> None:
        """Send text, or a key such as `DOWN`, as if it were typed."""
        os.write(self._user_end, text.encode())

    def resize(self, columns: int, rows: int) -> None:
        """Change the window's size; the program gets its signal from the kernel."""
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self._user_end, termios.TIOCSWINSZ, size)
        self.screen.resize(rows, columns)

    def hang_up(self) -> None:
        """Close the window under the program."""
        os.close(self.program_end)
        os.close(self._user_end)
        self.is_open = False

    @property
    def lines(self) -> list[str]:
        """Return the lines that are on the screen now."""
        self.read(0)
        return [line.rstrip() for line in self.screen.display]

    @property
    def text(self) -> str:
        """Return what is on the screen now."""
        return "\n".join(self.lines)

    @property
    def everything(self) -> str:
        """Return all lines so far: those that have scrolled off the screen, then those on it."""
        lines_on_screen = self.lines
        scrolled_lines: list[str] = []
        for cells in self.screen.history.top:
            characters = [cells[x].data for x in range(self.screen.columns)]
            scrolled_lines.append("".join(characters).rstrip())
        return "\n".join([*scrolled_lines, *lines_on_screen])

    def read(self, timeout_s: float) -> bool:
        """Put on the screen what the program writes; return False if it writes nothing.

        It waits for the first bytes up to `timeout_s`, and then reads what is there, without
        waiting for more.
        """
        has_written = False
        while True:
            ready, _, _ = select.select([self._user_end], [], [], timeout_s)
            if not ready:
                return has_written
            data = os.read(self._user_end, 1 << 16)
            self.written += data
            self._stream.feed(data)
            has_written = True
            timeout_s = 0

    def read_until_quiet(self) -> None:
        """Read until the program has written nothing for `QUIET_S` seconds."""
        while self.read(QUIET_S):
            pass


UP = "\x1b[A"
DOWN = "\x1b[B"
RIGHT = "\x1b[C"
LEFT = "\x1b[D"
PAGE_DOWN = "\x1b[6~"
CTRL_C = "\x03"
"""What a terminal sends for these keys."""

ENTER_ALTERNATE_SCREEN = b"\x1b[?1049h"
LEAVE_ALTERNATE_SCREEN = b"\x1b[?1049l"
"""What a full-screen program writes at its start and end. The alternate screen keeps what the
user had on the main screen."""


class Terminal(Window):
    """Runs `controlplane` (or the program `argv`) in a window of `columns` by `rows`.

    Its standard output goes to the file `output`, if there is one, instead of the window.
    Used as a context manager: at the end of the block, a program that still runs is killed.
    """

    def __init__(
        self,
        *arguments: str | Path,
        cwd: Path,
        columns: int = 80,
        rows: int = 24,
        argv: Sequence[str] = (),
        output: BinaryIO | None = None,
        **variables: str,
    ) -> None:
        super().__init__(columns, rows)
        self._modes_before = termios.tcgetattr(self.program_end)

        self._process = start_on_terminal(
            self.program_end,
            arguments,
            argv=argv,
            cwd=cwd,
            output=output,
            variables=variables,
        )

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(
        self, *_: type[BaseException] | BaseException | TracebackType | None
    ) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        if self.is_open:
            self.hang_up()

    def press(self, key: str, expect: str) -> str:
        """Press a key, wait until the screen fits the regular expression `expect`, and return
        the screen once it is quiet."""
        self.type(key)
        self.wait_for(expect)
        self.read_until_quiet()
        return self.text

    @property
    def is_as_before(self) -> bool:
        """Return True if the program has given the terminal back as it was: its modes, its
        visible cursor, and its main screen."""
        has_same_modes = termios.tcgetattr(self.program_end) == self._modes_before
        entered = self.written.count(ENTER_ALTERNATE_SCREEN)
        left = self.written.count(LEAVE_ALTERNATE_SCREEN)
        is_on_main_screen = entered == left
        return has_same_modes and is_on_main_screen and not self.screen.cursor.hidden

    def wait_for(
        self, expected: str | Callable[[str], Any], timeout_s: float = 15.0
    ) -> str:
        """Wait until the screen's text fits a regular expression or a predicate; return the text.

        `wait_for(r"\\d+ runs")`, or `wait_for(lambda text: text.count("done") == 3)`. Fails the
        test with the screen's text if that takes longer than `timeout_s`.
        """
        deadline = time.monotonic() + timeout_s
        has_changed = True
        while time.monotonic() < deadline:
            if callable(expected):
                # A predicate may depend on more than the screen, so it is asked each time.
                text = self.text
                if expected(text):
                    return text
            elif has_changed:
                text = self.text
                if re.search(expected, text):
                    return text
            has_changed = self.read(QUIET_S)
        msg = f"waited for {expected!r} in vain; the screen shows:\n{self.text}"
        raise AssertionError(msg)

    def wait(self, timeout_s: float = 30.0) -> int:
        """Wait for the program's end after its window was closed, and return its exit code."""
        return self._process.wait(timeout_s)

    def finish(self, timeout_s: float = 30.0) -> int:
        """Wait for the program's end, reading all it writes, and return its exit code."""
        deadline = time.monotonic() + timeout_s
        while self._process.poll() is None:
            assert time.monotonic() < deadline, (
                f"it does not end; the screen shows:\n{self.text}\n"
                f"{state_of_process(self._process.pid)}\n"
                f"written last: {self.written[-200:]!r}"
            )
            self.read(QUIET_S)
        self.read_until_quiet()
        return self._process.returncode

"""A real terminal: a program behind a pseudo-terminal, and the screen that a user would see.

    with Terminal("show", cwd=folder, columns=100) as terminal:
        terminal.wait_for("3 runs")
        terminal.press(DOWN, expect="> second")
        terminal.type(CTRL_C)
        assert terminal.finish() == 130

`Window` has what is typed and shown; here the program is started, waited for and ended.
"""

import contextlib
import os
import re
import signal
import termios
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from tests.support.terminal_process import start_on_terminal, state_of_process
from tests.support.window import QUIET_S, Window

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

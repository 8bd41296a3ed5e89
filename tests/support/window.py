"""The window of a terminal: a pseudo-terminal, and the screen that a user would see.

A program gets one end of the pseudo-terminal as its standard streams, here `program_end`. What it
writes appears on the screen, and what is typed into the window is its input.
"""

import fcntl
import os
import select
import struct
import termios

import pyte

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

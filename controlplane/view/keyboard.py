"""Reads single key presses from the terminal, and restores the terminal's settings afterwards."""

from __future__ import annotations

import os
import re
import select
import sys
import termios
import tty
from typing import Final

KEY_NAMES: Final = {
    "\x1b[A": "up",
    "\x1b[B": "down",
    "\x1b[C": "right",
    "\x1b[D": "left",
    "\x1b[5~": "page up",
    "\x1b[6~": "page down",
    "\x1b[H": "home",
    "\x1b[1~": "home",
    "\x1b[F": "end",
    "\x1b[4~": "end",
    "\x1b": "escape",
    "\r": "enter",
    "\n": "enter",
    "\x7f": "backspace",
    "\x08": "backspace",
    "\x1a": "suspend",
    "\x04": "q",
}
"""Names of the special keys, by the bytes that a terminal sends for them (xterm's sequences; O may stand for [)."""
KEY: Final = re.compile(r"\x1b[\[O][^a-zA-Z~]*(?:[a-zA-Z~]|\Z)|.", re.DOTALL)
"""One key: a sequence up to its first letter or tilde, or a character."""


class Keyboard:
    """Reads standard input one key at a time. Ctrl-C still interrupts."""

    def __init__(self) -> None:
        self._file = sys.stdin.fileno()
        self._before = termios.tcgetattr(self._file)
        self._pending = ""

    @staticmethod
    def is_available() -> bool:
        """Say whether keys can be read: standard input is a terminal, and this process is in its foreground."""
        try:
            return os.isatty(sys.stdin.fileno()) and os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
        except (OSError, ValueError, AttributeError):
            return False

    def __enter__(self) -> Keyboard:
        tty.setcbreak(self._file, termios.TCSANOW)
        now = termios.tcgetattr(self._file)
        now[6][termios.VSUSP] = b"\x00"  # Ctrl-Z arrives as a key, so that the full screen can be left first
        termios.tcsetattr(self._file, termios.TCSANOW, now)
        return self

    def __exit__(self, *failure: object) -> None:
        self.restore()

    def restore(self) -> None:
        """Restore the terminal's settings. May be called from a signal handler, and more than once."""
        termios.tcsetattr(self._file, termios.TCSANOW, self._before)

    def read(self, timeout_s: float) -> str:
        """Return the next key: a character or a name from `KEY_NAMES`; empty if none comes within `timeout_s`.

        The end of standard input counts as `q`.
        """
        if not self._pending:
            ready, _, _ = select.select([self._file], [], [], timeout_s)
            if not ready:
                return ""
            data = os.read(self._file, 1024)
            if not data:
                return "q"
            self._pending = data.decode("utf-8", "replace")
        key, self._pending = split_key(self._pending)
        return KEY_NAMES.get(key, key)


def split_key(typed: str) -> tuple[str, str]:
    """Return the first key of the bytes typed, as `KEY_NAMES` spells it, and the rest."""
    key = KEY.match(typed)
    assert key
    return key[0].replace("\x1bO", "\x1b["), typed[key.end() :]

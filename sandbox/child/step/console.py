"""`sys.stdout` and `sys.stderr` of a script. What they get is the output of the step."""

from __future__ import annotations

from collections.abc import Callable
from io import TextIOBase
from typing import Any


class Console(TextIOBase):
    """A step's `sys.stdout` and `sys.stderr`.

    It is also the `console` of JavaScript, which models sometimes write: its `log` prints.
    """

    encoding = "utf-8"

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write

    def write(self, text: str) -> int:
        """Print a text as it is."""
        if not isinstance(text, str):
            msg = f"write() argument must be str, not {type(text).__name__}"
            raise TypeError(msg)
        self._write(str.__str__(text))  # a plain text, also of a subclass of `str`
        return len(text)

    def reconfigure(self, **options: Any) -> None:
        """Do nothing: the output is text, without an encoding to choose."""

    # `print` writes to `sys.stdout`, which is this console.
    log = staticmethod(print)
    info = staticmethod(print)
    warn = staticmethod(print)
    warning = staticmethod(print)
    error = staticmethod(print)
    debug = staticmethod(print)

"""The standard streams as scripts see them; what is put in the place of one lasts as long as the step at most."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from sandbox.library.current_step import STEP
from sandbox.library.module_facades import Live


class _Nothing:
    """`sys.stdin` as scripts see it: always at its end, and nothing that one step could leave for the next."""

    __slots__ = ()

    def read(self, size: int = -1) -> str:
        """Return the empty text that is left."""
        return ""

    readline = read

    def readlines(self, hint: int = -1) -> list[str]:
        """Return the lines that are left: none."""
        return []

    def __iter__(self) -> Iterator[str]:
        return iter(())


class _Stream:
    """`sys.stdout` and `sys.stderr` as scripts find them: both print, wherever `print` itself is sent to."""

    __slots__ = ()
    encoding = "utf-8"

    def write(self, text: str) -> int:
        """Print without a line end."""
        written: int = STEP.console.put(text)
        return written

    def writelines(self, lines: Any) -> None:
        """Print several texts without line ends."""
        for each in lines:
            STEP.console.put(each)

    def isatty(self) -> bool:
        """Say that nobody looks on."""
        return False

    def reconfigure(self, **options: Any) -> None:
        """Do nothing: the output is text, and its encoding is not a script's affair."""

    def flush(self) -> None:
        """Do nothing: output keeps its order by itself."""


_OUT: Final = _Stream()
_ERRORS: Final = _Stream()
_FOUND: Final = {"stdout": _OUT, "stderr": _ERRORS}


def _current(stream: str) -> Any:
    target = getattr(STEP.console, stream)
    return _FOUND[stream] if target is STEP.console else target


def _redirect(stream: str, target: Any) -> None:
    setattr(STEP.console, stream, STEP.console if target is _FOUND[stream] else target)


def _redirected(stream: str, target: Any) -> Iterator[Any]:
    before = _current(stream)
    _redirect(stream, target)
    try:
        yield target
    finally:
        _redirect(stream, before)


@contextmanager
def redirect_stdout(new_target: Any) -> Iterator[Any]:
    """Do what `contextlib.redirect_stdout` does, to the script's stream and not to that of the process."""
    yield from _redirected("stdout", new_target)


@contextmanager
def redirect_stderr(new_target: Any) -> Iterator[Any]:
    """Do what `contextlib.redirect_stderr` does, likewise."""
    yield from _redirected("stderr", new_target)


NAMES: Final = {
    "stdin": _Nothing(),
    "stdout": Live(lambda: _current("stdout"), lambda target: _redirect("stdout", target)),
    "stderr": Live(lambda: _current("stderr"), lambda target: _redirect("stderr", target)),
}
"""What stands in `sys` under the names of streams."""

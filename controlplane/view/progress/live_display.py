"""A run on a terminal: one picture, drawn again where it stands, gone when the run is over."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from types import FrameType
from typing import TYPE_CHECKING, Final

from rich.console import Console, ConsoleRenderable, Group
from rich.control import Control
from rich.live import Live
from rich.segment import ControlType
from rich.text import Text

from agent.events import now_ms
from controlplane.view.keyboard import Keyboard
from controlplane.view.progress.run_frame import RunFrame
from controlplane.view.progress.run_phase import phase_of

if TYPE_CHECKING:
    from controlplane.lifecycle.run_lifecycle import Run

TICK_S: Final = 0.2
"""Seconds between two looks at the run; what has not changed is not drawn again."""


class ResizableLive(Live):
    """A live display that stays tidy when the window gets narrower than the lines that are on it."""

    def __init__(self, console: Console, *, redirect_stdout: bool) -> None:
        super().__init__(
            console=console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=redirect_stdout,
            vertical_overflow="crop",
        )
        self._drawn: list[int] = []
        """Cells of each line that is on the screen."""
        self._drawn_width = 0
        self._coming: list[int] = []
        """Cells of each line that is to be drawn next."""

    def show(self, lines: list[Text]) -> None:
        """Draw `lines` in place of what was drawn before."""
        self._coming = [each.cell_len for each in lines]
        self.update(Group(*lines), refresh=True)

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        """Go back over lines that the terminal has folded since, before what Live does itself."""
        width = self.console.width
        folds = sum(max(each - 1, 0) // width for each in self._drawn) if width < self._drawn_width else 0
        self._drawn, self._drawn_width = [min(each, width) for each in self._coming], width
        erased = [(ControlType.ERASE_IN_LINE, 2), (ControlType.CURSOR_UP, 1)] * folds
        return [Control(*erased), *super().process_renderables(renderables)]


class LiveDisplay:
    """Draws a run on standard error for as long as it is entered, and hears keys once the run is being stopped."""

    def __init__(self, run: Run, keys: Mapping[str, Callable[[], None]]) -> None:
        self._run = run
        self._keys = keys
        self._console = Console(stderr=True, highlight=False)
        self._live = ResizableLive(self._console, redirect_stdout=sys.stdout.isatty())
        self._frame = RunFrame()
        self._before: tuple[object, ...] = ()
        self._keyboard: Keyboard | None = None
        self._before_suspending: Callable[[int, FrameType | None], object] | int | None = None
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._work, name="live view", daemon=True)

    @staticmethod
    def is_possible() -> bool:
        """Say whether standard error can show a picture: a terminal that can move its cursor and draw lines."""
        console = Console(stderr=True)
        return console.is_interactive and sys.stderr.isatty() and console.encoding.startswith("utf")

    def start(self) -> None:
        """Begin to draw. To be called by the main thread."""
        self._before_suspending = signal.signal(signal.SIGTSTP, self._suspend)
        self._live.start()
        self._thread.start()

    def stop(self) -> None:
        """Take the picture away and put the terminal back."""
        self._done.set()
        self._thread.join()
        self._live.stop()
        signal.signal(signal.SIGTSTP, self._before_suspending)

    def _suspend(self, number: int, frame: FrameType | None) -> None:
        """Stop as Ctrl-Z does, with a cursor in the meantime."""
        del frame
        os.write(2, f"{Control.show_cursor(True)}\n".encode())
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        signal.signal(number, self._suspend)
        os.write(2, f"{Control.show_cursor(False)}".encode())

    def abandon(self, text: str) -> None:
        """Put the terminal back and say `text` at once, in a signal handler: no lock is taken."""
        if self._keyboard is not None:
            self._keyboard.restore()
        os.write(2, f"{Control.show_cursor(True)}\n{text}\n".encode())

    def _work(self) -> None:
        with ExitStack() as stack:
            while True:
                if self._keyboard is None and self._run.controls.no_new.is_set() and Keyboard.is_available():
                    self._keyboard = stack.enter_context(Keyboard())
                self._draw()
                if self._done.is_set():
                    return
                if self._keyboard is None:
                    self._done.wait(TICK_S)
                elif (action := self._keys.get(self._keyboard.read(TICK_S))) is not None:
                    action()

    def _draw(self) -> None:
        size = self._console.size
        self._frame.throttled = self._run.throttle_status
        lines = self._frame.lines(
            self._run.summary,
            phase_of(self._run, has_keys=self._keyboard is not None),
            now_ms(),
            width=size.width,
            height=size.height,
        )
        picture = (size, *lines)
        if picture != self._before:
            self._before = picture
            with contextlib.suppress(OSError):  # the terminal is gone; the run goes on
                self._live.show(lines)

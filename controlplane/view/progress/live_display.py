"""Shows a run on a terminal: redraws one picture in place, and erases it when the run is over."""

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
"""Seconds between two looks at the run; an unchanged picture is not redrawn."""


class ResizableLive(Live):
    """A rich `Live` that also erases lines which the terminal has folded because its window became narrower."""

    def __init__(self, console: Console, *, redirect_stdout: bool) -> None:
        super().__init__(
            console=console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=redirect_stdout,
            vertical_overflow="crop",
        )
        self._drawn: list[int] = []
        """Width of each line on the screen."""
        self._drawn_width = 0
        self._next: list[int] = []
        """Width of each line to draw next."""

    def show(self, lines: list[Text]) -> None:
        """Draw `lines` in place of the previous ones."""
        self._next = [each.cell_len for each in lines]
        self.update(Group(*lines), refresh=True)

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        """Move up over lines that the terminal has folded since, then render as `Live` does."""
        width = self.console.width
        folds = sum(max(each - 1, 0) // width for each in self._drawn) if width < self._drawn_width else 0
        self._drawn, self._drawn_width = [min(each, width) for each in self._next], width
        erased = [(ControlType.ERASE_IN_LINE, 2), (ControlType.CURSOR_UP, 1)] * folds
        return [Control(*erased), *super().process_renderables(renderables)]


class LiveDisplay:
    """Draws a run on standard error from `start` to `stop`, and reads keys once the run is being stopped."""

    def __init__(self, run: Run, keys: Mapping[str, Callable[[], None]]) -> None:
        self._run = run
        self._keys = keys
        self._console = Console(stderr=True, highlight=False)
        self._live = ResizableLive(self._console, redirect_stdout=sys.stdout.isatty())
        self._frame = RunFrame()
        self._drawn: tuple[object, ...] = ()
        self._keyboard: Keyboard | None = None
        self._earlier_handler: Callable[[int, FrameType | None], object] | int | None = None
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._draw_until_done, name="live view", daemon=True)

    @staticmethod
    def is_possible() -> bool:
        """Say whether standard error can show a picture: a terminal that can move its cursor and draw lines."""
        console = Console(stderr=True)
        return console.is_interactive and sys.stderr.isatty() and console.encoding.startswith("utf")

    def start(self) -> None:
        """Start drawing. Call it from the main thread."""
        self._earlier_handler = signal.signal(signal.SIGTSTP, self._suspend)
        self._live.start()
        self._thread.start()

    def stop(self) -> None:
        """Erase the picture and restore the terminal."""
        self._done.set()
        self._thread.join()
        self._live.stop()
        signal.signal(signal.SIGTSTP, self._earlier_handler)

    def _suspend(self, number: int, frame: FrameType | None) -> None:
        """Suspend this process as Ctrl-Z does, and show the cursor meanwhile."""
        del frame
        keyboard = self._keyboard
        if keyboard is not None:
            keyboard.restore()
        os.write(2, f"{Control.show_cursor(True)}\n".encode())
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        signal.signal(number, self._suspend)
        if keyboard is not None:
            keyboard.__enter__()
        os.write(2, f"{Control.show_cursor(False)}".encode())

    def abandon(self, text: str) -> None:
        """Restore the terminal and print `text` at once. Safe in a signal handler: it takes no lock."""
        if self._keyboard is not None:
            self._keyboard.restore()
        os.write(2, f"{Control.show_cursor(True)}\n{text}\n".encode())

    def _draw_until_done(self) -> None:
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
        self._frame.throttle_status = self._run.throttle_status
        lines = self._frame.lines(
            self._run.summary,
            phase_of(self._run, has_keys=self._keyboard is not None),
            now_ms(),
            width=size.width,
            height=size.height,
        )
        picture = (size, *lines)
        if picture != self._drawn:
            self._drawn = picture
            with contextlib.suppress(OSError):  # the terminal is gone; the run goes on
                self._live.show(lines)

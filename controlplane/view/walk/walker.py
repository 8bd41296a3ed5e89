"""Walks through a trial on a full terminal screen: one page at a time, the keys in the last line."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from rich.console import Console
from rich.control import Control
from rich.segment import ControlType, Segment, Segments
from rich.text import Text

from controlplane.journal.journal_content import Journal
from controlplane.view.display_text import one_line, score_style, score_text
from controlplane.view.keyboard import Keyboard
from controlplane.view.walk.step_pages import UNFOLDED, Folding
from controlplane.view.walk.walk_keys import all_keys, key_line
from controlplane.view.walk.walk_state import Walk

FIXED_LINES: Final = 3
"""The title, the line below it, and the keys."""
ERASE: Final = Control((ControlType.ERASE_IN_LINE, 2)).segment
FOLDED: Final = tuple(Folding(results=False, lines=lines) for lines in (None, 30, 20, 14, 10, 7, 5, 4, 3))
"""Foldings to try in turn until the page fits the window."""
LOOK_S: Final = 0.25
"""Seconds between two checks of the window's size."""


def can_walk() -> bool:
    """Say whether there is a terminal to draw on and to read keys from."""
    return sys.stdout.isatty() and Console().is_interactive and Keyboard.is_available()


def walk_through(journal: Journal, trial_id: str) -> None:
    """Show the trial page by page until the user quits."""
    trial_ids = [each.trial_id for each in journal.summary.worst_first]
    _Screen(Walk(journal, trial_ids, trial_id)).run()


class _Screen:
    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._console = Console(highlight=False)
        self._keyboard = Keyboard()

    def run(self) -> None:
        with self._entered():
            size = self._console.size
            lines = self._draw()
            while not self._walk.is_over:
                key = self._keyboard.read(LOOK_S)
                if key == "suspend":
                    self._suspend()
                elif key:
                    self._walk.press(key, lines=lines, window=self._window)
                if key or self._console.size != size:
                    size = self._console.size
                    lines = self._draw()

    @property
    def _window(self) -> int:
        return max(self._console.height - FIXED_LINES, 1)

    @contextmanager
    def _entered(self) -> Iterator[None]:
        with self._keyboard:
            self._console.set_alt_screen(True)
            self._console.show_cursor(False)
            try:
                yield
            finally:
                self._console.show_cursor(True)
                self._console.set_alt_screen(False)

    def _suspend(self) -> None:
        """Leave the full screen, suspend this process as Ctrl-Z does, and return when the shell continues it."""
        self._console.show_cursor(True)
        self._console.set_alt_screen(False)
        self._keyboard.restore()
        os.kill(os.getpid(), signal.SIGTSTP)
        self._keyboard.__enter__()
        self._console.set_alt_screen(True)
        self._console.show_cursor(False)

    def _draw(self) -> int:
        """Draw the page and return its number of lines."""
        walk, console, width = self._walk, self._console, self._console.width
        body = self._body(width)
        walk.top = min(walk.top, max(len(body) - self._window, 0))
        shown = body[walk.top : walk.top + self._window]
        top = self._line(self._title(width))
        bottom = self._line(self._bottom(width))
        blank: list[list[Segment]] = [[] for _ in range(self._window - len(shown))]
        screen: list[Segment] = []
        for place, line in enumerate([top, self._line(self._ruler(len(body), width)), *shown, *blank, bottom]):
            screen += [Control.move_to(0, place).segment, ERASE, *line]
        console.print(Segments(screen), end="", crop=False)
        return len(body)

    def _body(self, width: int) -> list[list[Segment]]:
        """Return the page's lines; a folded page is shortened until it fits the window, if possible."""
        options = self._console.options.update(width=width, height=None)
        if self._walk.shows_keys:
            return self._console.render_lines(all_keys(), options, pad=False)
        body: list[list[Segment]] = []
        for folding in FOLDED if self._walk.is_folded else (UNFOLDED,):
            body = self._console.render_lines(self._walk.page.body(folding), options, pad=False)
            if len(body) <= self._window:
                break
        return body

    def _line(self, text: Text) -> list[Segment]:
        return next(iter(self._console.render_lines(text, pad=False)))

    def _title(self, width: int) -> Text:
        walk = self._walk
        summary = walk.journal.summary.trials[walk.trial_id]
        steps = max((each.step or 0 for each in walk.pages), default=0)
        of = f" of {steps}" if walk.page.step else ""
        place = walk.trial_ids.index(walk.trial_id) + 1
        title = Text(f"{one_line(summary.task_id or summary.trial_id)}", style="bold", no_wrap=True)
        title.append(f" · {walk.page.title}{of}").append(" · score ", style="not bold")
        title.append(score_text(summary.score), style=score_style(summary.score))
        title.append(f" · trial {place} of {len(walk.trial_ids)}, worst first", style="not bold dim")
        title.truncate(width, overflow="ellipsis")
        return title

    def _ruler(self, lines: int, width: int) -> Text:
        """Return the line below the title, with the visible range if the page is longer than the window."""
        seen = min(self._walk.top + self._window, lines)
        marks = f"{'↑' if self._walk.top else ''}{'↓' if seen < lines else ''}"
        words = f" lines {self._walk.top + 1}-{seen} of {lines} {marks}" if lines > self._window else ""
        return Text(f"{'─' * (width - len(words))}{words}", style="dim", no_wrap=True)

    def _bottom(self, width: int) -> Text:
        walk = self._walk
        if walk.shows_keys:
            return Text("any key goes back", style="bold", no_wrap=True)
        if walk.typed is not None:
            return Text(f"go to step: {walk.typed}_   (Enter goes, Esc stays; e: the end)", style="bold", no_wrap=True)
        return key_line(walk.message, width, is_folded=walk.is_folded)

"""Walks through a trial on a full terminal screen: one page at a time, the keys in the last line.

Textual reads the keys and owns the screen. It is slow to import: whoever prints to a pipe does without this module.
"""

from __future__ import annotations

from typing import ClassVar, Final

from rich.console import Console
from rich.segment import Segment
from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.events import Key
from textual.strip import Strip
from textual.widget import Widget

from controlplane.journal.journal_content import Journal
from controlplane.view.display_text import one_line, score_style, score_text
from controlplane.view.walk.step_pages import UNFOLDED, Folding
from controlplane.view.walk.walk_keys import all_keys, key_line
from controlplane.view.walk.walk_state import Walk

FIXED_LINES: Final = 3
"""The title, the line below it, and the keys."""
KEYS: Final = {"pageup": "page up", "pagedown": "page down", "ctrl+d": "q"}
"""Keys that the walk names otherwise than Textual does."""
INTERRUPTED: Final = 130
"""What Ctrl-C ends the walk with."""
FOLDED: Final = tuple(Folding(results=False, lines=lines) for lines in (None, 30, 20, 14, 10, 7, 5, 4, 3))
"""Foldings to try in turn until the page fits the window."""


def walk_through(journal: Journal, trial_id: str) -> None:
    """Show the trial page by page until the user quits. Raises `KeyboardInterrupt` for Ctrl-C."""
    trial_ids = [each.trial_id for each in journal.summary.worst_first]
    walker = _Walker(Walk(journal, trial_ids, trial_id))
    walker.run(mouse=False)  # with it, nobody could mark and copy text
    if walker.return_code == INTERRUPTED:
        raise KeyboardInterrupt


class _Walker(App[None]):
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar = [
        Binding("ctrl+c", "interrupt", priority=True),
        Binding("ctrl+z", "suspend_process", priority=True),
    ]

    def __init__(self, walk: Walk) -> None:
        super().__init__(ansi_color=True)
        self._walk, self._drawing = walk, _Screen(walk)

    def compose(self) -> ComposeResult:
        yield self._drawing

    def on_mount(self) -> None:
        # What stood on the screen is gone when the walk comes back to the foreground.
        self.app_resume_signal.subscribe(self, lambda _: self._drawing.draw())

    def on_key(self, event: Key) -> None:
        key = event.character if event.is_printable and event.character else KEYS.get(event.key, event.key)
        self._walk.press(key, lines=self._drawing.lines, window=self._drawing.window)
        if self._walk.is_over:
            self.exit()
        else:
            self._drawing.draw()

    def action_interrupt(self) -> None:
        self.exit(return_code=INTERRUPTED)


class _Screen(Widget):
    """The walk's one widget: it fills the window, and draws the lines of the shown page."""

    DEFAULT_CSS = "_Screen { width: 100%; height: 100%; }"

    def __init__(self, walk: Walk) -> None:
        super().__init__()
        self._walk = walk
        self._rich = Console(highlight=False)
        self._drawn: list[list[Segment]] = []
        self.lines = 0
        """Lines of the shown page."""

    @property
    def window(self) -> int:
        """Lines of a page that fit."""
        return max(self.size.height - FIXED_LINES, 1)

    def draw(self) -> None:
        """Draw the page anew."""
        walk, width = self._walk, self.size.width
        self._rich.width = max(width, 1)
        body = self._body(width)
        self.lines = len(body)
        walk.top = min(walk.top, max(len(body) - self.window, 0))
        shown = body[walk.top : walk.top + self.window]
        blank: list[list[Segment]] = [[] for _ in range(self.window - len(shown))]
        top = [self._line(self._title(width)), self._line(self._ruler(len(body), width))]
        self._drawn = [*top, *shown, *blank, self._line(self._bottom(width))]
        self.refresh()

    def on_resize(self) -> None:
        self.draw()

    def render_line(self, y: int) -> Strip:
        """Return one line of the screen."""
        return Strip(self._drawn[y] if y < len(self._drawn) else []).adjust_cell_length(self.size.width)

    def _body(self, width: int) -> list[list[Segment]]:
        """Return the page's lines; a folded page is shortened until it fits the window, if possible."""
        options = self._rich.options.update(width=width, height=None)
        if self._walk.shows_keys:
            return self._rich.render_lines(all_keys(), options, pad=False)
        body: list[list[Segment]] = []
        for folding in FOLDED if self._walk.is_folded else (UNFOLDED,):
            body = self._rich.render_lines(self._walk.page.body(folding), options, pad=False)
            if len(body) <= self.window:
                break
        return body

    def _line(self, text: Text) -> list[Segment]:
        return next(iter(self._rich.render_lines(text, pad=False)))

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
        seen = min(self._walk.top + self.window, lines)
        marks = f"{'↑' if self._walk.top else ''}{'↓' if seen < lines else ''}"
        words = f" lines {self._walk.top + 1}-{seen} of {lines} {marks}" if lines > self.window else ""
        return Text(f"{'─' * (width - len(words))}{words}", style="dim", no_wrap=True)

    def _bottom(self, width: int) -> Text:
        walk = self._walk
        if walk.shows_keys:
            return Text("any key goes back", style="bold", no_wrap=True)
        if walk.typed is not None:
            return Text(f"go to step: {walk.typed}_   (Enter goes, Esc stays; e: the end)", style="bold", no_wrap=True)
        return key_line(walk.message, width, is_folded=walk.is_folded)

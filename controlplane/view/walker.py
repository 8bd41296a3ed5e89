"""Walks through a trial on a full terminal screen: one page at a time, the keys in the last line.

Textual reads the keys and owns the screen. It is slow to import: whoever prints to a pipe does without this module.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Final

from rich.console import Console, Group
from rich.segment import Segment
from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.events import Key
from textual.strip import Strip
from textual.widget import Widget

from controlplane.journal.journal_content import Journal
from controlplane.view.display_text import one_line, score_style, score_text
from controlplane.view.trial_pages import UNFOLDED, Folding, Page, pages_of

LINE: Final = (
    ("n", "next"),
    ("p", "back"),
    ("g", "go to"),
    ("r", "rejection"),
    ("f", "fold"),
    ("t", "trial"),
    ("↑↓", "scroll"),
    ("?", "keys"),
    ("q", "quit"),
)
"""The keys that the bottom line names as far as they fit; the last two always stay."""
LASTING: Final = 2
ALL: Final = (
    ("n → Enter", "the next page"),
    ("Space", "scroll down; at the bottom, the next page"),
    ("p ← Backspace", "the page before"),
    ("g NUMBER Enter", "go to a step; 0 is turn one"),
    ("g e", "go to the end: score, answer, citations"),
    ("r", "the next step whose answer was sent back"),
    ("f", "unfold or fold what the page shortens"),
    ("t  T", "the next trial, the one before"),
    ("↑ ↓  k j", "scroll by a line"),
    ("PgUp PgDn", "scroll by a window"),
    ("Home End", "the page's top, its bottom"),
    ("?", "show or hide this list"),
    ("q Ctrl-D", "quit"),
)
"""Every key with what it does."""


def key_line(message: str, width: int, *, is_folded: bool) -> Text:
    """Return the message and as many keys as fit in `width` columns; the keys to help and to quit always stay."""
    keys = []
    for key, meaning in LINE:
        word = "unfold" if meaning == "fold" and is_folded else meaning
        keys.append(Text(key, style="bold", no_wrap=True).append(f" {word}", style="not bold dim"))
    styled = Text(message, style="bold yellow", no_wrap=True)
    room = width - 1
    while len(keys) > LASTING and sum(each.cell_len + 2 for each in keys) + styled.cell_len > room:
        del keys[-LASTING - 1]
    styled.truncate(max(room - sum(each.cell_len + 2 for each in keys), 0), overflow="ellipsis")
    line = Text("  ", no_wrap=True).join([styled, *keys] if message else keys)
    line.truncate(room, overflow="ellipsis")
    return line


def all_keys() -> Group:
    """Return the list of all keys."""
    longest = max(len(keys) for keys, _ in ALL)
    lines = [
        Text(f"  {keys:<{longest}}", style="bold", no_wrap=True, overflow="ellipsis").append(
            f"   {meaning}", style="not bold"
        )
        for keys, meaning in ALL
    ]
    return Group(*lines)


BACK_AND_FORTH: Final = {
    "n": 1,
    "right": 1,
    " ": 1,
    "enter": 1,
    "p": -1,
    "left": -1,
    "backspace": -1,
}
SCROLLS: Final = {"down": 1, "j": 1, "up": -1, "k": -1}


@dataclass(slots=True)
class Walk:
    """A place in a journal. `t` and `T` move through `trial_ids` in their order."""

    journal: Journal
    trial_ids: list[str]
    trial_id: str
    pages: list[Page] = field(init=False)
    at: int = 0
    """Index of the shown page in `pages`."""
    top: int = 0
    """The first visible line of the page."""
    is_folded: bool = True
    typed: str | None = None
    """The step number being typed; None if `g` was not pressed."""
    message: str = ""
    """Why the latest key had no effect."""
    shows_keys: bool = False
    """Whether the list of all keys is shown in place of the page."""
    is_over: bool = False

    def __post_init__(self) -> None:
        self._open(self.trial_id)

    def _open(self, trial_id: str) -> None:
        self.trial_id, self.pages = trial_id, pages_of(self.journal, trial_id)
        self.at, self.top = 0, 0

    @property
    def page(self) -> Page:
        """The shown page."""
        return self.pages[self.at]

    def press(self, key: str, *, lines: int, window: int) -> None:
        """Act on `key`, on a page of `lines` lines in a window of `window` lines."""
        self.message = ""
        page = max(window - 1, 0)
        lowest = max(lines - window, 0)
        scrolls = SCROLLS | {"page down": page, "page up": -page, "home": -lines, "end": lines}
        if self.shows_keys:
            self.shows_keys, self.top = False, 0
        elif self.typed is not None:
            self._type(key)
        elif key in scrolls or (key == " " and self.top < lowest):
            self.top = min(max(self.top + scrolls.get(key, page), 0), lowest)
        elif key in BACK_AND_FORTH:
            self._go(self.at + BACK_AND_FORTH[key])
        else:
            self._command(key)

    def _command(self, key: str) -> None:
        match key:
            case "g":
                self.typed = ""
            case "f":
                self.is_folded, self.top = not self.is_folded, 0
            case "r":
                self._next_rejection()
            case "t":
                self._change_trial(1)
            case "T":
                self._change_trial(-1)
            case "?":
                self.shows_keys, self.top = True, 0
            case "q":
                self.is_over = True
            case _:
                pass

    def _go(self, at: int) -> None:
        if at < 0:
            self.message = "this is the beginning"
        elif at >= len(self.pages):
            is_last = self.trial_ids[-1] == self.trial_id
            self.message = f"this is the end{' of the last trial' if is_last else '; t goes to the next trial'}"
        else:
            self.at, self.top = at, 0

    def _type(self, key: str) -> None:
        assert self.typed is not None
        if key.isdecimal() and key.isascii():
            self.typed = (self.typed + key)[:4]
        elif key == "backspace" and self.typed:
            self.typed = self.typed[:-1]
        elif key == "enter" and self.typed:
            self._go_to_step(int(self.typed))
        elif key == "e" and not self.typed:
            self.typed = None
            self._go(len(self.pages) - 1)
        else:
            self.typed = None

    def _go_to_step(self, number: int) -> None:
        self.typed = None
        found = next((at for at, page in enumerate(self.pages) if page.step == number), None)
        if found is None:
            self.message = f"there is no step {number} in this trial"
        else:
            self._go(found)

    def _next_rejection(self) -> None:
        found = next((at for at in range(self.at + 1, len(self.pages)) if self.pages[at].is_rejected), None)
        if found is None:
            self.message = "no further rejection in this trial"
        else:
            self._go(found)

    def _change_trial(self, by: int) -> None:
        place = self.trial_ids.index(self.trial_id) + by
        if not 0 <= place < len(self.trial_ids):
            self.message = "this is the last trial" if by > 0 else "this is the first trial"
        else:
            self._open(self.trial_ids[place])


FIXED_LINES: Final = 3
"""The title, the line below it, and the keys."""
KEYS: Final = {"pageup": "page up", "pagedown": "page down", "ctrl+d": "q"}
"""Keys that the walk names otherwise than Textual does."""
INTERRUPTED: Final = 130
"""The walk's return code after Ctrl-C."""
FOLDED: Final = tuple(Folding(results=False, lines=lines) for lines in (None, 30, 20, 14, 10, 7, 5, 4, 3))
"""Foldings to try in turn until the page fits the window."""


def walk_through(journal: Journal, trial_id: str) -> None:
    """Show the trial page by page until the user quits. Raises `KeyboardInterrupt` for Ctrl-C."""
    trial_ids = [trial.trial_id for trial in journal.summary.worst_first]
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
        steps = max((page.step or 0 for page in walk.pages), default=0)
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

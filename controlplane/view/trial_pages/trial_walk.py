"""Shows a trial in a terminal page by page, with keys to go on, back, or to the next trial.

The pages are folded to fit a window: they hide the results of calls, show a submission's calls
only by number, and cut the middle of long parts.
"""

from __future__ import annotations

import contextlib
import os
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from typing import Final

import click
from rich.text import Text

from controlplane.journal.journal_reader import Journal
from controlplane.quantity_texts import score_style, score_text
from controlplane.terminal_text import one_line
from controlplane.view.printed_columns import CleanConsole
from controlplane.view.trial_pages.page_text import print_page_lines
from controlplane.view.trial_pages.trial_pages import Page, pages_of

_CTRL_D: Final = "\x04"
_ARROW_RIGHT: Final = "\x1b[C"
_ARROW_LEFT: Final = "\x1b[D"
_BACKSPACE: Final = "\x7f"
_NEXT_KEYS: Final = ("n", "\r", "\n", " ", _ARROW_RIGHT)
_BACK_KEYS: Final = ("p", _BACKSPACE, _ARROW_LEFT)
_QUIT_KEYS: Final = ("q", _CTRL_D)
_HELP: Final = "n next  p back  r rejection  t next trial  q quit"


def walk_through(journal: Journal, trial_id: str) -> None:
    """Print a folded page after each key, beginning with this trial, until the user quits.

    Raises `KeyboardInterrupt`.
    """
    console = CleanConsole(highlight=False)
    walk = _Walk(journal, trial_id)
    notice = ""
    with _terminal_keys() as read_key:
        while True:
            if notice:
                console.print(notice, style="yellow", markup=False)
            else:
                console.rule(style="dim")
                console.print(walk.heading())
                print_page_lines(walk.page, console, is_folded=True)
            click.echo(_HELP, nl=False)
            key = read_key()
            click.echo("\r\x1b[K", nl=False)  # erases the help
            if key in _QUIT_KEYS:
                return
            notice = walk.press(key)


class _Walk:
    """A position in the pages of a journal's trials, the worst trial first. Keys move it."""

    def __init__(self, journal: Journal, trial_id: str) -> None:
        self.journal = journal
        self.trial_ids = [
            trial.trial_id for trial in journal.summary.trials.worst_first
        ]
        self.trial_index = self.trial_ids.index(trial_id)
        self.pages = list(pages_of(journal.trials[trial_id]))
        self.page_index = 0

    @property
    def page(self) -> Page:
        """The page that is shown."""
        return self.pages[self.page_index]

    def press(self, key: str) -> str:
        """Move as the key says. Return why that is impossible; empty if it was possible."""
        if key in _NEXT_KEYS:
            return self._next_page()
        if key in _BACK_KEYS:
            return self._previous_page()
        if key == "r":
            return self._next_rejection()
        if key == "t":
            return self._next_trial()
        return ""

    def _next_page(self) -> str:
        """Move to the next page of the trial."""
        if self.page_index + 1 == len(self.pages):
            return "this is the end; t: the next trial"
        self.page_index += 1
        return ""

    def _previous_page(self) -> str:
        """Move to the page before."""
        if self.page_index == 0:
            return "this is the beginning"
        self.page_index -= 1
        return ""

    def _next_rejection(self) -> str:
        """Move to the next step whose answer the gates rejected."""
        for index in range(self.page_index + 1, len(self.pages)):
            if self.pages[index].mark == "✗":
                self.page_index = index
                return ""
        return "no further rejection in this trial"

    def _next_trial(self) -> str:
        """Move to the first page of the next trial, whose score is the same or better."""
        if self.trial_index + 1 == len(self.trial_ids):
            return "this is the last trial"
        self.trial_index += 1
        self.page_index = 0
        trial_id = self.trial_ids[self.trial_index]
        self.pages = list(pages_of(self.journal.trials[trial_id]))
        return ""

    def heading(self) -> Text:
        """Return a line with the trial's task, the page's title, and the trial's score and rank."""
        trial_id = self.trial_ids[self.trial_index]
        summary = self.journal.summary.trials[trial_id]
        title = self.page.title
        if self.page.step:
            title += f" of {max(page.step or 0 for page in self.pages)}"
        place = f" · trial {self.trial_index + 1} of {len(self.trial_ids)}, worst first"

        heading = Text(one_line(summary.task), style="bold")
        heading.append(f" · {title} · score ", style="not bold")
        heading.append(score_text(summary.score), style=score_style(summary.score))
        return heading.append(place, style="not bold dim")


_LONGEST_KEY: Final = 32
"""The largest number of bytes that one key sends: an escape sequence, or a letter in UTF-8."""


@contextlib.contextmanager
def _terminal_keys() -> Iterator[Callable[[], str]]:
    """Yield a function that reads a key as soon as it is pressed, without echo.

    Keys that were pressed before the call are read, too.
    """
    terminal = sys.stdin.fileno()
    modes = termios.tcgetattr(terminal)
    tty.setcbreak(terminal, termios.TCSADRAIN)

    def read_key() -> str:
        # Set the mode for each key, because a shell resets it when it resumes a job.
        tty.setcbreak(terminal, termios.TCSADRAIN)
        return os.read(terminal, _LONGEST_KEY).decode(errors="replace") or _CTRL_D

    try:
        yield read_key
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, modes)

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
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import click
from rich.text import Text

from controlplane.facts.run_facts import run_details
from controlplane.facts.trial_facts import TrialFacts
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
    trials = list(run_details(journal.summary, journal.path).worst_first)
    place = [trial.trial_id for trial in trials].index(trial_id)
    pages = list(pages_of(journal.trials[trial_id]))
    index = 0
    notice = ""
    with _terminal_keys() as read_key:
        while True:
            if notice:
                console.print(notice, style="yellow", markup=False)
            else:
                console.rule(style="dim")
                heading = _heading(trials[place], pages, index)
                rank = f" · trial {place + 1} of {len(trials)}, worst first"
                console.print(heading.append(rank, style="not bold dim"))
                print_page_lines(pages[index], console, is_folded=True)
            click.echo(_HELP, nl=False)
            key = read_key()
            click.echo("\r\x1b[K", nl=False)  # erases the help

            # Move as the key says, or tell why that is impossible.
            notice = ""
            if key in _QUIT_KEYS:
                return
            if key in _NEXT_KEYS and index + 1 == len(pages):
                notice = "this is the end; t: the next trial"
            elif key in _NEXT_KEYS:
                index += 1
            elif key in _BACK_KEYS and index == 0:
                notice = "this is the beginning"
            elif key in _BACK_KEYS:
                index -= 1
            elif key == "r":
                notice = "no further rejection in this trial"
                for later in range(index + 1, len(pages)):
                    if pages[later].mark == "✗":
                        index = later
                        notice = ""
                        break
            elif key == "t" and place + 1 == len(trials):
                notice = "this is the last trial"
            elif key == "t":
                place += 1
                pages = list(pages_of(journal.trials[trials[place].trial_id]))
                index = 0


def _heading(trial: TrialFacts, pages: Sequence[Page], index: int) -> Text:
    """Return a line with the trial's task, the page's title, and the trial's score."""
    page = pages[index]
    title = page.title
    if page.step:
        title += f" of {max(page.step or 0 for page in pages)}"
    heading = Text(one_line(trial.task), style="bold")
    heading.append(f" · {title} · score ", style="not bold")
    return heading.append(score_text(trial.score), style=score_style(trial.score))


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

"""Shows a trial in a terminal: page by page with keys, all pages at once, or one step as JSON.

A page may be folded, to fit a window: it hides the results of calls, shows a
submission's calls only by number, and cuts the middle of long parts.
"""

from __future__ import annotations

import contextlib
import os
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Final

import click
from rich.console import Console
from rich.syntax import Syntax
from rich.text import Text

from controlplane.errors import UsageError
from controlplane.journal.journal_reader import Journal
from controlplane.sandbox.interface import bounds
from controlplane.terminal_text import one_line, score_style, score_text
from controlplane.view.clean_console import CleanConsole
from controlplane.view.results.trial_result import trial_result
from controlplane.view.trial_pages.page import Page
from controlplane.view.trial_pages.page_part import Part
from controlplane.view.trial_pages.shown_steps import steps_of
from controlplane.view.trial_pages.trial_pages import pages_of

# --- One page as lines of text ---


INDENT: Final = 2
RULER_WIDTH: Final = 36
"""The width of the line above a titled part, in columns."""
TITLE_WIDTH: Final = 66
"""The width of the line above a page, in columns."""
LONGEST_PIPED_LINE: Final = 400
"""The column at which a line of a folded page is cut in a pipe, where lines are not wrapped."""
SHORTEST_LINE: Final = 10
"""The fewest columns for a text before its tail (such as a call's duration)."""


def print_page(page: Page, *, is_folded: bool = False) -> None:
    """Print one page below its title."""
    console = CleanConsole(highlight=False)
    title = Text(f"── {page.title} ", style="bold")
    title.append("─" * (TITLE_WIDTH - len(page.title)), style="dim")
    console.print(title)
    _print_lines(page, console, is_folded=is_folded)


def _print_lines(page: Page, console: Console, *, is_folded: bool) -> None:
    """Print a page's lines. Lines in a pipe are not wrapped, so that code can be copied."""
    width = console.width if console.is_terminal else sys.maxsize
    lines = []
    for part in page.parts:
        lines += _part_lines(part, console, width, is_folded=is_folded)
    if page.figures:
        lines.append(_ruler(page.figures))
    if is_folded and not console.is_terminal:
        for line in lines:
            line.truncate(LONGEST_PIPED_LINE, overflow="ellipsis")
    console.print(Text("\n").join(lines), soft_wrap=True)


def _part_lines(
    part: Part, console: Console, width: int, *, is_folded: bool
) -> list[Text]:
    """Return a part as lines. Its inner parts are indented below its text or title.

    If it is folded, inner parts that are details are hidden, the middle of a long text
    is left out, and a text with a tail is cut to one line.
    """
    text = _text_with_tail(part, width, is_folded=is_folded)
    inner_width = width - INDENT
    body: list[Text] = []
    if part.title:
        head = [_ruler(part.title)]
        if part.text:
            body += text.wrap(console, inner_width)
    else:
        head = list(text.wrap(console, width))

    for inner_part in part.parts:
        is_hidden = is_folded and inner_part.is_detail
        if not is_hidden:
            body += _part_lines(inner_part, console, inner_width, is_folded=is_folded)
    if is_folded:
        body = _without_middle(body)
    indent = " " * INDENT
    return head + [Text(indent).append_text(line) for line in body]


def _text_with_tail(part: Part, width: int, *, is_folded: bool) -> Text:
    """Return the text of a part, followed by its tail. Folded, it is cut so that both fit."""
    text = _part_text(part)
    if part.tail:
        if is_folded:
            width_before_tail = max(width - len(part.tail), SHORTEST_LINE)
            text.truncate(width_before_tail, overflow="ellipsis")
        text.append(part.tail, style="not bold dim")
    return text


def _part_text(part: Part) -> Text:
    """Return the text of a part in its style. Code has the colours of Python."""
    if part.style != "code":
        return Text(part.text, style=part.style)
    # The terminal's own sixteen colours are readable on light and dark backgrounds.
    syntax = Syntax(
        "", "python", theme="ansi_dark", background_color="default", word_wrap=True
    )
    text = syntax.highlight(part.text)
    text.rstrip()
    return text


def _without_middle(lines: list[Text]) -> list[Text]:
    """Return at most `SHOWN_FOLDED_LINES` lines. One in the middle counts the hidden lines."""
    if len(lines) <= bounds.SHOWN_FOLDED_LINES:
        return lines
    shown_count = bounds.SHOWN_FOLDED_LINES - 1  # One line is the note.
    shown_above = bounds.SHOWN_FOLDED_LINES // 2
    shown_below = shown_count - shown_above
    hidden_count = len(lines) - shown_count
    note = Text(f"… {hidden_count} lines more", style="dim italic")
    return [*lines[:shown_above], note, *lines[len(lines) - shown_below :]]


def _ruler(title: str) -> Text:
    """Return a line with a title in it: `── calls ───────`."""
    line = "─" * (RULER_WIDTH - len(title))
    return Text(f"── {title} {line}", style="dim", no_wrap=True, overflow="ellipsis")


# --- A whole trial, for a pipe ---


def print_trial(journal: Journal, trial_id: str, *, in_full: bool) -> None:
    """Print a trial: first its end and the reasons, then the initial prompt and each step.

    Without `in_full`, the pages are folded as in a terminal.
    """
    *pages, end = pages_of(journal.trials[trial_id])
    for page in (end, *pages):
        print_page(page, is_folded=not in_full)


# --- One step ---


def find_step(journal: Journal, trial_id: str, number: int) -> Page:
    """Return the page of one step. Step 0 is the initial prompt.

    Raises `UsageError` if the trial has no such step.
    """
    pages = list(pages_of(journal.trials[trial_id]))
    for page in pages:
        if page.step == number:
            return page
    steps = [page.step for page in pages if page.step]
    known_steps = f"steps 1 to {steps[-1]}" if steps else "no steps"
    msg = f"the trial {trial_id} has no step {number}; it has {known_steps}"
    raise UsageError(msg)


def step_object(journal: Journal, trial_id: str, number: int) -> object:
    """Return one step as plain JSON types. Raises `UsageError` if the trial has no such step."""
    recorded = find_step(journal, trial_id, number).recorded
    if recorded is None:
        return None
    return recorded.model_dump(mode="python")


def trial_object(journal: Journal, trial_id: str) -> object:
    """Return a trial with its instruction and steps, as plain JSON types."""
    trial = journal.trials[trial_id]
    record = trial.record
    result: dict[str, object] = asdict(trial_result(trial.summary))
    result["instruction"] = record.started.instruction if record.started else ""
    steps = steps_of(record, trial.summary)
    result["steps"] = [step.model_dump(mode="python") for step in steps]
    return result


# --- Keys ---


CTRL_D: Final = "\x04"
ARROW_RIGHT: Final = "\x1b[C"
ARROW_LEFT: Final = "\x1b[D"
BACKSPACE: Final = "\x7f"
NEXT_KEYS: Final = ("n", "\r", "\n", " ", ARROW_RIGHT)
BACK_KEYS: Final = ("p", BACKSPACE, ARROW_LEFT)
QUIT_KEYS: Final = ("q", CTRL_D)
HELP: Final = "n next  p back  r rejection  t next trial  q quit"


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
                _print_lines(walk.page, console, is_folded=True)
            click.echo(HELP, nl=False)
            key = read_key()
            click.echo("\r\x1b[K", nl=False)  # erases the help
            if key in QUIT_KEYS:
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
        return self.pages[self.page_index]

    def press(self, key: str) -> str:
        """Move as the key says. Return why that is impossible; empty if it was possible."""
        if key in NEXT_KEYS:
            return self._next_page()
        if key in BACK_KEYS:
            return self._previous_page()
        if key == "r":
            return self._next_rejection()
        if key == "t":
            return self._next_trial()
        return ""

    def _next_page(self) -> str:
        if self.page_index + 1 == len(self.pages):
            return "this is the end; t: the next trial"
        self.page_index += 1
        return ""

    def _previous_page(self) -> str:
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


LONGEST_KEY: Final = 32
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
        return os.read(terminal, LONGEST_KEY).decode(errors="replace") or CTRL_D

    try:
        yield read_key
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, modes)

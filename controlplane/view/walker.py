"""Steps through a trial in a terminal: a page at a time, printed one below the other, a key for the next step."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import Final

import click
from rich.text import Text

from controlplane.journal.journal_content import Journal
from controlplane.view.clean_console import CleanConsole
from controlplane.view.display_text import one_line, score_style, score_text
from controlplane.view.live_display import Keyboard
from controlplane.view.trial_pages import Page, pages_of

KEYS: Final = "n next  p back  g go to  r rejection  f {fold}  t T trial  q quit"
CTRL_D: Final = "\x04"


def walk_through(journal: Journal, trial_id: str) -> None:
    """Print a page of the trial for each key until the user quits. Raises `KeyboardInterrupt` for Ctrl-C."""
    keyboard = Keyboard()

    def suspend(number: int, frame: FrameType | None) -> None:
        del frame
        keyboard.restore()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        signal.signal(number, suspend)
        keyboard.start()
        walk.print_keys()

    earlier = signal.signal(signal.SIGTSTP, suspend)
    keyboard.start()
    walk = _Walk(journal, [trial.trial_id for trial in journal.summary.worst_first], _keys_of(keyboard))
    try:
        walk.open(trial_id)
        walk.print_keys()
        while (key := next(walk.keys)) not in ("q", CTRL_D):
            walk.step(key)
            walk.print_keys()
        click.echo()
    finally:
        keyboard.restore()
        signal.signal(signal.SIGTSTP, earlier)


def _keys_of(keyboard: Keyboard) -> Iterator[str]:
    while True:
        yield from re.findall(r"\x1b\[[A-D]|[\s\S]", keyboard.read(60.0))


@dataclass(slots=True)
class _Walk:
    journal: Journal
    trial_ids: list[str]
    """Worst first."""
    keys: Iterator[str]
    trial_id: str = ""
    pages: list[Page] = field(default_factory=list)
    at: int = 0
    is_folded: bool = True
    console: CleanConsole = field(default_factory=lambda: CleanConsole(highlight=False))

    def open(self, trial_id: str) -> None:
        self.trial_id, self.pages = trial_id, pages_of(self.journal, trial_id)
        self.show(0)

    def show(self, at: int) -> None:
        self.at, page = at, self.pages[at]
        steps = max(page.step or 0 for page in self.pages)
        summary = self.journal.summary.trials[self.trial_id]
        title = Text(one_line(summary.task_id or summary.trial_id), style="bold")
        title.append(f" · {page.title}{f' of {steps}' if page.step else ''} · score ", style="not bold")
        title.append(score_text(summary.score), style=score_style(summary.score))
        place = self.trial_ids.index(self.trial_id) + 1
        title.append(f" · trial {place} of {len(self.trial_ids)}, worst first", style="not bold dim")
        self.console.rule(style="dim")
        self.console.print(title)
        self.console.print(page.body(folded=self.is_folded))

    def print_keys(self) -> None:
        self.write(KEYS.format(fold="unfold" if self.is_folded else "fold"))

    def write(self, line: str) -> None:
        """Write in place of the last line, which listed the keys."""
        os.write(1, f"\r\x1b[K{line}".encode())  # not `print`: the handler of Ctrl-Z may come while that writes

    def step(self, key: str) -> None:
        """Show the page that a key asks for, or say why there is none."""
        self.write("")
        place = self.trial_ids.index(self.trial_id)
        match key:
            case "n" | "\r" | "\n" | " " | "\x1b[C":
                is_last = place == len(self.trial_ids) - 1
                self._go(self.at + 1, f"this is the end{' of the last trial' if is_last else '; t: the next trial'}")
            case "p" | "\x7f" | "\x1b[D":
                self._go(self.at - 1, "this is the beginning")
            case "r":
                rejected = (at for at in range(self.at + 1, len(self.pages)) if self.pages[at].is_rejected)
                self._go(next(rejected, -1), "no further rejection in this trial")
            case "g":
                typed, digit = "", ""
                while digit not in ("\r", "\n"):
                    typed += digit if digit.isdigit() or digit == "e" else ""
                    self.write(f"go to step (0: turn one, e: the end), then Enter: {typed}")
                    digit = next(self.keys)
                click.echo()
                steps = {"e": len(self.pages) - 1, **{str(page.step): at for at, page in enumerate(self.pages)}}
                self._go(steps.get(typed, -1), f"there is no step {typed} in this trial")
            case "f":
                self.is_folded = not self.is_folded
                self.show(self.at)
            case "t" | "T":
                place += 1 if key == "t" else -1
                if 0 <= place < len(self.trial_ids):
                    self.open(self.trial_ids[place])
                else:
                    self.console.print(f"this is the {'first' if key == 'T' else 'last'} trial", style="yellow")

    def _go(self, at: int, otherwise: str) -> None:
        if 0 <= at < len(self.pages):
            self.show(at)
        else:
            self.console.print(otherwise, style="yellow", markup=False)

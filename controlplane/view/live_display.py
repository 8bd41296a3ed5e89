"""Shows a run on a terminal: redraws one picture in place, reads single keys, and erases the picture at the end.

A row of the picture keeps its place until its trial is over, so that the eye can rest on it.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import sys
import termios
import threading
import tty
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, Final

from rich.console import Console, ConsoleRenderable, Group
from rich.control import Control
from rich.live import Live
from rich.segment import ControlType
from rich.text import Text

from agent.events import now_ms
from controlplane.journal.run_summary import RunSummary, TrialSummary
from controlplane.view.display_text import (
    age_text,
    clock_text,
    count_text,
    one_line,
    score_text,
    spent_texts,
)
from controlplane.view.report import rejections_text
from controlplane.view.run_progress import RunPhase, phase_of, time_left_s

if TYPE_CHECKING:
    from controlplane.lifecycle.run_lifecycle import Run


KEY: Final = re.compile(r"\x1b[\[O][^a-zA-Z~]*(?:[a-zA-Z~]|\Z)|.", re.DOTALL)
"""One key: a sequence up to its first letter or tilde, or a character."""


class Keyboard:
    """Reads standard input one key at a time. Ctrl-C still interrupts."""

    def __init__(self) -> None:
        self._file = sys.stdin.fileno()
        self._before = termios.tcgetattr(self._file)
        self._pending = ""

    @staticmethod
    def is_available() -> bool:
        """Say whether keys can be read: standard input is a terminal, and this process is in its foreground."""
        try:
            return os.isatty(sys.stdin.fileno()) and os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
        except (OSError, ValueError, AttributeError):
            return False

    def __enter__(self) -> Keyboard:
        tty.setcbreak(self._file, termios.TCSANOW)
        return self

    def __exit__(self, *failure: object) -> None:
        self.restore()

    def restore(self) -> None:
        """Restore the terminal's settings. May be called from a signal handler, and more than once."""
        termios.tcsetattr(self._file, termios.TCSANOW, self._before)

    def read(self, timeout_s: float) -> str:
        """Return the next key: a character, or the bytes of another key; empty if none comes within `timeout_s`."""
        if not self._pending:
            ready, _, _ = select.select([self._file], [], [], timeout_s)
            if not ready:
                return ""
            self._pending = os.read(self._file, 1024).decode("utf-8", "replace")
        key, self._pending = split_key(self._pending)
        return key


def split_key(typed: str) -> tuple[str, str]:
    """Return the first key of what was typed, and the rest; both empty if it is nothing."""
    key = KEY.match(typed)
    return (key[0], typed[key.end() :]) if key else ("", "")


WIDEST: Final = 100
"""Most columns of the picture, so that narrowing a wide window rarely folds lines on the screen."""
ECHO: Final = len("^C")
"""Columns kept free in the last line: the terminal echoes Ctrl-C there, and a folded line would shift the picture."""
FIXED_LINES: Final = 6
"""Lines above and below the rows."""


@dataclass(slots=True)
class RunFrame:
    """Draws a run, and remembers which trial has which row."""

    rows: list[str] = field(default_factory=list)
    """The trial of each row; empty if the row is free."""
    throttle_status: str = ""
    """The reason why the benchmark's calls are throttled, in a few words."""

    def lines(self, summary: RunSummary, phase: RunPhase, now_ms: int, *, width: int, height: int) -> list[Text]:
        """Return the lines that fit a window of `width` columns and `height` lines."""
        width = min(width, WIDEST)
        running = dict(summary.running)
        shown = self._take_rows(running, max(height - FIXED_LINES - 1, 0))
        over = summary.over
        left_s = time_left_s(summary, now_ms) if phase is RunPhase.WORKING else None
        lines = [_title(summary), _progress(summary, over, now_ms, width, left_s)]
        lines.append(_figures(summary, self.throttle_status))
        lines.append(Text(rejections_text(summary.rejections) if summary.rejections else "", style="yellow"))
        lines += [_row(running.get(each), now_ms) for each in shown]
        hidden = len(running) - sum(each in running for each in shown)
        lines.append(Text(f"  + {hidden} more running" if hidden else "", style="dim"))
        lines.append(Text(_last_line(summary, phase), style="dim" if phase is RunPhase.WORKING else "bold"))
        for line in lines:
            line.no_wrap = True
            line.truncate(width - 1, overflow="ellipsis")
        lines = lines[: max(height - 1, 1)]
        lines[-1].truncate(width - 1 - ECHO, overflow="ellipsis")
        return lines

    def _take_rows(self, running: dict[str, TrialSummary], fitting: int) -> list[str]:
        """Give free rows to trials without one, in the order of their start; return the rows."""
        self.rows = [row if row in running else "" for row in self.rows]
        while self.rows and not self.rows[-1]:
            self.rows.pop()
        if len(self.rows) > fitting:
            kept = [row for row in self.rows if row]
            self.rows = kept[:fitting]
        shown = set(self.rows)
        for trial_id in running:
            if trial_id in shown:
                continue
            if "" in self.rows:
                self.rows[self.rows.index("")] = trial_id
            elif len(self.rows) < fitting:
                self.rows.append(trial_id)
            else:
                break
        return self.rows


def _title(summary: RunSummary) -> Text:
    opened = summary.opened
    if opened is None:
        return Text()
    name = f"{opened.name} · " if opened.name else ""
    model = f" · {opened.model}" if opened.model else ""
    return Text(one_line(f"{name}{opened.benchmark}{model}"), style="bold").append(
        f"  {opened.run}", style="not bold dim"
    )


def _progress(summary: RunSummary, over: int, now_ms: int, width: int, left_s: float | None) -> Text:
    total = len(summary.trials)
    elapsed = clock_text((now_ms - summary.began_ms) / 1000) if summary.began_ms else "0:00"
    words = f" {over} of {total} · {elapsed}"
    words += f" · about {age_text(max(left_s, 1))} left" if left_s is not None else ""
    length = max(min(40, width - 45), 10)
    done = length * over // total if total else 0
    return Text("━" * done, style="green").append("─" * (length - done), style="dim").append(words, style="default")


def _figures(summary: RunSummary, throttle_status: str) -> Text:
    parts = []
    mean = summary.mean_score
    if mean is not None:
        parts.append(f"mean score {score_text(mean, 3)} of {len(summary.scores)}")
    parts.append(f"{len(summary.running)} running")
    parts += spent_texts(summary.tokens, summary.cost_usd, summary.retries)
    if throttle_status:
        parts.append(throttle_status)
    return Text(" · ".join(parts))


def _row(trial: TrialSummary | None, now_ms: int) -> Text:
    if trial is None:
        return Text()
    name = one_line(trial.task_id or trial.trial_id)
    row = Text("  ").append(f"{name[:28]:<28}", style="cyan").append(f" step {trial.step:>2} ")
    row.append(f"{clock_text((now_ms - trial.started_ms) / 1000):>6}  ", style="dim")
    return row.append(one_line(trial.doing))


def _last_line(summary: RunSummary, phase: RunPhase) -> str:
    notices = summary.notices[summary.earlier_notices :]
    if not notices:
        return str(phase)
    latest = one_line(notices[-1])
    if phase is RunPhase.WORKING:
        return f"{count_text(len(notices), 'notice')}, the latest: {latest}"
    return f"{phase}: {latest}" if phase in (RunPhase.SUBMITTING, RunPhase.SCORING) else str(phase)


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
        self._next = [line.cell_len for line in lines]
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

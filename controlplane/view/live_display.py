"""Shows a run on a terminal: redraws one picture in place, and erases the picture at the end."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from rich.console import ConsoleDimensions, Group
from rich.live import Live
from rich.text import Text

from agent.events import now_ms
from controlplane.journal.run_summary import RunSummary
from controlplane.view.display_text import (
    RunPhase,
    age_text,
    clock_text,
    count_text,
    figure_texts,
    one_line,
    phase_of,
    time_left_s,
)
from controlplane.view.report import CleanConsole, rejections_text, run_title

if TYPE_CHECKING:
    from controlplane.lifecycle.run_lifecycle import Run


ECHO: Final = len("^C")
"""Columns kept free in the last line: the terminal echoes Ctrl-C there, and a wrapped line would shift the picture."""


def picture(summary: RunSummary, phase: RunPhase, now_ms: int, window: ConsoleDimensions) -> list[Text]:
    """Return a run as lines that fit a window."""
    width, height = min(window.width, 100), window.height
    running = summary.running
    shown = running[: max(height - 7, 0)]
    left_s = time_left_s(summary, now_ms) if phase is RunPhase.WORKING else None
    rows = []
    for trial in shown:
        name = one_line(trial.task)
        step = max(trial.step, trial.steps_done + 1)
        row = Text("  ").append(f"{name[:28]:<28}", style="cyan").append(f" step {step:>2} ")
        row.append(f"{clock_text((now_ms - trial.started_ms) / 1000):>6}  ", style="dim")
        rows.append(row.append(one_line(trial.doing)))
    lines = [
        run_title(summary.opened) if summary.opened else Text(),
        _progress(summary, now_ms, width, left_s),
        Text(" · ".join(figure_texts(summary))),
        Text(rejections_text(summary.rejections) if summary.rejections else "", style="yellow"),
        *rows,
        Text(f"  + {len(running) - len(shown)} more running" if len(running) > len(shown) else "", style="dim"),
        Text(_last_line(summary, phase), style="dim" if phase is RunPhase.WORKING else "bold"),
    ]
    for line in lines:
        line.no_wrap = True
        line.truncate(width - 1, overflow="ellipsis")
    lines = lines[: max(height - 1, 1)]
    lines[-1].truncate(width - 1 - ECHO, overflow="ellipsis")
    return lines


def _progress(summary: RunSummary, now_ms: int, width: int, left_s: float | None) -> Text:
    over, total = summary.over, len(summary.trials)
    elapsed = clock_text((now_ms - summary.began_ms) / 1000) if summary.began_ms else "0:00"
    words = f" {over} of {total} · {elapsed}"
    words += f" · about {age_text(max(left_s, 1))} left" if left_s is not None else ""
    length = max(min(40, width - 45), 10)
    done = length * over // total if total else 0
    return Text("━" * done, style="green").append("─" * (length - done), style="dim").append(words, style="default")


def _last_line(summary: RunSummary, phase: RunPhase) -> str:
    notices = summary.notices[summary.earlier_notices :]
    if not notices:
        return str(phase)
    latest = one_line(notices[-1])
    if phase is RunPhase.WORKING:
        return f"{count_text(len(notices), 'notice')}, the latest: {latest}"
    return f"{phase}: {latest}" if phase in (RunPhase.SUBMITTING, RunPhase.SCORING) else str(phase)


class LiveDisplay:
    """Draws a run on standard error from `start` to `stop`."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._console = CleanConsole(stderr=True, highlight=False)
        live = Live(
            console=self._console,
            get_renderable=self._draw,
            refresh_per_second=5,
            transient=True,
            redirect_stdout=sys.stdout.isatty(),
        )
        self.start, self.stop = live.start, live.stop

    @staticmethod
    def is_possible() -> bool:
        """Say whether standard error can show a picture: a terminal that can move its cursor and draw lines."""
        console = CleanConsole(stderr=True)
        return console.is_interactive and sys.stderr.isatty() and console.encoding.startswith("utf")

    def _draw(self) -> Group:
        run = self._run
        return Group(*picture(run.summary, phase_of(run), now_ms(), self._console.size))

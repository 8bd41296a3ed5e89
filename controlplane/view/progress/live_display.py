"""Draws a running run on a terminal: one picture, redrawn in place and erased at the end."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from rich.console import ConsoleDimensions, Group
from rich.live import Live
from rich.text import Text

from controlplane.agent.events import now_ms
from controlplane.facts.run_facts import RunFacts, run_facts
from controlplane.facts.trial_facts import TrialFacts, trial_facts
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.quantity_texts import clock_text, count_text
from controlplane.terminal_text import one_line
from controlplane.view.printed_columns import CleanConsole
from controlplane.view.progress.run_phase import RunPhase, phase_of, time_texts
from controlplane.view.tables.run_table import run_title
from controlplane.view.tables.run_totals import rejections_text

if TYPE_CHECKING:
    from controlplane.lifecycle.run_lifecycle import Run

# The last lines of the live picture of a run: a bar with its progress, and its phase or latest notice.

_FIGURES_WIDTH: Final = 45
"""The largest width of the figures after the progress bar, in columns."""
_WIDEST_BAR: Final = 40
_NARROWEST_BAR: Final = 10


def _progress_line(run: RunFacts, times: Sequence[str], width: int) -> Text:
    """Return a progress bar with the number of ended trials, the elapsed and the remaining time.

    `━━━━━━━──────── 20 of 40 · 3:10 · about 4 min left`, in a terminal of `width` columns.
    """
    over = f" {run.trials_over} of {run.trials_total}"
    figures = " · ".join([over, *times])

    bar_width = min(width - _FIGURES_WIDTH, _WIDEST_BAR)
    bar_width = max(bar_width, _NARROWEST_BAR)
    done_width = bar_width * run.trials_over // max(run.trials_total, 1)
    bar = Text("━" * done_width, style="green")
    bar.append("─" * (bar_width - done_width), style="dim")
    return bar.append(figures, style="default")


def _last_line(summary: RunSummary, phase: RunPhase) -> Text:
    """Return the phase of the run, or the latest notice since the run was resumed.

    `2 notices, the latest: …`, or `stopping`.
    """
    is_working = phase is RunPhase.WORKING
    text = str(phase)
    notices = summary.notices[summary.earlier_notices :]
    if notices:
        latest = one_line(notices[-1])
        if is_working:
            text = f"{count_text(len(notices), 'notice')}, the latest: {latest}"
        elif phase in (RunPhase.SUBMITTING, RunPhase.SCORING):
            text = f"{phase}: {latest}"
    return Text(text, style="dim" if is_working else "bold")


_WIDTH_OF_ECHO: Final = len("^C")
"""The number of columns at the end of the last line that stay empty.

The terminal echoes Ctrl-C there, and a wrapped line would shift the picture.
"""
_WIDEST_PICTURE: Final = 100
_LINES_AROUND_TRIALS: Final = 7
"""The lines besides the trials.

Title, progress, figures, rejections, number of hidden trials, last line, and the cursor.
"""
_NAME_WIDTH: Final = 28
"""The width of a trial's name in columns."""


def live_display(run: Run) -> Live | None:
    """Return a context manager that draws a run on standard error.

    None if standard error is not a terminal, or cannot show such a picture.
    """
    console = CleanConsole(stderr=True, highlight=False)
    if not (
        console.is_interactive
        and sys.stderr.isatty()
        and console.encoding.startswith("utf")
    ):
        return None
    return live_picture(run, console)


def live_picture(run: Run, console: CleanConsole) -> Live:
    """Return a context manager that draws a run on a console, and erases the picture at the end."""

    def draw() -> Group:
        facts = run_facts(run.summary, run.journal.path)
        lines = picture(run.summary, facts, phase_of(run), now_ms(), console.size)
        return Group(*lines)

    return Live(
        console=console,
        get_renderable=draw,
        refresh_per_second=5,
        transient=True,
        redirect_stdout=sys.stdout.isatty(),
    )


def picture(
    summary: RunSummary,
    facts: RunFacts,
    phase: RunPhase,
    at_ms: int,
    window: ConsoleDimensions,
) -> list[Text]:
    """Return the lines of the picture at the time `at_ms`, cut to the size of the window."""
    width = min(window.width, _WIDEST_PICTURE)
    # A line without text stays empty, so that the other lines do not move.
    lines = [
        run_title(summary.opened) if summary.opened else Text(),
        _progress_line(facts, time_texts(summary, phase, at_ms), width),
        Text(" · ".join(facts.figure_texts)),
        _rejections_line(facts),
        *_trial_lines(summary.trials.running, at_ms, window.height),
        _last_line(summary, phase),
    ]
    # A text in the last column or the last row would make some terminals scroll.
    for line in lines:
        line.no_wrap = True
        line.truncate(width - 1, overflow="ellipsis")
    lines = lines[: max(window.height - 1, 1)]
    lines[-1].truncate(width - 1 - _WIDTH_OF_ECHO, overflow="ellipsis")
    return lines


def _rejections_line(run: RunFacts) -> Text:
    text = rejections_text(run.rejections) if run.rejections else ""
    return Text(text, style="yellow")


def _trial_lines(
    running: Sequence[TrialSummary], at_ms: int, window_height: int
) -> list[Text]:
    """Return the lines of the running trials that fit, and one that counts the others."""
    shown = running[: max(window_height - _LINES_AROUND_TRIALS, 0)]
    lines = [_trial_line(trial_facts(trial), at_ms) for trial in shown]
    others = len(running) - len(shown)
    text = f"  + {others} more running" if others else ""
    lines.append(Text(text, style="dim"))
    return lines


def _trial_line(trial: TrialFacts, at_ms: int) -> Text:
    """Return the line of a running trial.

    `  orders.3   step  4   1:20  runs a script    3 rows`
    """
    name = one_line(trial.task)[:_NAME_WIDTH]
    elapsed = clock_text((at_ms - trial.started_ms) / 1000)
    line = Text("  ").append(f"{name:<{_NAME_WIDTH}}", style="cyan")
    line.append(f" step {trial.current_step:>2} ")
    line.append(f"{elapsed:>6}  ", style="dim")
    line.append(one_line(trial.doing))
    printed_lines = trial.output.rstrip().splitlines()
    if printed_lines:
        line.append(f"  {one_line(printed_lines[-1])}", style="dim")
    return line

"""Draws a running run as lines of text: progress, figures, and one row for each running trial.

A row keeps its place until its trial is over, so that the eye can rest on it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from rich.text import Text

from controlplane.journal.run_summary import RunSummary, TrialSummary
from controlplane.view.display_text import (
    age_text,
    clock_text,
    count_text,
    one_line,
    score_text,
    spent_texts,
)
from controlplane.view.progress.run_phase import RunPhase
from controlplane.view.progress.time_left import time_left_s
from controlplane.view.report import rejections_text

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
    """What throttles the benchmark's calls."""

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
        for each in lines:
            each.no_wrap = True
            each.truncate(width - 1, overflow="ellipsis")
        lines = lines[: max(height - 1, 1)]
        lines[-1].truncate(width - 1 - ECHO, overflow="ellipsis")
        return lines

    def _take_rows(self, running: dict[str, TrialSummary], fitting: int) -> list[str]:
        """Give free rows to trials without one, in the order of their start; return the rows."""
        self.rows = [each if each in running else "" for each in self.rows]
        while self.rows and not self.rows[-1]:
            self.rows.pop()
        if len(self.rows) > fitting:
            kept = [each for each in self.rows if each]
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

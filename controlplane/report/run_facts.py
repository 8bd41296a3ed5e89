"""One run of a report, with everything that its part of the summary shows."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import fmean

from controlplane.comparison.resampling import Interval, mean_interval, scores_by_task
from controlplane.journal.run_summary import RunSummary
from controlplane.report.failure_groups import has_failed
from controlplane.report.repairs import Repairs, repairs_of
from controlplane.report.reported_trial import TrialFacts
from controlplane.report.step_costs import BarChart, StepMeans, step_means, time_chart, token_chart
from controlplane.view.display_text import one_line, sanitize


@dataclass(frozen=True, slots=True)
class RunFacts:
    """A run: what it was, its trials, and what they add up to."""

    label: str
    """What the report calls it: its name, else its id; no two are alike."""
    run: str
    benchmark: str
    model: str
    began: str
    status: str
    """Why its figures may not be final; empty if it finished."""
    notices: tuple[str, ...]
    settings: tuple[tuple[str, str, str], ...]
    """Name, value and source of each setting that is not the default."""
    versions: str
    trials: tuple[TrialFacts, ...]
    """Worst first."""
    mean: float | None
    """The mean score of its trials; None while none is known."""
    interval: Interval | None
    """That of the mean over its tasks."""
    tokens: int
    cost_usd: float | None
    retries: int
    wall_ms: int
    repairs: tuple[Repairs, ...]
    means: tuple[StepMeans, ...]
    tokens_by_step: BarChart | None
    time_by_step: BarChart | None

    @property
    def scored(self) -> int:
        """How many trials have a score."""
        return sum(1 for each in self.trials if each.summary.score is not None)

    @property
    def perfect(self) -> int:
        """How many trials scored 1."""
        return sum(1 for each in self.trials if each.summary.score is not None and each.summary.score >= 1)

    @property
    def failed(self) -> int:
        """How many trials failed."""
        return sum(1 for each in self.trials if has_failed(each))

    @property
    def own_answers(self) -> int:
        """How many trials ended with an answer of their own."""
        return sum(1 for each in self.trials if each.summary.state == "answered")

    @property
    def trial_ms(self) -> float:
        """What all trials took, one after another."""
        return sum(each.summary.elapsed_ms for each in self.trials)


def run_facts(summary: RunSummary, trials: list[TrialFacts], label: str, *, is_running: bool) -> RunFacts:
    """Return the facts of a run from its summary and its trials, worst first."""
    opened = summary.opened
    assert opened is not None
    means = step_means(trials)
    known = [each.summary.score for each in trials if each.summary.score is not None]
    return RunFacts(
        label=label,
        run=one_line(opened.run),
        benchmark=one_line(opened.played),
        model=one_line(opened.model) or "none",
        began=moment(opened.at_ms),
        status=_status(summary, is_running=is_running),
        notices=tuple(one_line(each) for each in dict.fromkeys(summary.notices)),
        settings=tuple(
            (each.name, sanitize(json.dumps(each.value, ensure_ascii=False)), each.source)
            for each in opened.settings
            if each.source != "default"
        ),
        versions=f"controlplane {one_line(opened.versions.controlplane)}, Python {one_line(opened.versions.python)}",
        trials=tuple(trials),
        mean=fmean(known) if known else None,
        interval=mean_interval([fmean(scores) for scores in scores_by_task(each.summary for each in trials).values()]),
        tokens=summary.tokens,
        cost_usd=summary.cost_usd,
        retries=summary.retries,
        wall_ms=max(summary.last_ms - (summary.began_ms or opened.at_ms), 0),
        repairs=tuple(repairs_of(trials)),
        means=tuple(means),
        tokens_by_step=token_chart(means),
        time_by_step=time_chart(means),
    )


def moment(at_ms: int) -> str:
    """Return a time as `2026-11-21 10:47 UTC`; empty if it is none."""
    try:
        return datetime.fromtimestamp(at_ms / 1000, tz=UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (OverflowError, ValueError, OSError):
        return ""


def _status(summary: RunSummary, *, is_running: bool) -> str:
    if is_running:
        return "The run is still going on: these are its figures so far."
    if summary.closed != "finished":
        error = f": {one_line(summary.error)}" if summary.error else ""
        return f"The run was {summary.closed or 'cut off'}{error}. {summary.left} of its trials are not over."
    if summary.submitted and summary.state != "evaluated" and len(summary.scores) < len(summary.trials):
        return "The scores are not out yet."
    return ""

"""Makes a `ShownRunResult` of a run: from the totals of its journal, or from any file in a folder of runs."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from controlplane.errors import ControlPlaneError, JournalDamaged
from controlplane.journal.journal_files import is_being_written, journal_id
from controlplane.journal.journal_reader import glance_at
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.journal.totals.trial_summary import stopped_calls
from controlplane.score_groups import scores_by_family
from controlplane.view.results.run_result import (
    DAMAGED,
    NO_JOURNAL,
    FamilyResult,
    ShownRunResult,
    role_results,
    sorted_counts,
)


def run_result(
    summary: RunSummary, journal: Path, error: Exception | None = None
) -> ShownRunResult:
    """Return the totals of the run whose journal is at `journal`, from its `summary`.

    `error` is the error that ended this process's work on the run; None if it ended without one, or
    the run was only read.
    """
    opened = summary.opened
    spent = summary.spent
    unscored = summary.trials.unscored
    families = {}
    for family in scores_by_family(summary.trials.values()):
        families[family.name] = FamilyResult(
            family.trials, family.mean, family.unscored
        )

    return ShownRunResult(
        run=journal_id(journal),
        name=opened.name if opened else "",
        run_id=summary.run_id,
        journal=str(journal),
        benchmark=opened.benchmark if opened else "",
        played=opened.played if opened else "",
        model=opened.model if opened else "",
        state=summary.state,
        submitted=summary.submitted,
        ended=_ended(summary, journal, error),
        score=summary.score,
        mean_score=summary.trials.mean_score,
        scale=list(summary.scale.recorded),
        metrics=summary.trials.metrics,
        trials_total=len(summary.trials),
        trials_over=summary.trials.over,
        trials_scored=len(summary.trials.scores),
        trials_unscored=sum(unscored.values()),
        unscored=unscored,
        families=families,
        tokens=spent.tokens,
        cost_usd=spent.cost_usd,
        cost_per_trial_usd=summary.cost_per_trial_usd,
        cost_per_right_usd=summary.cost_per_right_usd,
        unpriced_replies=spent.unpriced,
        cached_share=spent.cached_share,
        roles=role_results(summary.by_role),
        retries=summary.retries,
        cached_replies=summary.cached,
        rejections=sorted_counts(summary.rejections),
        overridden=sorted_counts(summary.overridden),
        # Calls that the benchmark's own check stopped, and calls that were held back
        # because an argument came from a text that is not trusted.
        stopped_calls=_stopped_calls_by("check", summary),
        held_calls=_stopped_calls_by("provenance", summary),
        last_event_ms=summary.process.last_ms,
        error=str(error or summary.process.error),
    )


def _stopped_calls_by(
    check: str, summary: RunSummary
) -> dict[str, dict[str, float | None]]:
    """Return the calls of a run that a check held back, as `ShownRunResult` has them."""
    calls: dict[str, dict[str, float | None]] = {}
    for group in stopped_calls(summary.trials.copied()):
        if group.stopped_by == check:
            calls[group.what_next] = {
                "calls": group.count,
                "mean_score": group.mean_score,
                "unscored": group.unscored,
            }
    return calls


def _ended(summary: RunSummary, journal: Path, error: Exception | None) -> str:
    """Return how a run ended, in one word; `running` if its journal is still being written."""
    if summary.process.ended:
        return summary.process.ended
    if error is not None:
        return "failed"
    if is_being_written(journal):
        return "running"
    return "cut off"


def run_result_of_file(journal: Path) -> ShownRunResult:
    """Return the totals of a journal. A file that cannot be read is `damaged` or `no journal`."""
    try:
        return run_result(glance_at(journal), journal)
    except JournalDamaged as error:
        ended = DAMAGED
        fault: Exception = error
    except ControlPlaneError as error:
        ended = NO_JOURNAL
        fault = error
    return dataclasses.replace(run_result(RunSummary(), journal, fault), ended=ended)

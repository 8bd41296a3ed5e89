"""Turns a run's result into the stable JSON that `--json` prints. docs/json.md describes every field."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path

from controlplane.journal.journal_file import how_ended, journal_id
from controlplane.journal.run_summary import RunSummary, Spent, TrialSummary


def run_object(summary: RunSummary, journal: Path, error: Exception | None = None) -> dict[str, object]:
    """Return the run as a whole, without its trials."""
    return {
        "run": journal_id(journal),
        "name": summary.opened.name if summary.opened else "",
        "run_id": summary.run_id,
        "journal": str(journal),
        "benchmark": summary.opened.benchmark if summary.opened else "",
        "played": summary.opened.played if summary.opened else "",
        "model": summary.opened.model if summary.opened else "",
        "state": summary.state,
        "submitted": summary.submitted,
        "ended": summary.closed or ("failed" if error else how_ended(journal, "")),
        "score": summary.score,
        "mean_score": summary.mean_score,
        "trials_total": len(summary.trials),
        "trials_over": summary.over,
        "trials_scored": len(summary.scores),
        "tokens": summary.tokens,
        "cost_usd": summary.cost_usd,
        "cost_per_trial_usd": summary.cost_per_trial_usd,
        "cost_per_right_usd": summary.cost_per_right_usd,
        "unpriced_replies": summary.spent.unpriced,
        "cached_share": summary.spent.cached_share,
        "roles": roles_object(summary.by_role),
        "retries": summary.retries,
        "cached_replies": summary.cached,
        "rejections": dict(sorted(summary.rejections.items())),
        "protests": dict(sorted(summary.protests.items())),
        "last_event_ms": summary.last_ms,
        "error": str(error or summary.error),
    }


def roles_object(by_role: Mapping[str, Spent]) -> dict[str, object]:
    """Return what the replies in each role took."""
    return {
        role: {"replies": each.replies, "tokens": each.tokens, "cost_usd": each.cost_usd}
        for role, each in sorted(by_role.items())
    }


def result_object(summary: RunSummary, journal: Path, error: Exception | None = None) -> dict[str, object]:
    """Return the run and each of its trials, in the order in which the benchmark allotted them."""
    repeated = {"pass_rates": _pass_rates(summary)}
    return {
        **run_object(summary, journal, error),
        **repeated,
        "trials": [trial_result(trial) for trial in summary.trials.values()],
    }


def _pass_rates(summary: RunSummary) -> list[dict[str, object]]:
    """Return pass@k and pass^k with their intervals; empty without repeats."""
    if len({trial.task_id for trial in summary.trials.values()}) == len(summary.trials):
        return []
    from controlplane.comparison.resampling import pass_rates, scores_by_task

    return [dataclasses.asdict(rate) for rate in pass_rates(scores_by_task(summary.trials.values()))]


def trial_result(trial: TrialSummary) -> dict[str, object]:
    """Return one trial."""
    return {
        "trial_id": trial.trial_id,
        "task_id": trial.task_id,
        "state": trial.state,
        "score": trial.score,
        "details": list(trial.details),
        "outcome": trial.outcome,
        "answer": trial.answer,
        "refs": list(trial.refs),
        "steps": trial.step,
        "elapsed_ms": trial.elapsed_ms,
        "tokens": trial.tokens,
        "cost_usd": trial.cost_usd,
        "cached_share": trial.spent.cached_share,
        "roles": roles_object(trial.by_role),
        "rejections": dict(sorted(trial.rejections.items())),
        "protests": dict(sorted(trial.protests.items())),
        "fallback_failed": list(trial.failed),
        "reason": trial.reason,
    }

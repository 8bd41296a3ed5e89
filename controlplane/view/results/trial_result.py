"""A trial as `--json`, exports and Python tables show it. docs/reference.md describes the form."""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.view.results.run_result import RoleResult, role_results, sorted_counts


@dataclass(frozen=True, slots=True)
class _StoppedCall:
    """A call that a check held back."""

    operation: str
    path: str
    then: str
    """What happened to the call afterwards, such as `repeated and sent`."""


@dataclass(frozen=True, slots=True)
class _TrialResult:
    """A trial as `--json`, exports and Python tables show it.

    The figures are explained at the field of the same name in `TrialSummary`.
    """

    trial_id: str
    task_id: str
    family: str
    world: int | None
    repeat: int
    state: str
    score: float | None
    unscored: str
    details: list[str]
    metrics: dict[str, float]
    outcome: str
    answer: str
    refs: list[str]
    steps: int
    elapsed_ms: float
    tokens: int
    cost_usd: float | None
    cached_share: float | None
    roles: dict[str, RoleResult]
    rejections: dict[str, int]
    """How often each gate and rule rejected an answer."""
    overridden: dict[str, int]
    """How often an answer was sent over the objection of each gate and rule."""
    stopped_calls: list[_StoppedCall]
    """The calls that the benchmark's pre-call check held back."""
    held_calls: list[_StoppedCall]
    """The calls that the setting `provenance` held back, because a value came from read text."""
    fallback_failed: list[str]
    """The gates and rules that had rejected the answer which was sent as the fallback.

    It was no accepted answer; one that was accepted over objections is in `overridden`.
    """
    reason: str
    """Why its solver gave no answer, or why it is open; empty otherwise."""


def trial_result(trial: TrialSummary) -> _TrialResult:
    """Return a trial as `--json` shows it, from its totals."""
    return _TrialResult(
        trial_id=trial.trial_id,
        task_id=trial.task_id,
        family=trial.family,
        world=trial.number,
        repeat=trial.repeat,
        state=trial.state,
        score=trial.score,
        unscored=trial.why_unscored,
        details=list(trial.details),
        metrics=dict(trial.metrics),
        outcome=trial.outcome,
        answer=trial.answer,
        refs=list(trial.refs),
        steps=trial.step,
        elapsed_ms=trial.elapsed_ms,
        tokens=trial.spent.tokens,
        cost_usd=trial.spent.cost_usd,
        cached_share=trial.spent.cached_share,
        roles=role_results(trial.by_role),
        rejections=sorted_counts(trial.rejections),
        overridden=sorted_counts(trial.overridden),
        stopped_calls=_calls_stopped_by("check", trial),
        held_calls=_calls_stopped_by("provenance", trial),
        fallback_failed=list(trial.failed),
        reason=trial.reason,
    )


def _calls_stopped_by(check: str, trial: TrialSummary) -> list[_StoppedCall]:
    """Return the calls of a trial that a check held back.

    `check`: "check" for the pre-call check, "provenance" for the check of where arguments
    come from.
    """
    calls = []
    for call, then in trial.stopped.items():
        if call.stopped_by == check:
            calls.append(_StoppedCall(call.operation, call.path, then))
    return calls

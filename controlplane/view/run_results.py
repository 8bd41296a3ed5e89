"""The objects that `--json` prints. Their form is stable, and docs/reference.md describes it."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from controlplane.errors import ControlPlaneError, JournalDamaged
from controlplane.journal.journal_files import is_being_written, journal_id
from controlplane.journal.journal_reader import glance_at
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.journal.totals.spending_totals import Spent
from controlplane.journal.totals.stopped_calls import stopped_calls
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.score_statistics import (
    pass_rates,
    scores_by_family,
    scores_by_world,
    tasks_without_score,
)
from controlplane.terminal_text import say


@dataclass(frozen=True, slots=True)
class RoleResult:
    """The tokens and cost of the replies in one role."""

    replies: int
    tokens: int
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class FamilyResult:
    """The trials of one family of tasks."""

    trials: int
    mean_score: float | None


@dataclass(frozen=True, slots=True)
class StoppedCall:
    """A call that a check held back."""

    operation: str
    path: str
    then: str
    """What happened to the call afterwards, such as `repeated and sent`."""


@dataclass(frozen=True, slots=True)
class TrialResult:
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
    stopped_calls: list[StoppedCall]
    """The calls that the benchmark's pre-call check held back."""
    held_calls: list[StoppedCall]
    """The calls that the setting `provenance` held back, because a value came from read text."""
    fallback_failed: list[str]
    """The gates and rules that had rejected the answer which was sent as the fallback."""
    reason: str
    """Why its solver gave no answer, or why it is open; empty otherwise."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """The totals of a run, as `--json` and the list of runs show them."""

    run: str
    """The id of its journal."""
    name: str
    """The user's name for the run; empty without one."""
    run_id: str
    """The benchmark's id of the run."""
    journal: str
    """The path of its journal."""
    benchmark: str
    played: str
    """The benchmark with its options."""
    model: str
    state: str
    """The state at its benchmark: `running`, `pending` or `evaluated`."""
    submitted: bool
    ended: str
    """The state of the journal: how the run ended here, such as `finished` or `cut off`."""
    score: float | None
    """The run's score as the benchmark reports it."""
    mean_score: float | None
    """The mean of the known scores of its trials."""
    metrics: dict[str, float]
    trials_total: int
    trials_over: int
    trials_scored: int
    families: dict[str, FamilyResult]
    tokens: int
    cost_usd: float | None
    cost_per_trial_usd: float | None
    cost_per_right_usd: float | None
    unpriced_replies: int
    cached_share: float | None
    roles: dict[str, RoleResult]
    retries: int
    cached_replies: int
    """The number of replies that came from the folder of the setting `cache`."""
    rejections: dict[str, int]
    """The counts of `TrialResult.rejections` over all trials; `overridden` likewise."""
    overridden: dict[str, int]
    stopped_calls: Mapping[str, Mapping[str, float | None]]
    """Calls that the pre-call check stopped, by what happened to them next.

    For example, `{"repeated and sent": {"calls": 3, "mean_score": 0.67}}`.
    """
    held_calls: Mapping[str, Mapping[str, float | None]]
    """The same for calls that the setting `provenance` held back."""
    last_event_ms: int
    error: str

    @property
    def is_readable(self) -> bool:
        """True if the file could be read as a journal."""
        return self.ended not in (DAMAGED, NO_JOURNAL)


# The values of `ended` for files that cannot be read as journals.
DAMAGED = "damaged"
NO_JOURNAL = "no journal"


def run_result(
    summary: RunSummary, journal: Path, error: Exception | None = None
) -> RunResult:
    """Return the totals of the run at `journal`. `error` is the error that ended its process."""
    opened = summary.opened
    spent = summary.spent
    families = {}
    for family in scores_by_family(summary.trials.values()):
        families[family.name] = FamilyResult(family.trials, family.mean)

    return RunResult(
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
        metrics=summary.trials.metrics,
        trials_total=len(summary.trials),
        trials_over=summary.trials.over,
        trials_scored=len(summary.trials.scores),
        families=families,
        tokens=spent.tokens,
        cost_usd=spent.cost_usd,
        cost_per_trial_usd=summary.cost_per_trial_usd,
        cost_per_right_usd=summary.cost_per_right_usd,
        unpriced_replies=spent.unpriced,
        cached_share=spent.cached_share,
        roles=_role_results(summary.by_role),
        retries=summary.retries,
        cached_replies=summary.cached,
        rejections=_by_name(summary.rejections),
        overridden=_by_name(summary.overridden),
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
    """Return the calls of a run that a check held back, as `RunResult` has them."""
    calls: dict[str, dict[str, float | None]] = {}
    for group in stopped_calls(summary.trials.copied()):
        if group.stopped_by == check:
            calls[group.what_next] = {
                "calls": group.count,
                "mean_score": group.mean_score,
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


def run_result_of_file(journal: Path) -> RunResult:
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


def trial_result(trial: TrialSummary) -> TrialResult:
    """Return a trial as `--json` shows it."""
    return TrialResult(
        trial_id=trial.trial_id,
        task_id=trial.task_id,
        family=trial.family,
        world=trial.number,
        repeat=trial.repeat,
        state=trial.state,
        score=trial.score,
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
        roles=_role_results(trial.by_role),
        rejections=_by_name(trial.rejections),
        overridden=_by_name(trial.overridden),
        stopped_calls=_calls_stopped_by("check", trial),
        held_calls=_calls_stopped_by("provenance", trial),
        fallback_failed=list(trial.failed),
        reason=trial.reason,
    )


def _calls_stopped_by(check: str, trial: TrialSummary) -> list[StoppedCall]:
    """Return the calls of a trial that a check held back.

    `check`: "check" for the pre-call check, "provenance" for the check of where arguments
    come from.
    """
    calls = []
    for call, then in trial.stopped.items():
        if call.stopped_by == check:
            calls.append(StoppedCall(call.operation, call.path, then))
    return calls


def _role_results(by_role: Mapping[str, Spent]) -> dict[str, RoleResult]:
    results = {}
    for role, spent in sorted(by_role.items()):
        results[role] = RoleResult(spent.replies, spent.tokens, spent.cost_usd)
    return results


def _by_name(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items()))


def _fields(record: Any) -> dict[str, object]:
    """Return the fields of a dataclass for `json.dumps`.

    `asdict` would copy all values as well, which takes most of the time.
    """
    return {
        field.name: getattr(record, field.name) for field in dataclasses.fields(record)
    }


def say_nothing_to_do(journal: Path, reason: str, *, as_json: bool) -> None:
    """Say why there is nothing to do for a run. With `as_json`, print its result, too."""
    say(reason, err=as_json)
    if as_json:
        print_result(glance_at(journal), journal)


def print_result(
    summary: RunSummary,
    journal: Path,
    error: Exception | None = None,
    **further: object,
) -> None:
    """Print the run and its trials as one JSON object, in the order of the journal.

    The trials are printed one by one, because a journal may have thousands.
    """
    trials = summary.trials.values()
    head = asdict(run_result(summary, journal, error))
    head |= further
    head["pass_rates"] = [asdict(rate) for rate in pass_rates(scores_by_world(trials))]
    head["without_score"] = list(tasks_without_score(trials))

    # {"run": …, "without_score": […], "trials": [{…}, {…}]}
    head_without_brace = json.dumps(head).removesuffix("}")
    print(f'{head_without_brace}, "trials": [', end="")
    for number, trial in enumerate(trials):
        if number > 0:
            print(", ", end="")
        print(json.dumps(trial_result(trial), default=_fields), end="")
    print("]}")

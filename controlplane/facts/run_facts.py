"""The facts of a run: from the totals of its journal, or from any file in a folder of runs.

A new fact of a run is a field of `RunFacts`, with its sentence.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from pathlib import Path

from controlplane.errors import ControlPlaneError, JournalDamaged
from controlplane.facts.fact_fields import Row, about
from controlplane.facts.trial_facts import role_results, sorted_counts
from controlplane.journal.journal_files import is_being_written, journal_id
from controlplane.journal.journal_reader import glance_at
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.journal.totals.trial_summary import stopped_calls
from controlplane.score_statistics import scores_by_family

# The values of `ended` for files that cannot be read as journals.
DAMAGED = "damaged"
NO_JOURNAL = "no journal"


@dataclass(frozen=True, slots=True)
class RunFacts:
    """The facts of a run, as JSON and the list of runs have them."""

    run: str = field(metadata=about("the journal's id"))
    name: str = field(metadata=about("the run's `--name`; may be empty"))
    run_id: str = field(
        metadata=about("the run's id at its benchmark; empty if it never started there")
    )
    journal: str = field(metadata=about("the path of the journal"))
    benchmark: str = field(metadata=about("the benchmark, as given to `--benchmark`"))
    played: str = field(
        metadata=about("the benchmark with its options, such as `ecom profile=hard`")
    )
    model: str = field(metadata=about("the model"))
    state: str = field(
        metadata=about(
            "the state that the benchmark last reported: `running`, `pending`, `evaluated`; "
            "empty before the run is submitted"
        )
    )
    submitted: bool = field(metadata=about("whether the run is submitted"))
    ended: str = field(
        metadata=about(
            "how the last process left the run: `finished`, `interrupted`, `limit reached`, "
            "`paused` (model, platform or disk), `failed`; `running` while a process works on "
            "it, `cut off` if that process is gone"
        )
    )
    score: float | None = field(
        metadata=about(
            "the benchmark's score of the run; until it has one, the mean of the known scores"
        )
    )
    mean_score: float | None = field(
        metadata=about("the mean of the known scores, over the tasks")
    )
    scale: list[float | None] = field(
        metadata=about(
            "the lowest and the highest score, `[0.0, 1.0]` unless the benchmark declares "
            "another; null for one without a bound"
        )
    )
    metrics: dict[str, float] = field(
        metadata=about("the means of the graders' further figures, by name")
    )
    trials_total: int = field(metadata=about("how many trials the run has"))
    trials_over: int = field(metadata=about("how many are finished"))
    trials_scored: int = field(metadata=about("how many have a score"))
    trials_unscored: int = field(
        metadata=about(
            "how many are over and will get none; `--fail-under` and `compare` count them as 0"
        )
    )
    unscored: dict[str, int] = field(
        metadata=about("why they have none: each reason with its number of trials")
    )
    families: dict[str, Row] = field(
        metadata=about(
            "for each family of tasks: `trials`, the `mean_score` of those with a score, and how "
            "many are over without one (`unscored`)"
        )
    )
    tokens: int = field(metadata=about("tokens of all requests, prompt and completion"))
    cost_usd: float | None = field(
        metadata=about(
            "the cost in US dollars; null if the price of a reply is unknown"
        )
    )
    cost_per_trial_usd: float | None = field(
        metadata=about("the cost for each finished trial")
    )
    cost_per_right_usd: float | None = field(
        metadata=about("the cost for each trial with the full score")
    )
    unpriced_replies: int = field(
        metadata=about("the number of replies of unknown price")
    )
    cached_share: float | None = field(
        metadata=about("the share of request tokens from the provider's prompt cache")
    )
    roles: dict[str, Row] = field(
        metadata=about(
            "`replies`, `tokens` and `cost_usd` of each [role](models.md#profiles-and-roles), "
            "and of small requests to find out [whether an endpoint refuses every "
            "trial](models.md#when-it-fails) (`check`)"
        )
    )
    retries: int = field(
        metadata=about("retries of model requests after transient failures")
    )
    cached_replies: int = field(
        metadata=about(
            "replies that came from the folder of `--cache`, and cost nothing"
        )
    )
    rejections: dict[str, int] = field(
        metadata=about(
            "how often each gate (`6`), rule (`6/wording`) and rule of a rule set "
            "(`ecom/checklist`) rejected an answer"
        )
    )
    overridden: dict[str, int] = field(
        metadata=about(
            "how often an answer was accepted over the objection of each rule"
        )
    )
    stopped_calls: dict[str, Row] = field(
        metadata=about(
            "what became of calls that the [pre-call check](toolkit.md#the-check-before-a-call) "
            "held (`not done`, `approved`, `repeated and sent`, `done otherwise`): `calls`, the "
            "`mean_score` of their trials, and how many are of trials without a score "
            "(`unscored`)"
        )
    )
    held_calls: dict[str, Row] = field(
        metadata=about(
            "the same, counted apart, for calls that the check of [provenance](provenance.md) "
            "held: one of their values comes only from text that the trial read, not from the "
            "request"
        )
    )
    last_event_ms: int = field(
        metadata=about(
            "the time of the journal's last event, in milliseconds since the epoch"
        )
    )
    error: str = field(
        metadata=about(
            "the error that ended the run's process; empty if there was none"
        )
    )

    @property
    def is_readable(self) -> bool:
        """True if the file could be read as a journal."""
        return self.ended not in (DAMAGED, NO_JOURNAL)


def run_facts(
    summary: RunSummary, journal: Path, error: Exception | None = None
) -> RunFacts:
    """Return the totals of the run whose journal is at `journal`, from its `summary`.

    `error` is the error that ended this process's work on the run; None if it ended without one, or
    the run was only read.
    """
    opened = summary.opened
    spent = summary.spent
    unscored = summary.trials.unscored
    families: dict[str, Row] = {}
    for family in scores_by_family(summary.trials.values()):
        families[family.name] = {
            "trials": family.trials,
            "mean_score": family.mean,
            "unscored": family.unscored,
        }

    return RunFacts(
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


def _stopped_calls_by(check: str, summary: RunSummary) -> dict[str, Row]:
    """Return the calls of a run that a check held back, as `RunFacts` has them."""
    calls: dict[str, Row] = {}
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


def run_facts_of_file(journal: Path) -> RunFacts:
    """Return the totals of a journal. A file that cannot be read is `damaged` or `no journal`."""
    try:
        return run_facts(glance_at(journal), journal)
    except JournalDamaged as error:
        ended = DAMAGED
        fault: Exception = error
    except ControlPlaneError as error:
        ended = NO_JOURNAL
        fault = error
    return dataclasses.replace(run_facts(RunSummary(), journal, fault), ended=ended)

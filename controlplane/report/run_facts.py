"""Facts of a report: what its summary shows of each trial and run, failures grouped by what the grader said, and what
each gate sent back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from statistics import fmean
from typing import Final

from agent.events import Judged, ModelReplied, StepDone, VerdictRecord
from controlplane.comparison.resampling import Interval, mean_interval, scores_by_task
from controlplane.journal.run_summary import RunSummary, TrialSummary
from controlplane.report.charts import StepMeans, step_means
from controlplane.report.trial_data import gate_label
from controlplane.view.display_text import ending_texts, one_line, sanitize


@dataclass(frozen=True, slots=True)
class StepCost:
    """Tokens and time of one step."""

    step: int
    prompt_tokens: int
    cached_tokens: int
    """Tokens of the prompt that a cache held."""
    completion_tokens: int
    model_ms: float
    script_ms: float


@dataclass(frozen=True, slots=True)
class TrialFacts:
    """One trial: its totals, its submissions and its steps' costs."""

    anchor: str
    """Where its page is: `trial-RUN-NUMBER`."""
    run: int
    """The place of its run among those of the report, from 0."""
    summary: TrialSummary
    question: str
    submissions: tuple[frozenset[str], ...]
    """Which gates and rules sent back each submission, by their labels; an empty one was accepted."""
    costs: tuple[StepCost, ...]
    protests: tuple[frozenset[str], ...] = ()
    """Which rules objected to each submission and rejected it no more, by their labels."""

    @property
    def times_sent_back(self) -> int:
        """Number of submissions that were sent back."""
        return sum(1 for submission in self.submissions if submission)

    @property
    def words(self) -> tuple[str, ...]:
        """How it ended without an answer of its own or against a rule, and what the grader said."""
        return (*ending_texts(self.summary), *self.summary.details)


def labels_by_submission(
    steps: Iterable[StepDone], labelled: Callable[[Judged], Iterable[VerdictRecord]]
) -> tuple[frozenset[str], ...]:
    """Return for each submission the labels of the gates and rules that `labelled` picks."""
    return tuple(frozenset(map(gate_label, labelled(judged))) for step in steps for judged in step.verdicts)


def costs_of(steps: Iterable[StepDone], replies: Mapping[int, Sequence[ModelReplied]]) -> tuple[StepCost, ...]:
    """Return what each step took; `replies` holds every reply of the model by step."""
    found = []
    for step in steps:
        told = replies.get(step.step, ())
        usages = [each.usage for each in told] or [step.usage]
        found.append(
            StepCost(
                step=step.step,
                prompt_tokens=sum(usage.prompt_tokens for usage in usages),
                cached_tokens=sum(usage.cached_tokens for usage in usages),
                completion_tokens=sum(usage.completion_tokens for usage in usages),
                model_ms=sum(each.elapsed_ms for each in told),
                script_ms=step.elapsed_ms,
            )
        )
    return tuple(found)


SILENT: Final = "the grader gave no reason"
_PATH: Final = r"(?<![\w/])/(?:[^\s,;:)]|[ ](?=[^,;:/]*[^\s,;:/]/))+"
"""A path; a space belongs to it if more of a path follows at once."""
_VARYING: Final = re.compile(
    rf"""'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|{_PATH}|(?<![\w.])[-+]?\d[\w.,:%-]*""",
)
_REPEATED: Final = re.compile(r"…(?:[\s,;]*(?:and )?…)+")
_LONGEST: Final = 160
"""Most characters of a group's title."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One trial in a group, with the grader's exact words."""

    trial: TrialFacts
    words: str


@dataclass(frozen=True, slots=True)
class FailureGroup:
    """Failures that were described alike."""

    title: str
    failures: tuple[Failure, ...]
    trials: tuple[int, ...]
    """Number of different trials of each run."""


def failure_groups(trials: Iterable[TrialFacts], runs: int) -> list[FailureGroup]:
    """Return the groups, the largest first. A trial with several faults is in several groups."""
    groups: dict[str, list[Failure]] = {}
    for trial in trials:
        if not has_failed(trial):
            continue
        for words in trial.words or (SILENT,):
            line = one_line(words)
            groups.setdefault(kind_of_fault(line), []).append(Failure(trial, line))
    found = [_group(title, failures, runs) for title, failures in groups.items()]
    return sorted(found, key=lambda each: (-sum(each.trials), each.title))


def has_failed(trial: TrialFacts) -> bool:
    """Say whether a trial scored less than 1, or gave no answer of its own; one that goes on or is sealed did not."""
    summary = trial.summary
    if summary.score is not None:
        return summary.score < 1
    return summary.is_over and summary.state != "answered"


def kind_of_fault(words: str) -> str:
    """Return the grader's words with an ellipsis for everything that differs from trial to trial."""
    title = _REPEATED.sub("…", _VARYING.sub("…", words))
    return title if len(title) <= _LONGEST else title[: _LONGEST - 1] + "…"


def _group(title: str, failures: list[Failure], runs: int) -> FailureGroup:
    anchors = {failure.trial.anchor: failure.trial.run for failure in failures}
    counts = tuple(sum(1 for run in anchors.values() if run == place) for place in range(runs))
    # One fault alone needs no ellipsis.
    return FailureGroup(failures[0].words if len(failures) == 1 else title, tuple(failures), counts)


@dataclass(slots=True)
class Repairs:
    """Rejections of one gate or rule, and what followed them."""

    label: str
    sent_back: int = 0
    """Submissions."""
    mended: int = 0
    """Rejected submissions whose next one it accepted."""
    repeated: int = 0
    """Rejected submissions whose next one it rejected again."""
    protested: int = 0
    """Rejected submissions whose next one it objected to without rejecting it."""
    trials: list[TrialFacts] = field(default_factory=list)
    """The trials, each once."""

    @property
    def given_up(self) -> int:
        """Submissions that no other followed."""
        return self.sent_back - self.mended - self.repeated - self.protested

    @property
    def outcome_texts(self) -> list[str]:
        """What followed the rejections, in words."""
        counted = (
            (self.mended, "mended"),
            (self.repeated, "sent back again"),
            (self.protested, "under protest"),
            (self.given_up, "without a next try"),
        )
        return [f"{count} {what}" for count, what in counted if count]

    @property
    def accepted(self) -> int:
        """Trials whose last submission was accepted."""
        return sum(1 for trial in self.trials if not trial.submissions[-1])

    @property
    def right(self) -> int:
        """Trials that scored 1 in the end."""
        return sum(1 for trial in self.trials if trial.summary.score is not None and trial.summary.score >= 1)

    @property
    def scored(self) -> int:
        """Trials whose score is known."""
        return sum(1 for trial in self.trials if trial.summary.score is not None)


def repairs_of(trials: Iterable[TrialFacts]) -> list[Repairs]:
    """Return what each gate and rule did, the one that sent back most often first."""
    found: dict[str, Repairs] = {}
    for trial in trials:
        for place, labels in enumerate(trial.submissions):
            following = trial.submissions[place + 1] if place + 1 < len(trial.submissions) else None
            for label in labels:
                repairs = found.setdefault(label, Repairs(label))
                repairs.sent_back += 1
                if following is not None:
                    is_protested = any(label in protests for protests in trial.protests[place + 1 : place + 2])
                    repairs.repeated += label in following
                    repairs.protested += is_protested
                    repairs.mended += label not in following and not is_protested
                if not repairs.trials or repairs.trials[-1] is not trial:
                    repairs.trials.append(trial)
    return sorted(found.values(), key=lambda each: (-each.sent_back, each.label))


@dataclass(frozen=True, slots=True)
class RunFacts:
    """A run: what it was, its trials, and what they add up to."""

    label: str
    """Its name in the report: the run's name, else its id; unique."""
    run: str
    benchmark: str
    model: str
    began: str
    status: str
    """The reason why its figures may not be final; empty if it finished."""
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

    @property
    def scored(self) -> int:
        """Number of trials with a score."""
        return sum(1 for trial in self.trials if trial.summary.score is not None)

    @property
    def perfect(self) -> int:
        """Number of trials that scored 1."""
        return sum(1 for trial in self.trials if trial.summary.score is not None and trial.summary.score >= 1)

    @property
    def failed(self) -> int:
        """Number of trials that failed."""
        return sum(1 for trial in self.trials if has_failed(trial))

    @property
    def own_answers(self) -> int:
        """Number of trials that ended with their own answer."""
        return sum(1 for trial in self.trials if trial.summary.state == "answered")

    @property
    def trial_ms(self) -> float:
        """Sum of the durations of all trials."""
        return sum(trial.summary.elapsed_ms for trial in self.trials)


def run_facts(summary: RunSummary, trials: list[TrialFacts], label: str, *, is_running: bool) -> RunFacts:
    """Return the facts of a run from its summary and its trials, worst first."""
    opened = summary.opened
    assert opened is not None
    known = [trial.summary.score for trial in trials if trial.summary.score is not None]
    return RunFacts(
        label=label,
        run=one_line(opened.run),
        benchmark=one_line(opened.played),
        model=one_line(opened.model) or "none",
        began=moment(opened.at_ms),
        status=_status(summary, is_running=is_running),
        notices=tuple(one_line(notice) for notice in dict.fromkeys(summary.notices)),
        settings=tuple(
            (setting.name, sanitize(json.dumps(setting.value, ensure_ascii=False)), setting.source)
            for setting in opened.settings
            if setting.source != "default"
        ),
        versions=f"controlplane {one_line(opened.versions.controlplane)}, Python {one_line(opened.versions.python)}",
        trials=tuple(trials),
        mean=fmean(known) if known else None,
        interval=mean_interval(
            [fmean(scores) for scores in scores_by_task(trial.summary for trial in trials).values()]
        ),
        tokens=summary.tokens,
        cost_usd=summary.cost_usd,
        retries=summary.retries,
        wall_ms=max(summary.last_ms - (summary.began_ms or opened.at_ms), 0),
        repairs=tuple(repairs_of(trials)),
        means=tuple(step_means(trials)),
    )


def moment(at_ms: int) -> str:
    """Return a time as `2026-11-21 10:47 UTC`; empty if it is out of range."""
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

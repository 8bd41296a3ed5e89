"""Facts of a report: the figures of each trial and run, failures grouped by the grader's words, rejections by gate,
mean tokens and time by step, and the heat map of tasks and runs.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from statistics import fmean
from typing import Final, NamedTuple

from agent.events import Judged, ModelReplied, StepDone, VerdictRecord
from controlplane.comparison.run_comparison import Interval, mean_interval, scores_by_task
from controlplane.journal.run_summary import RunSummary, TrialSummary
from controlplane.report.trial_data import gate_label
from controlplane.view.display_text import ending_texts, one_line


@dataclass(frozen=True, slots=True)
class StepFigures:
    """Tokens and seconds of one step, or their means over several trials."""

    step: int
    trials: int
    """Trials that reached the step."""
    fresh_tokens: float
    """Prompt tokens that no cache held."""
    cached_tokens: float
    completion_tokens: float
    model_s: float
    script_s: float

    @property
    def tokens(self) -> float:
        return self.fresh_tokens + self.cached_tokens + self.completion_tokens

    @property
    def seconds(self) -> float:
        return self.model_s + self.script_s


@dataclass(frozen=True, slots=True)
class TrialFacts:
    """One trial: its totals, its submissions and its steps' figures."""

    anchor: str
    """The anchor of its page: `trial-RUN-NUMBER`."""
    run: int
    """The index of its run in the report, from 0."""
    summary: TrialSummary
    question: str
    submissions: tuple[frozenset[str], ...]
    """Labels of the gates and rules that rejected each submission; empty if it was accepted."""
    steps: tuple[StepFigures, ...]
    protests: tuple[frozenset[str], ...] = ()
    """Labels of the rules that objected to each submission without rejecting it."""

    @property
    def times_sent_back(self) -> int:
        return sum(1 for submission in self.submissions if submission)

    @property
    def words(self) -> tuple[str, ...]:
        """The reasons for a missing answer, objections of rules, and the grader's words."""
        return (*ending_texts(self.summary), *self.summary.details)


def labels_by_submission(
    steps: Iterable[StepDone], labelled: Callable[[Judged], Iterable[VerdictRecord]]
) -> tuple[frozenset[str], ...]:
    """Return, for each submission, the labels of the verdicts that `labelled` picks."""
    return tuple(frozenset(map(gate_label, labelled(judged))) for step in steps for judged in step.verdicts)


def figures_of(steps: Iterable[StepDone], replies: Mapping[int, Sequence[ModelReplied]]) -> tuple[StepFigures, ...]:
    """Return the figures of each step; `replies` holds every reply of the model by step."""
    found = []
    for step in steps:
        told = replies.get(step.step, ())
        usages = [reply.usage for reply in told] or [step.usage]
        cached = sum(usage.cached_tokens for usage in usages)
        found.append(
            StepFigures(
                step=step.step,
                trials=1,
                fresh_tokens=max(sum(usage.prompt_tokens for usage in usages) - cached, 0),
                cached_tokens=cached,
                completion_tokens=sum(usage.completion_tokens for usage in usages),
                model_s=sum(reply.elapsed_ms for reply in told) / 1000,
                script_s=step.elapsed_ms / 1000,
            )
        )
    return tuple(found)


MEANS: Final = ("fresh_tokens", "cached_tokens", "completion_tokens", "model_s", "script_s")


def step_means(trials: Iterable[TrialFacts]) -> list[StepFigures]:
    """Return the means of each step over the trials that reached it, in order."""
    by_step: defaultdict[int, list[StepFigures]] = defaultdict(list)
    for trial in trials:
        for figures in trial.steps:
            by_step[figures.step].append(figures)
    return [
        StepFigures(step, len(told), *(fmean(getattr(one, name) for one in told) for name in MEANS))
        for step, told in sorted(by_step.items())
    ]


SILENT: Final = "the grader gave no reason"
_PATH: Final = r"(?<![\w/])/(?:[^\s,;:)]|[ ](?=[^,;:/]*[^\s,;:/]/))+"
"""A path; a space belongs to it if more of the path follows directly."""
_VARYING: Final = re.compile(
    rf"""'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|{_PATH}|(?<![\w.])[-+]?\d[\w.,:%-]*""",
)
_REPEATED: Final = re.compile(r"…(?:[\s,;]*(?:and )?…)+")
_LONGEST: Final = 160
"""Most characters of a group's title."""


@dataclass(frozen=True, slots=True)
class FailureGroup:
    """Failures with the same description."""

    title: str
    failures: tuple[tuple[TrialFacts, str], ...]
    """The trials, each with the grader's exact words."""
    trials: tuple[int, ...]
    """Number of distinct trials of each run."""


def failure_groups(trials: Iterable[TrialFacts], runs: int) -> list[FailureGroup]:
    """Return the groups, the largest first. A trial with several faults is in several groups."""
    groups: dict[str, list[tuple[TrialFacts, str]]] = {}
    for trial in filter(has_failed, trials):
        for line in map(one_line, trial.words or (SILENT,)):
            groups.setdefault(kind_of_fault(line), []).append((trial, line))
    found = []
    for title, failures in groups.items():
        places = Counter({trial.anchor: trial.run for trial, _ in failures}.values())
        shown = title if len(failures) > 1 else failures[0][1]  # A single fault needs no ellipsis.
        found.append(FailureGroup(shown, tuple(failures), tuple(places[run] for run in range(runs))))
    return sorted(found, key=lambda group: (-sum(group.trials), group.title))


def has_failed(trial: TrialFacts) -> bool:
    """Say whether a trial scored 0, or gave no answer of its own; running, cut-off and sealed trials have not failed.

    A score in between is an average, as of a plan that is played many times, and not a fault.
    """
    summary = trial.summary
    if summary.own_score is not None:
        return summary.own_score <= 0
    return summary.is_over and summary.state != "answered"


def is_average(trial: TrialFacts) -> bool:
    return trial.summary.score is not None and 0 < trial.summary.score < 1


def kind_of_fault(words: str) -> str:
    """Return the grader's words with an ellipsis for everything that varies between trials."""
    title = _REPEATED.sub("…", _VARYING.sub("…", words))
    return title if len(title) <= _LONGEST else title[: _LONGEST - 1] + "…"


@dataclass(slots=True)
class Repairs:
    """Rejections of one gate or rule, and their results."""

    label: str
    sent_back: int = 0
    """Submissions."""
    mended: int = 0
    """Rejections after which it accepted the next submission."""
    repeated: int = 0
    """Rejections after which it rejected the next submission too."""
    protested: int = 0
    """Rejections after which it objected to the next submission without rejecting it."""
    trials: list[TrialFacts] = field(default_factory=list)
    """The trials, each once."""

    @property
    def given_up(self) -> int:
        return self.sent_back - self.mended - self.repeated - self.protested

    @property
    def outcome_texts(self) -> list[str]:
        counted = (
            (self.mended, "mended"),
            (self.repeated, "sent back again"),
            (self.protested, "accepted despite it"),
            (self.given_up, "without a next try"),
        )
        return [f"{count} {what}" for count, what in counted if count]

    @property
    def accepted(self) -> int:
        """Trials whose last submission was accepted."""
        return sum(not trial.submissions[-1] for trial in self.trials)

    @property
    def right(self) -> int:
        """Trials that scored 1 in the end."""
        return sum(score >= 1 for score in _scores(self.trials))

    @property
    def scored(self) -> int:
        """Trials whose score is known."""
        return len(_scores(self.trials))


def repairs_of(trials: Iterable[TrialFacts]) -> list[Repairs]:
    """Return the repairs of each gate and rule, most rejections first."""
    found: dict[str, Repairs] = {}
    for trial in trials:
        for place, labels in enumerate(trial.submissions):
            following = slice(place + 1, place + 2)
            for label in labels:
                repairs = found.setdefault(label, Repairs(label))
                repairs.sent_back += 1
                is_repeated, is_protested = (
                    any(label in others for others in told[following]) for told in (trial.submissions, trial.protests)
                )
                repairs.repeated += is_repeated
                repairs.protested += is_protested
                repairs.mended += bool(trial.submissions[following]) and not (is_repeated or is_protested)
                if trial not in repairs.trials[-1:]:
                    repairs.trials.append(trial)
    return sorted(found.values(), key=lambda repairs: (-repairs.sent_back, repairs.label))


@dataclass(frozen=True, slots=True)
class RunFacts:
    """A run: its totals, its trials, and figures over them."""

    label: str
    """Its name in the report: the run's name, else its id; unique."""
    summary: RunSummary
    status: str
    """Why its figures may not be final; empty if the run finished."""
    trials: tuple[TrialFacts, ...]
    """Worst first."""
    interval: Interval | None
    """The interval of the mean score over its tasks."""
    repairs: tuple[Repairs, ...]
    means: tuple[StepFigures, ...]

    @property
    def perfect(self) -> int:
        """Number of trials that scored 1."""
        return sum(score >= 1 for score in self.summary.scores)

    @property
    def wall_ms(self) -> int:
        """Time from its start, or its latest resumption, to its last event."""
        return max(self.summary.last_ms - self.summary.began_ms, 0) if self.summary.began_ms else 0

    @property
    def trial_ms(self) -> float:
        return sum(trial.summary.elapsed_ms for trial in self.trials)


def run_facts(summary: RunSummary, trials: list[TrialFacts], label: str, *, is_running: bool) -> RunFacts:
    """Return the facts of a run from its summary and its trials, worst first."""
    means = [fmean(scores) for scores in scores_by_task(trial.summary for trial in trials).values()]
    status, repairs = _status(summary, is_running=is_running), repairs_of(trials)
    return RunFacts(
        label, summary, status, tuple(trials), mean_interval(means), tuple(repairs), tuple(step_means(trials))
    )


def _scores(trials: Iterable[TrialFacts]) -> list[float]:
    return [trial.summary.own_score for trial in trials if trial.summary.own_score is not None]


def moment(at_ms: int) -> str:
    """Return a time as `2026-11-21 10:47 UTC`; empty if it is out of range."""
    try:
        return datetime.fromtimestamp(at_ms / 1000, tz=UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (OverflowError, ValueError, OSError):
        return ""


def _status(summary: RunSummary, *, is_running: bool) -> str:
    if is_running:
        return "The run is still in progress: these are its figures so far."
    if summary.closed != "finished":
        error = f": {one_line(summary.error)}" if summary.error else ""
        return f"The run was {summary.closed or 'cut off'}{error}. {summary.left} of its trials are not over."
    if summary.submitted and summary.state != "evaluated" and len(summary.scores) < len(summary.trials):
        return "The scores are not out yet."
    return ""


RED, AMBER, GREEN = (220, 38, 38), (245, 158, 11), (22, 163, 74)


class HeatCell(NamedTuple):
    """A score as text and colour: red up to 0, amber at a half, green from 1, grey without a score."""

    text: str
    background: str


def heat_cell(score: float | None) -> HeatCell:
    """Return the cell of a score, clamped to 0 and 1."""
    if score is None:
        return HeatCell("n/a", "#f3f4f6")
    held = min(max(score, 0.0), 1.0)
    low, high, share = (RED, AMBER, held * 2) if held <= 0.5 else (AMBER, GREEN, held * 2 - 1)
    mixed = (round(a + (b - a) * share) for a, b in zip(low, high, strict=True))
    return HeatCell(f"{score:g}", "#" + "".join(f"{channel:02x}" for channel in mixed))


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One task: its tries by run, and whether they differ."""

    task: str
    cells: tuple[tuple[TrialFacts, ...], ...]

    @property
    def is_sealed(self) -> bool:
        """True if a try is over and no try has a score."""
        tries = self._tries
        return any(trial.is_over for trial in tries) and all(trial.score is None for trial in tries)

    @property
    def blinks(self) -> bool:
        """True if its tries scored differently, or, with sealed scores, ended differently."""
        if self.is_sealed:
            return len({trial.outcome or trial.state for trial in self._tries if trial.is_over}) > 1
        return len({trial.score for trial in self._tries if trial.score is not None}) > 1

    @property
    def agrees(self) -> bool:
        """True if scores are sealed and several tries ended alike."""
        return self.is_sealed and not self.blinks and sum(trial.is_over for trial in self._tries) > 1

    @property
    def _tries(self) -> list[TrialSummary]:
        return [trial.summary for cell in self.cells for trial in cell]


def task_rows(trials_by_run: Sequence[Sequence[TrialFacts]]) -> list[TaskRow]:
    """Return a row for each task of any run, by name."""
    cells: dict[str, list[list[TrialFacts]]] = {}
    for run, trials in enumerate(trials_by_run):
        for trial in trials:
            name = trial.summary.task_id or trial.summary.trial_id
            cells.setdefault(name, [[] for _ in trials_by_run])[run].append(trial)
    return [TaskRow(task, tuple(map(tuple, cells[task]))) for task in sorted(cells)]

"""The facts of a run: from the totals of its journal, or from any file in a folder of runs.

A new fact of a run is a field of `RunRow` or `RunFacts`, with its docstring. `KnownJournals` keeps the facts of
finished runs, so that a list of them reads each journal once.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Final, TypeAlias

from pydantic import BaseModel, ConfigDict

from controlplane.errors import ControlPlaneError, JournalDamaged
from controlplane.facts.trial_facts import (
    Row,
    TrialFacts,
    role_results,
    sorted_counts,
    trial_facts,
)
from controlplane.journal.journal_files import (
    is_being_written,
    journal_id,
    reading_faults,
)
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.run_events import RunOpened
from controlplane.journal.state_files import private_bytes, state_path
from controlplane.journal.totals.run_summary import RunSummary, remaining_s
from controlplane.journal.totals.trial_summary import (
    FAILED,
    RUNNING,
    TrialSummary,
    scores_by_task,
    scores_by_world,
    stopped_calls,
)
from controlplane.quantity_texts import score_text, spent_texts
from controlplane.rejection_counts import RejectionCounts, rejection_counts
from controlplane.sandbox.files import write_whole
from controlplane.score_scale import ROUNDING, ScoreScale
from controlplane.score_statistics import (
    FamilyScore,
    Interval,
    PassRates,
    flickering,
    mean_interval,
    pass_rates,
    scores_by_family,
    tasks_without_score,
)

_BY_RULES: Final = (
    "played by the built-in rule-based player; the score says nothing about a model"
)
_RECORDED: Final = (
    "played by a recorded model, whose replies are always the same; "
    "sandbox, gates and grader are at work"
)
_NO_MODELS: Final = {"": _BY_RULES, "baseline": _BY_RULES, "recorded": _RECORDED}
"""The values of `model` with which a benchmark plays itself, each with a remark on such scores."""

# The values of `ended` for files that cannot be read as journals.
DAMAGED = "damaged"
NO_JOURNAL = "no journal"


@dataclass(frozen=True, slots=True)
class RunRow:
    """The facts of a run that JSON has."""

    run: str
    """The journal's id."""
    name: str
    """The run's `--name`; may be empty."""
    run_id: str
    """The run's id at its benchmark; empty if it never started there."""
    journal: str
    """The path of the journal."""
    benchmark: str
    """The benchmark, as given to `--benchmark`."""
    played: str
    """The benchmark with its options, such as `ecom profile=hard`."""
    model: str
    """The model."""
    state: str
    """The state that the benchmark last reported: `running`, `pending`, `evaluated`; empty before
    the run is submitted."""
    submitted: bool
    """Whether the run is submitted."""
    ended: str
    """How the last process left the run: `finished`, `interrupted`, `limit reached`, `paused`
    (model, platform or disk), `failed`; `running` while a process works on it, `cut off` if that
    process is gone."""
    score: float | None
    """The benchmark's score of the run; until it has one, `mean_score`."""
    mean_score: float | None
    """The mean of the known scores, over the tasks."""
    scale: list[float | None]
    """The lowest and the highest score, `[0.0, 1.0]` unless the benchmark declares another; null for
    one without a bound."""
    metrics: dict[str, float]
    """The means of the graders' further figures over the tasks, by name."""
    trials_total: int
    """How many trials the run has."""
    trials_over: int
    """How many are finished."""
    trials_scored: int
    """How many have a score."""
    trials_unscored: int
    """How many are over and will get none; `--fail-under` and `compare` count them as 0."""
    unscored: dict[str, int]
    """Why they have none: each reason with its number of trials."""
    families: dict[str, Row]
    """For each family of tasks: `trials`, the `mean_score` over its tasks, and how many trials are
    over without a score (`unscored`)."""
    tokens: int
    """Tokens of all requests, prompt and completion."""
    cost_usd: float | None
    """The cost in US dollars; null if the price of a reply is unknown."""
    cost_per_trial_usd: float | None
    """The cost for each finished trial."""
    cost_per_right_usd: float | None
    """The cost for each trial with the full score."""
    unpriced_replies: int
    """The number of replies of unknown price."""
    cached_share: float | None
    """The share of request tokens from the provider's prompt cache."""
    roles: dict[str, Row]
    """`replies`, `tokens` and `cost_usd` of each [role](models.md#profiles-and-roles), and of small
    requests to find out [whether an endpoint refuses every trial](models.md#when-it-fails)
    (`check`)."""
    retries: int
    """Retries of model requests after transient failures."""
    cached_replies: int
    """Replies that came from the folder of `--cache`, and cost nothing."""
    rejections: dict[str, int]
    """How often each gate (`6`), rule (`6/wording`) and rule of a rule set (`ecom/checklist`)
    rejected an answer."""
    overridden: dict[str, int]
    """How often an answer was accepted over the objection of each rule."""
    stopped_calls: dict[str, Row]
    """What became of calls that the [pre-call check](toolkit.md#the-check-before-a-call) held (`not
    done`, `approved`, `repeated and sent`, `done otherwise`): `calls`, the `mean_score` over the
    tasks of their trials, and how many are of trials without a score (`unscored`)."""
    held_calls: dict[str, Row]
    """The same, counted apart, for calls that the check of [provenance](provenance.md) held: one of
    their values comes only from text that the trial read, not from the request."""
    last_event_ms: int
    """The time of the journal's last event, in milliseconds since the epoch."""
    error: str
    """The error that ended the run's process; empty if there was none."""


@dataclass(frozen=True, slots=True)
class RunFacts(RunRow):
    """The facts of a run, with those that only lists and pages show."""

    solver: str
    """The solver, as given to `--agent`; empty if it is not recorded."""
    question: str
    """The text of its only task, shortened; empty if it has several, or the task has not begun."""
    parts: str
    """The parts of the solver that the user switched on or off; empty for none."""
    remark: str
    """What its score does not say, as no model has played; empty for a model, and without one."""
    trials_running: int
    """How many of its trials a process is working on."""
    trials_answered: int
    """How many of its trials have an answer of the solver, not the fallback."""
    trials_right: int
    """How many of its trials are over and have the full score."""
    trials_fallback: int
    """How many are over without an answer of the solver, although they started."""
    trials_not_started: int
    """How many are over, because they could not start."""
    tries_differ: bool
    """True if some tasks have more known scores than others."""
    family_scores: tuple[FamilyScore, ...]
    """The families of its tasks, the worst first."""
    known_cost_usd: float
    """The cost of the replies whose price is known."""
    estimated_roles: tuple[str, ...]
    """The roles with tokens that are estimated, since their endpoints told none."""
    wall_ms: int
    """Milliseconds from the start of its last process to the last event."""
    interval: Interval | None
    """The mean score over its tasks, with its confidence interval. None without scores, and while
    the run is running, because computing it may be slow."""

    @property
    def interval_of_score(self) -> Interval | None:
        """The interval around `score`; None if that is a benchmark's own, which is no mean over tasks."""
        if self.score is None or self.mean_score is None:
            return None
        is_own = abs(self.score - self.mean_score) > ROUNDING
        return None if is_own else self.interval

    @property
    def is_readable(self) -> bool:
        """True if the file could be read as a journal."""
        return self.ended not in (DAMAGED, NO_JOURNAL)

    @property
    def scale_beside_mean(self) -> str:
        """Its scale of scores, such as `any number`; empty for the usual one, from 0 to 1."""
        scale = ScoreScale.from_recorded((self.scale[0], self.scale[1]))
        return str(scale) if scale.beside_mean else ""

    @property
    def mean_text(self) -> str:
        """Its mean score with its scale: `0.850`, `57.300 (scale: from 0 to 100)`."""
        scale = self.scale_beside_mean
        return score_text(self.mean_score, 3) + (f" (scale: {scale})" if scale else "")

    @property
    def trials_left(self) -> int:
        """How many of its trials are not over."""
        return self.trials_total - self.trials_over

    @property
    def spent_texts(self) -> list[str]:
        """Its tokens, cost and retries, as far as there are any."""
        is_estimated = bool(self.estimated_roles)
        return spent_texts(
            self.tokens, self.cost_usd, is_estimated=is_estimated, retries=self.retries
        )

    @property
    def figure_texts(self) -> list[str]:
        """What is shown of it while it runs: mean score, running trials, tokens, cost, retries."""
        texts = []
        if self.mean_score is not None:
            texts.append(f"mean score {self.mean_text}")
        if self.trials_unscored:
            texts.append(f"{self.trials_unscored:,} without a score")
        if self.trials_running:
            texts.append(f"{self.trials_running} running")
        return texts + self.spent_texts


def run_facts(
    summary: RunSummary, journal: Path, error: Exception | None = None
) -> RunFacts:
    """Return the totals of the run whose journal is at `journal`, from its `summary`.

    `error` is the error that ended this process's work on the run; None if it ended without one, or
    the run was only read.
    """
    opened = summary.opened
    spent = summary.spent
    trials = summary.trials
    unscored = trials.unscored
    mean_score = trials.mean_score
    family_scores = scores_by_family(trials.copied())
    families: dict[str, Row] = {}
    for family in family_scores:
        families[family.name] = {
            "trials": family.trials,
            "mean_score": family.mean,
            "unscored": family.unscored,
        }

    ended = _ended(summary, journal, error)
    solver = opened.setting("agent") if opened else ""
    parts = opened.setting("parts") if opened else ""
    remark = ""
    if opened and opened.model:  # It is empty if the solver asks no model.
        remark = _NO_MODELS.get(str(opened.setting("model") or ""), "")
    estimated = [
        role for role, part in sorted(summary.by_role.items()) if part.is_estimated
    ]
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
        ended=ended,
        score=mean_score if summary.run_score is None else summary.run_score,
        mean_score=mean_score,
        scale=list(summary.scale.recorded),
        metrics=trials.metrics,
        trials_total=len(trials),
        trials_over=trials.over,
        trials_scored=len(trials.scores),
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
        solver=str(solver or ""),
        question=_question(summary),
        parts=parts if isinstance(parts, str) else "",
        remark=remark,
        trials_running=trials.count(RUNNING),
        trials_answered=trials.count("answered"),
        trials_right=trials.full_scores,
        trials_fallback=trials.count("fallback", "unanswered"),
        trials_not_started=trials.count(FAILED),
        tries_differ=trials.tries_differ,
        family_scores=family_scores,
        known_cost_usd=spent.known_usd,
        estimated_roles=tuple(estimated),
        wall_ms=summary.process.wall_ms,
        interval=None if ended == "running" else score_interval(summary),
    )


@dataclass(frozen=True, slots=True)
class RunDetails:
    """A run with what its totals leave out: its trials, notices and settings.

    Each is read from the journal's totals when it is asked for, also while they grow.
    """

    facts: RunFacts
    summary: RunSummary
    """What its journal says, for the comparison with another run."""

    @property
    def opened(self) -> RunOpened | None:
        """The first event of its journal, which has its settings; None before it."""
        return self.summary.opened

    @property
    def began_ms(self) -> int:
        """The start of its last process, in milliseconds since 1970; 0 if it is not known."""
        return self.summary.process.began_ms

    @property
    def notices(self) -> tuple[str, ...]:
        """Its notices for the user."""
        return tuple(self.summary.notices)

    @property
    def new_notices(self) -> tuple[str, ...]:
        """Its notices since its last process began."""
        return self.notices[self.summary.earlier_notices :]

    @property
    def trials(self) -> Iterator[TrialFacts]:
        """Its trials, in the order of the journal."""
        return self._facts_of(self.summary.trials.copied())

    @property
    def worst_first(self) -> Iterator[TrialFacts]:
        """Its trials, the worst first."""
        return self._facts_of(self.summary.trials.worst_first)

    @property
    def running(self) -> Iterator[TrialFacts]:
        """The trials that a process is working on, in the order of their start."""
        return self._facts_of(self.summary.trials.running)

    def _facts_of(self, trials: Iterable[TrialSummary]) -> Iterator[TrialFacts]:
        for trial in trials:
            yield trial_facts(trial, is_submitted=self.facts.submitted)

    @property
    def pass_rates(self) -> tuple[PassRates, ...]:
        """How often the tasks with several tries pass, by the number of tries."""
        return pass_rates(scores_by_world(self.summary.trials.copied()))

    @property
    def flickers(self) -> tuple[str, ...]:
        """The tasks of which some tries pass and others fail."""
        return flickering(scores_by_world(self.summary.trials.copied()))

    @property
    def without_score(self) -> tuple[str, ...]:
        """The tasks that have no score, and are in no rate."""
        return tasks_without_score(self.summary.trials.copied())

    @property
    def gates(self) -> tuple[RejectionCounts, ...]:
        """What each gate, rule and check rejected, and how those trials ended."""
        return rejection_counts(self.summary.trials.values())

    @property
    def interval(self) -> Interval | None:
        """The mean score over its tasks, with its confidence interval; None without scores."""
        return self.facts.interval or score_interval(self.summary)

    def remaining_s(self, at_ms: int) -> float | None:
        """Return an estimate of the seconds that its trials still take; None if there is none."""
        return remaining_s(self.summary.trials.copied(), at_ms)


def run_details(
    summary: RunSummary, journal: Path, error: Exception | None = None
) -> RunDetails:
    """Return the run whose journal is at `journal`; `error` ended this process's work on it."""
    return RunDetails(run_facts(summary, journal, error), summary)


SHOWN_QUESTION_CHARS: Final = 200
"""A question is shown as a title with at most this many characters."""


def _question(summary: RunSummary) -> str:
    """Return the text of a run's only task; empty if it has several."""
    trials = summary.trials.copied()
    return trials[0].instruction[:SHOWN_QUESTION_CHARS] if len(trials) == 1 else ""


def score_interval(summary: RunSummary) -> Interval | None:
    """Return the mean score over the tasks of a run, with its confidence interval."""
    scores = scores_by_task(summary.trials.copied())
    return mean_interval([fmean(own_scores) for own_scores in scores.values()])


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


def facts_of_unreadable(journal: Path, error: ControlPlaneError) -> RunFacts:
    """Return the facts of a file that cannot be read: it is `damaged` or `no journal`."""
    ended = DAMAGED if isinstance(error, JournalDamaged) else NO_JOURNAL
    return dataclasses.replace(run_facts(RunSummary(), journal, error), ended=ended)


# The facts of the journals in a folder that were read before.

_KNOWN_FACTS: Final = "controlplane/lists/{}.json"
"""The file with the facts of a folder's journals, in the user's state folder."""
_MOST_KNOWN_BYTES: Final = 256 << 20


_FileState: TypeAlias = tuple[int, int, int, int]
"""What changes with a file: see `_state_of`."""


class _KnownFolder(BaseModel):
    """The facts of the journals of a folder, by the names of their files."""

    model_config = ConfigDict(extra="forbid", ser_json_inf_nan="constants")

    source_ns: int
    """The time of the last change of our source: another version may find other facts."""
    journals: dict[str, tuple[_FileState, RunFacts]] = {}
    """The facts of each journal that no process was writing, with the state of its file."""


class KnownJournals:
    """The facts of the journals of a folder that were read before.

    They are kept in the user's state folder, so that nobody else can forge them. A journal that has
    changed since, or is being written, is not among them.
    """

    def __init__(self, folder: Path) -> None:
        digest = hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()
        self.unsaved = 0
        """The number of journals whose facts were added since the last `save`."""
        self._folder = folder
        self._place = _KNOWN_FACTS.format(digest[:32])
        self._known = _KnownFolder(source_ns=_source_ns())
        with suppress(ValueError):  # It is missing, or of another version.
            text = private_bytes(self._place, _MOST_KNOWN_BYTES)
            known = _KnownFolder.model_validate_json(text)
            if known.source_ns == self._known.source_ns:
                self._known = known

    def facts_of(self, journal: Path) -> RunFacts | None:
        """Return the facts of a journal; None if it was not read before as it is now."""
        state, facts = self._known.journals.get(journal.name, (None, None))
        if facts is None or is_being_written(journal):
            return None
        with suppress(OSError):
            if state == _state_of(journal.stat()):
                # The folder may have been named otherwise then.
                return dataclasses.replace(facts, journal=str(journal))
        return None

    def add(self, journal: Path, status: os.stat_result, facts: RunFacts) -> None:
        """Add the facts of a journal, which was read after its file had this status."""
        # A name that is not UTF-8 cannot be written as JSON. Its journal is read every time.
        if facts.ended != "running" and journal.name.isprintable():
            known = (_state_of(status), facts)
            if self._known.journals.get(journal.name) != known:
                self._known.journals[journal.name] = known
                self.unsaved += 1

    def save(self) -> None:
        """Write the facts that were added, without those of journals that are gone."""
        if not self.unsaved:
            return
        self.unsaved = 0
        with suppress(OSError, RuntimeError):  # It only saves time.
            names = {path.name for path in self._folder.iterdir()}
            for name in self._known.journals.keys() - names:
                del self._known.journals[name]
            place = state_path(self._place, makes=True)
            write_whole(place, self._known.model_dump_json().encode(), mode=0o600)

    def read(self, journal: Path) -> RunFacts:
        """Return the facts of a journal, which is read if need be, or of a file that is none."""
        known = self.facts_of(journal)
        if known is not None:
            return known
        try:
            with reading_faults(journal):
                status = journal.stat()
            with open_journal(journal) as opened:
                facts = run_facts(opened.summary, journal)
        except ControlPlaneError as error:
            return facts_of_unreadable(journal, error)
        # What is left out of it is told each time.
        if not opened.unknown_types:
            self.add(journal, status, facts)
        return facts


def _state_of(status: os.stat_result) -> _FileState:
    """Return what changes with a file: its number, size, and times of change."""
    return (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _source_ns() -> int:
    """Return the time at which a module that reads or counts events was last changed or installed."""
    package = Path(__file__).parent.parent
    # `rglob` does not follow links, and `agent` may be one.
    modules = [*package.rglob("*.py"), *(package / "agent").rglob("*.py")]
    return max(module.stat().st_mtime_ns for module in modules)

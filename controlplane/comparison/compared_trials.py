"""The trials of a run as they are compared: its own, and those of its reruns in their place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from controlplane.comparison.resampling import scores_by_task
from controlplane.errors import UsageError
from controlplane.journal.journal_file import journal_id
from controlplane.journal.journal_index import glance_at
from controlplane.journal.run_events import RunOpened, Versions
from controlplane.journal.run_summary import RunSummary, TrialSummary


@dataclass(frozen=True, slots=True)
class ComparedTrial:
    """One trial with the number of its try, which with the seed names its world."""

    run: str
    """The id of the journal that holds it."""
    number: int
    """Its number among its task's tries, from 0."""
    summary: TrialSummary
    copy: int = 0
    """Its number among the tries in its world, from 0: those of a fork share the world of the trial that they left."""

    @property
    def world(self) -> tuple[str, int]:
        """Its world, given the seed: its task and the number of the try."""
        return self.task, self.number

    @property
    def task(self) -> str:
        """The task, or the trial where the task is not known."""
        return self.summary.task_id or self.summary.trial_id

    @property
    def score(self) -> float | None:
        """The grader's score; None is sealed or missing."""
        return self.summary.score


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """One run, with its reruns if they were named beside it."""

    name: str
    """The user's name for it, or its id."""
    paths: tuple[Path, ...]
    opened: RunOpened
    trials: tuple[ComparedTrial, ...]
    is_sealed: bool = False
    """Its scores are not out."""
    notes: tuple[str, ...] = field(default=())

    @property
    def versions(self) -> Versions:
        """Versions that the run used."""
        return self.opened.versions

    def setting(self, name: str) -> object:
        """Return the value of a setting; None if it is not recorded."""
        return next((setting.value for setting in self.opened.settings if setting.name == name), None)

    @property
    def unfinished(self) -> int:
        """Number of its trials that have begun and are not over, or that have not begun."""
        return sum(not trial.summary.is_over for trial in self.trials)

    @property
    def scores_by_task(self) -> dict[str, list[float]]:
        """The known scores of each task that has one."""
        return scores_by_task(trial.summary for trial in self.trials)


def numbered(summary: RunSummary, run: str) -> list[ComparedTrial]:
    """Return the trials of a journal, each with the number of its try: the recorded one, else its place."""
    seen: Counter[str] = Counter()
    found = []
    for trial in summary.trials.values():
        task = trial.task_id or trial.trial_id
        found.append(ComparedTrial(run, seen[task] if trial.number is None else trial.number, trial))
        seen[task] += 1
    return found


def compared_run(paths: Sequence[Path]) -> ComparedRun:
    """Read the run of the first path; the others are reruns whose trials take the place of its own, the last one wins.

    Raises `NotAJournal`, `JournalDamaged`, and `UsageError` if one of the others is no rerun of those before it.
    """
    first, *others = [(path, glance_at(path, at_trials=True)) for path in paths]
    path, summary = first
    assert summary.opened is not None
    trials = {(*compared.world, compared.copy): compared for compared in _in_their_worlds(summary, journal_id(path))}
    known = {summary.opened.run, journal_id(path)}
    is_sealed = _is_sealed([summary])
    for rerun_path, rerun in others:
        assert rerun.opened is not None
        parent = rerun.opened.parent
        if parent is None or parent.how != "rerun" or parent.run not in known:
            msg = f"{journal_id(rerun_path)} is no rerun of {journal_id(path)}, so the two cannot be taken as one run"
            raise UsageError(msg)
        known |= {rerun.opened.run, journal_id(rerun_path)}
        trials |= {(*each.world, 0): each for each in numbered(rerun, journal_id(rerun_path))}
        is_sealed = is_sealed or _is_sealed([rerun])
    name = "+".join(each.opened.name or journal_id(where) for where, each in (first, *others) if each.opened)
    return ComparedRun(name, tuple(paths), summary.opened, tuple(trials.values()), is_sealed)


def _in_their_worlds(summary: RunSummary, run: str) -> list[ComparedTrial]:
    found = numbered(summary, run)
    parent = summary.opened.parent if summary.opened else None
    if parent is None or parent.how != "fork":
        return found
    return [replace(each, number=found[0].number, copy=at) for at, each in enumerate(found)]


def _is_sealed(summaries: Iterable[RunSummary]) -> bool:
    return any(trial.score is None and trial.state == "answered" for run in summaries for trial in run.trials.values())

"""A run for a comparison: its trials, some of them replaced by the trials of reruns.

`controlplane compare RUN RUN+RERUN` names two runs. The second is `RUN` with the trials
that `RERUN` played again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from controlplane.errors import UsageError
from controlplane.journal.journal_files import journal_id
from controlplane.journal.journal_reader import glance_at
from controlplane.journal.run_events import RunOpened
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.score_scale import UNIT_SCALE, ScoreScale


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """A run with the reruns that are named together with it."""

    name: str
    """The user's name for the run, or its id, followed by those of reruns: `before+again`."""
    path: Path
    """The path of the journal of the run itself."""
    opened: RunOpened
    trials: tuple[TrialSummary, ...]
    scale: ScoreScale = UNIT_SCALE
    """The lowest and the highest score."""


def compared_run(paths: Sequence[Path]) -> ComparedRun:
    """Read a run from its journal (the first path) and its reruns from theirs.

    A trial of a rerun replaces the run's trial, and a later rerun replaces an earlier
    one. Each rerun has to be one of the run itself or of a rerun before it.

    Raises `NotAJournal` and `JournalDamaged`, and `UsageError` for a path whose journal
    is not such a rerun.
    """
    journals = []
    for path in paths:
        journals.append((path, glance_at(path)))
    return run_with_reruns(journals)


def run_with_reruns(journals: Sequence[tuple[Path, RunSummary]]) -> ComparedRun:
    """Return the run of the first journal with its reruns, as `compared_run` does."""
    (path, summary), *reruns = journals
    assert summary.opened is not None
    names = [summary.opened.name or journal_id(path)]
    # A rerun names its parent by the id of the parent's journal. That follows from the name of the
    # file, which the user may have changed since; the id in the journal stays.
    known_runs = {summary.opened.run, journal_id(path)}
    trials = _by_try(_numbered_tries(summary))

    for rerun_path, rerun in reruns:
        assert rerun.opened is not None
        parent = rerun.opened.parent
        if parent is None or parent.how != "rerun" or parent.run not in known_runs:
            msg = (
                f"{journal_id(rerun_path)} is not a rerun of {journal_id(path)}, "
                "so the two cannot be taken as one run"
            )
            raise UsageError(msg)
        names.append(rerun.opened.name or journal_id(rerun_path))
        known_runs |= {rerun.opened.run, journal_id(rerun_path)}
        trials.update(_by_try(_numbered_tries(rerun)))

    return ComparedRun(
        "+".join(names), path, summary.opened, tuple(trials.values()), summary.scale
    )


def numbered(summary: RunSummary) -> list[TrialSummary]:
    """Return the trials of a journal, each with the number of its world.

    If no number is recorded, the trials of a task are numbered 0, 1, 2 in their order.
    """
    trials_of_task = Counter[str]()
    trials = []
    for trial in summary.trials.values():
        number = trial.number
        if number is None:
            number = trials_of_task[trial.task]
        trials.append(replace(trial, number=number))
        trials_of_task[trial.task] += 1
    return trials


def _numbered_tries(summary: RunSummary) -> list[TrialSummary]:
    """Return the trials of a run, each with the numbers of its world and of its try there.

    All trials of a fork continue the same recorded trial, so they are tries in one
    world. If its journal does not number the tries, they are numbered here.
    """
    trials = numbered(summary)
    parent = summary.opened.parent if summary.opened else None
    is_fork = parent is not None and parent.how == "fork"
    has_recorded_tries = any(trial.repeat for trial in trials)
    if not is_fork or has_recorded_tries:
        return trials

    world = trials[0].number
    tries = []
    for number, trial in enumerate(trials):
        tries.append(replace(trial, number=world, repeat=number))
    return tries


def _by_try(trials: Sequence[TrialSummary]) -> dict[tuple[str, int, int], TrialSummary]:
    """Return the trials by task, number of the world, and number of the try in that world.

    `{("orders.3", 0, 1): …}` is the second try of a task in its first world.
    """
    by_try = {}
    for trial in trials:
        task, world_number = trial.world
        by_try[task, world_number, trial.repeat] = trial
    return by_try

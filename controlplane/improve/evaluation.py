"""Plays candidates on worlds: each seed is a run on the control plane, with its own journal, which is never paid twice.

A journal of an evaluation is named by candidate, seed and tasks. A finished one is read, an unfinished one goes on.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Final

from controlplane.configuration.run_settings import AUTOMATIC, THREADS, RunSettings
from controlplane.improve.candidates import CandidateStore, EditedFile, Texts, id_of
from controlplane.journal.journal_content import Journal, open_journal
from controlplane.journal.journal_index import glance_at
from controlplane.journal.run_summary import TrialSummary

RUNS_AT_ONCE: Final = 8
"""Worlds that are played side by side; trials within them share the run's concurrency."""


@dataclass(frozen=True, slots=True, order=True)
class Instance:
    """One task in the world of one seed."""

    seed: int
    task: str


@dataclass(frozen=True, slots=True)
class Played:
    """One instance as a candidate played it."""

    instance: Instance
    score: float
    """0 if the trial has no score: it broke, or ended without an answer."""
    tokens: int
    cost_usd: float | None
    steps: int
    journal: Path
    trial_id: str


@dataclass(frozen=True, slots=True)
class WorldRun:
    """One run to play: the tasks of one seed, under a candidate's settings."""

    settings: RunSettings
    tasks: tuple[str, ...]
    journal: Path
    """Where its journal is, or will be."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What the evaluations of a loop have cost."""

    cost_usd: float | None
    """None if the price of a reply is unknown."""
    tokens: int


class Evaluation:
    """Plays the candidates of one loop."""

    def __init__(
        self,
        folder: Path,
        settings: RunSettings,
        store: CandidateStore,
        files: Sequence[EditedFile],
        conduct_worlds: Callable[[Sequence[WorldRun]], None],
    ) -> None:
        """`conduct_worlds` plays the runs side by side to their end; it raises `ControlPlaneError`."""
        self._folder = folder
        self._settings = settings
        self.store = store
        self._files = files
        self._conduct_worlds = conduct_worlds
        self.caps: Callable[[int], dict[str, float | int | None]] = lambda runs: {}
        """Returns what is left of the loop's limits for each of so many runs, as settings of a run."""

    def play(self, texts: Texts, instances: Iterable[Instance]) -> list[Played]:
        """Return the results of a candidate on these instances, in their order.

        Raises `BudgetExhausted` and `Interrupted`, with everything that was played kept in its journals.
        """
        wanted = list(instances)
        tasks_of, journals = self._worlds_of(texts, wanted)
        left = [seed for seed, path in journals.items() if not _is_finished(path)]
        for start in range(0, len(left), RUNS_AT_ONCE):
            chunk = left[start : start + RUNS_AT_ONCE]
            self._conduct(texts, [(seed, tasks_of[seed], journals[seed]) for seed in chunk])
        return _results(wanted, journals)

    def finished(self, texts: Texts, instances: Sequence[Instance]) -> list[Played] | None:
        """Return the results of a candidate that has played all of these instances; None if it has not."""
        _, journals = self._worlds_of(texts, instances)
        return _results(instances, journals) if all(map(_is_finished, journals.values())) else None

    def spent(self) -> Spent:
        """Return the cost and tokens of all evaluations so far."""
        costs: list[float | None] = []
        tokens = 0
        for path in self._folder.glob("*.jsonl"):
            summary = glance_at(path)
            costs.append(summary.cost_usd)
            tokens += summary.tokens
        return Spent(None if None in costs else math.fsum(cost for cost in costs if cost is not None), tokens)

    def _worlds_of(self, texts: Texts, instances: Iterable[Instance]) -> tuple[dict[int, list[str]], dict[int, Path]]:
        """Return the tasks of each seed, and the journal of each seed's run."""
        tasks_of: dict[int, list[str]] = {}
        for instance in instances:
            tasks_of.setdefault(instance.seed, []).append(instance.task)
        return tasks_of, {seed: self._journal_of(texts, seed, tasks) for seed, tasks in tasks_of.items()}

    def _journal_of(self, texts: Texts, seed: int, tasks: Sequence[str]) -> Path:
        digest = hashlib.sha256("\0".join(sorted(tasks)).encode()).hexdigest()[:8]
        return self._folder / f"{id_of(texts)}-s{seed}-{digest}.jsonl"

    def _conduct(self, texts: Texts, worlds: Sequence[tuple[int, Sequence[str], Path]]) -> None:
        own = self.store.settings_of(texts, self._settings, self._files)
        shared = {
            "concurrency": max(self._settings.concurrency // len(worlds), 1),
            "workers": THREADS if self._settings.workers == AUTOMATIC else self._settings.workers,
            "limit": None,
            "repeats": 1,
            "runs_dir": str(self._folder),
            **self.caps(len(worlds)),
        }
        self._conduct_worlds(
            [
                WorldRun(
                    RunSettings.model_validate(
                        own.model_dump() | shared | {"seed": seed, "name": f"candidate {id_of(texts)}, seed {seed}"}
                    ),
                    tuple(tasks),
                    path,
                )
                for seed, tasks, path in worlds
            ]
        )


def _is_finished(path: Path) -> bool:
    return path.exists() and glance_at(path).submitted


def _results(instances: Sequence[Instance], journals: Mapping[int, Path]) -> list[Played]:
    played: dict[Instance, Played] = {}
    for seed, path in journals.items():
        for trial in glance_at(path, at_trials=True).trials.values():
            one = _played(Instance(seed, trial.task_id or trial.trial_id), trial, path)
            played[one.instance] = one
    return [played[instance] for instance in instances]


def _played(instance: Instance, trial: TrialSummary, path: Path) -> Played:
    score = trial.own_score if trial.own_score is not None else 0.0
    return Played(instance, score, trial.tokens, trial.cost_usd, trial.steps_done, path, trial.trial_id)


def journals_of(played: Iterable[Played]) -> Iterator[tuple[Journal, list[Played]]]:
    """Yield each journal with the results that it holds; it is open until the next one."""
    by_journal: dict[Path, list[Played]] = {}
    for one in played:
        by_journal.setdefault(one.journal, []).append(one)
    for path, results in by_journal.items():
        with open_journal(path) as journal:
            yield journal, results


def mean_score(played: Sequence[Played]) -> float:
    """Return the mean score of results; 0 for none."""
    return fmean(one.score for one in played) if played else 0.0


def mean_tokens(played: Sequence[Played]) -> float:
    """Return the mean tokens of a trial; 0 for none."""
    return fmean(one.tokens for one in played) if played else 0.0

"""Plays the candidates of an improvement loop.

A candidate is a new version of the files that the loop may change, such as prompts: its
`texts`, by names such as `prompts/system.md`. To play it is to conduct one run with these files,
whose journal then holds its results.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from controlplane.benchmark import TaskTry
from controlplane.configuration.folder_imports import pin_modules
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import BudgetExhausted
from controlplane.improving.candidates.candidate_files import (
    candidate_folder,
    candidate_settings,
)
from controlplane.improving.candidates.candidate_id import Texts, id_of
from controlplane.improving.loop_budget import LoopBudget
from controlplane.improving.loop_lines import Instance
from controlplane.improving.loop_record import LoopRecord
from controlplane.journal.totals.trial_summary import TrialSummary


class ConductRun(Protocol):
    """A function that plays a run of `tries` to its end."""

    def __call__(
        self, settings: RunSettings, tries: tuple[TaskTry, ...], journal: Path
    ) -> None:
        """Play the run, and record it in `journal`. Raises `ControlPlaneError`."""


class CandidatePlayer:
    """Plays candidates. A candidate that has already played the same worlds is not played again."""

    def __init__(
        self,
        record: LoopRecord,
        settings: RunSettings,
        budget: LoopBudget,
        conduct_run: ConductRun,
    ) -> None:
        self._record = record
        self._settings = settings
        self._budget = budget
        self._conduct_run = conduct_run

    def play(self, texts: Texts, instances: Sequence[Instance]) -> list[TrialSummary]:
        """Return a candidate's results on these instances, in their order.

        An instance, such as `(17, "loans.3")`, is a task in the world of this number. The run's
        results are read from its journal. Raises `BudgetExhausted` and `Interrupted`; after that,
        another call with the same arguments continues from the journal.
        """
        candidate = id_of(texts)
        results = self._record.journals.results(candidate, instances)
        if results is not None:
            return results
        if self._budget.is_used_up():
            msg = "the loop has spent its limits"
            raise BudgetExhausted(msg)

        journal = self._record.journals.path_of(candidate, instances)
        folder = candidate_folder(self._record.folder, texts)
        changes = self._changes(candidate, journal)
        origins = self._record.plan.origins
        settings = candidate_settings(self._settings, changes, texts, origins, folder)
        # If modules are among its files, such as a changed solver, the run has to import these and
        # not the originals.
        pin_modules(_modules_of(texts), folder)
        # Each instance is played once, even if it is listed twice.
        tries = [TaskTry(task, number) for number, task in dict.fromkeys(instances)]
        self._conduct_run(settings, tuple(tries), journal)

        results = self._record.journals.results(candidate, instances)
        assert results is not None
        return results

    def _changes(self, candidate: str, journal: Path) -> dict[str, object]:
        """Return the settings in which a candidate's run differs from the loop.

        The run may spend what is left to the loop. If it is resumed, its limits also count what
        it spent before: with 3 USD left and 1 USD spent before, its limit is 4 USD. Time is not
        added, since each process counts it from 0.
        """
        changes: dict[str, object] = {
            "limit": None,
            "repeats": 1,
            "runs_dir": str(journal.parent),
            "name": f"candidate {candidate}",
        }
        spent = self._record.journals.summary_of(journal).spent
        spent_before = {"run_cost": spent.known_usd, "max_tokens_run": spent.tokens}
        for name, amount in self._budget.remaining().items():
            changes[name] = amount + spent_before.get(name, 0)
        return changes


def _modules_of(texts: Texts) -> set[str]:
    """Return the top-level modules and packages among a candidate's files.

    `{"solver.py": …, "tools/read.py": …, "hints": …}` -> `{"solver", "tools"}`
    """
    modules = set()
    for name in texts:
        if name.endswith(".py"):
            modules.add(Path(name).parts[0].removesuffix(".py"))
    return modules

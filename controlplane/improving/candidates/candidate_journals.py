"""The runs in which the candidates of a loop have played, and their results.

Each candidate plays some instances, such as `(17, "loans.3")` for a task in the world of this
number, in a run of its own. The run's journal is the memory of a loop: a loop that was killed
finds there which results it has already.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from statistics import fmean

from controlplane.errors import NotAJournal, UsageError
from controlplane.improving.loop_lines import Instance
from controlplane.journal.journal_reader import Journal
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.journal.totals.spending_totals import Spent, total
from controlplane.journal.totals.trial_summary import TrialSummary


class CandidateJournals:
    """The journals of the candidates' runs, which are in one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ended_runs: dict[Path, RunSummary] = {}
        """The totals of runs that have ended, so that their journals are read once."""

    def path_of(self, candidate: str, instances: Sequence[Instance]) -> Path:
        """Return the path of the journal in which a candidate plays these instances.

        The name is a hash of the instances. So a resumed loop finds the run, and does not
        play it again.
        """
        digest = hashlib.sha256(repr(sorted(set(instances))).encode()).hexdigest()
        return self._folder / f"{candidate}-{digest[:8]}.jsonl"

    def results(
        self, candidate: str, instances: Sequence[Instance]
    ) -> list[TrialSummary] | None:
        """Return a candidate's results on these instances, in order; None if some are missing."""
        summary = self.summary_of(self.path_of(candidate, instances))
        # A run is submitted to its benchmark as its last step, when all its trials have ended.
        if not summary.submitted:
            return None
        trial_of_instance = {}
        for trial in summary.trials.values():
            trial_of_instance[trial.number, trial.task_id] = trial
        return [trial_of_instance[instance] for instance in instances]

    def spent(self) -> Spent:
        """Return the total spending of all runs."""
        return total(
            self.summary_of(path).spent for path in self._folder.glob("*.jsonl")
        )

    def summary_of(self, path: Path) -> RunSummary:
        """Return the totals of a journal; empty ones if it does not exist.

        Raises `UsageError` for a journal that this user has not written: a candidate is chosen
        by its results, which somebody else could have made up.
        """
        if path in self._ended_runs:
            return self._ended_runs[path]
        if not path.exists():
            return RunSummary()
        summary = _summary_in(path)
        if summary.submitted:
            self._ended_runs[path] = summary
        return summary


def _summary_in(path: Path) -> RunSummary:
    """Read a journal, and return its totals. Raises `UsageError` if it is not the user's own."""
    with Journal(path) as journal:
        # The first line is incomplete if the process was killed at the beginning.
        with suppress(NotAJournal):
            journal.read()
        is_foreign = journal.whole_lines > 0 and not journal.is_own
        if is_foreign:
            msg = (
                f"{path}: {journal.fault_of_marks}, so the loop cannot go on from it; "
                "delete it to play it again"
            )
            raise UsageError(msg)
        return journal.summary


def loop_score(trial: TrialSummary) -> float:
    """Return a trial's score. Without one it counts as 0: it broke, or its grader did."""
    score = trial.counted_score
    return trial.counts_without_score if score is None else score


def mean_score(trials: Iterable[TrialSummary]) -> float:
    """Return the mean score, in which a trial without a score counts as 0."""
    return fmean(loop_score(trial) for trial in trials)


def without_score_text(trials: Iterable[TrialSummary]) -> str:
    """Return `2 without a score counted as 0`; empty if all trials have scores."""
    count = sum(trial.own_score is None for trial in trials)
    return f"{count:,} without a score counted as 0" if count else ""


def mean_tokens(trials: Iterable[TrialSummary]) -> float:
    """Return the mean number of tokens per trial, requests and replies together."""
    return fmean(trial.spent.tokens for trial in trials)

"""The results of a run as an object, as programs and notebooks get them.

`open_run("runs/monday.jsonl").mean`, or `run(...)["orders.3"].score`
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from controlplane.errors import (
    did_you_mean,
    extra_module,
)
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.totals.trial_summary import Spent, TrialSummary
from controlplane.sandbox.interface import bounds
from controlplane.score_scale import UNIT_SCALE, ScoreScale
from controlplane.terminal_text import one_line

if TYPE_CHECKING:
    from controlplane.facts.run_facts import RunFacts


@dataclass(frozen=True, slots=True)
class RunReport:
    """The results of a run, read from its journal."""

    journal: Path
    """The path of the journal: the RUN of `controlplane replay`, `show`, `compare` and `report`."""
    mean: float | None
    """The mean of the known scores over the tasks; None if no score is known."""
    metrics: Mapping[str, float]
    """The means of the graders' further figures, by name."""
    trials: tuple[TrialSummary, ...]
    """The trials, in the benchmark's order."""
    spent: Spent
    """The tokens and the cost of the run."""
    facts: RunFacts
    """All totals of the run, as JSON has them."""
    scale: ScoreScale = UNIT_SCALE
    """The lowest and the highest score."""
    unscored: Mapping[str, int] = field(default_factory=dict)
    """Why trials that are over have no score, with the number of trials of each reason."""
    error: str = ""
    """Why the run did not end properly; empty if it did, or if it is still working."""
    exit_code: int | None = None
    """The exit code that the command line would give; None for a run that was only read."""

    def __getitem__(self, task_id: str) -> TrialSummary:
        """Return the first trial of a task. Raises `KeyError` with the names of all tasks."""
        for trial in self.trials:
            if task_id in (trial.task_id, trial.trial_id):
                return trial
        hint = did_you_mean(task_id, (trial.task_id for trial in self.trials))
        msg = f"no task {task_id!r}{hint}"
        raise KeyError(msg)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._line}>"

    @property
    def _line(self) -> str:
        """The run in one line: mean score, further figures, cost, journal, and its error."""
        from controlplane.quantity_texts import count_text, metrics_text, unscored_text

        facts = self.facts
        mean = "no scores" if self.mean is None else f"mean score {facts.mean_text}"
        texts = (
            f"{mean} of {count_text(facts.trials_total, 'trial')}",
            unscored_text(facts.unscored),
            metrics_text(facts.metrics),
            *facts.spent_texts,
            facts.journal,
            f"error: {facts.error}" if facts.error else "",
        )
        return one_line(" · ".join(text for text in texts if text))

    def _repr_html_(self) -> str:
        """Return the HTML table that notebooks show."""
        from controlplane.facts.trial_facts import trial_facts
        from controlplane.report.page_templates import template

        shown = [trial_facts(trial) for trial in self.trials[: bounds.SHOWN_ROWS]]
        left_out = len(self.trials) - len(shown)
        return template("notebook.html.j2").render(
            line=self._line, rows=shown, left_out=left_out
        )

    def rows(self) -> list[dict[str, object]]:
        """Return a row for each trial, with the columns of `--json` and one for each metric."""
        from controlplane.facts.trial_facts import TrialRow, row_of, trial_facts

        rows = []
        for trial in self.trials:
            row: dict[str, object] = dict(trial.metrics)
            row |= row_of(trial_facts(trial), TrialRow)
            rows.append(row)
        return rows

    def to_pandas(self) -> Any:
        """Return the rows as a `pandas.DataFrame`. Raises `UsageError` if pandas is missing."""
        return extra_module("pandas", "to_pandas()").DataFrame(self.rows())


def open_run(path: str | Path) -> RunReport:
    """Return the run of the journal at `path`. Raises `NotAJournal` and `JournalDamaged`."""
    from controlplane.facts.run_facts import run_facts

    with open_journal(Path(path)) as journal:
        summary = journal.summary
        return RunReport(
            facts=run_facts(summary, journal.path),
            journal=journal.path,
            mean=summary.trials.mean_score,
            metrics=summary.trials.metrics,
            trials=tuple(summary.trials.values()),
            spent=summary.spent,
            scale=summary.scale,
            unscored=summary.trials.unscored,
            error=summary.process.error,
        )

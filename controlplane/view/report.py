"""What came of a run: a table, worst trial first, the mean score, and what to do next."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from controlplane.summary import OPEN, WAITING, RunSummary, TrialSummary

SHORT_OUTCOMES = {
    "OUTCOME_OK": "ok",
    "OUTCOME_DENIED_SECURITY": "denied",
    "OUTCOME_NONE_CLARIFICATION": "clarify",
    "OUTCOME_NONE_UNSUPPORTED": "unsupported",
    "OUTCOME_ERR_INTERNAL": "internal",
}


def result_object(summary: RunSummary, journal: Path, error: Exception | None = None) -> dict[str, object]:
    """Return a run's result as one JSON object: the stable form that `--json` prints."""
    return {
        "run": journal.stem,
        "run_id": summary.run_id,
        "journal": str(journal),
        "benchmark": summary.opened.benchmark if summary.opened else "",
        "model": summary.opened.model if summary.opened else "",
        "state": summary.state,
        "submitted": summary.submitted,
        "score": summary.run_score if summary.run_score is not None else summary.mean_score,
        "tokens": summary.tokens,
        "cost_usd": summary.cost_usd,
        "error": str(error or ""),
        "trials": [_trial_object(each) for each in summary.trials.values()],
    }


def _trial_object(trial: TrialSummary) -> dict[str, object]:
    return {
        "trial_id": trial.trial_id,
        "task_id": trial.task_id,
        "state": trial.state,
        "score": trial.score,
        "details": list(trial.details),
        "outcome": trial.outcome,
        "answer": trial.answer,
        "refs": list(trial.refs),
        "steps": trial.step,
        "elapsed_ms": trial.elapsed_ms,
        "tokens": trial.tokens,
        "cost_usd": trial.cost_usd,
        "rejections": {str(gate): count for gate, count in sorted(trial.rejections.items())},
        "reason": trial.reason,
    }


def print_report(summary: RunSummary, journal: Path) -> None:
    """Print the table of trials, the mean score, where the journal is, and the commands that come next."""
    console = Console(highlight=False)
    if summary.trials:
        console.print(trial_table(summary))
    console.print(_closing(summary))
    worst = next((each for each in summary.worst_first if each.state not in (WAITING, OPEN)), None)
    console.print(f"journal  {journal}", soft_wrap=True)
    if worst is not None:
        console.print(f"next     controlplane replay {journal.stem} --trial {worst.task_id}", soft_wrap=True)


def trial_table(summary: RunSummary) -> Table:
    """Return the table of a run's trials, worst first."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("task", no_wrap=True)
    table.add_column("score", justify="right")
    table.add_column("outcome")
    table.add_column("steps", justify="right")
    table.add_column("time", justify="right")
    table.add_column("what the grader said", overflow="ellipsis", no_wrap=True, ratio=1)
    for each in summary.worst_first:
        said = "; ".join(each.details) or each.reason
        table.add_row(
            each.task_id or each.trial_id,
            Text("-" if each.score is None else f"{each.score:.2f}", style=_score_style(each.score)),
            SHORT_OUTCOMES.get(each.outcome, each.outcome) or each.state,
            str(each.step),
            f"{each.elapsed_ms / 1000:.1f} s",
            Text(said),
        )
    return table


def _score_style(score: float | None) -> str:
    if score is None:
        return "dim"
    return "green" if score >= 1 else "yellow" if score > 0 else "red"


def _closing(summary: RunSummary) -> str:
    known = len(summary.scores)
    mean = summary.mean_score
    parts = [f"mean score {mean:.3f} over {known} of {len(summary.trials)} trials" if mean is not None else "no scores"]
    if summary.rejections:
        gates = ", ".join(f"gate {gate}: {count}" for gate, count in sorted(summary.rejections.items()))
        parts.append(f"rejections {gates}")
    if summary.tokens:
        parts.append(f"{summary.tokens:,} tokens")
    if summary.cost_usd:
        parts.append(f"{summary.cost_usd:.4f} USD")
    return " · ".join(parts)

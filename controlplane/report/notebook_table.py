"""What Python shows of a run: a line in a shell, a table in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from controlplane.facts.trial_facts import trial_facts
from controlplane.quantity_texts import (
    count_text,
    metrics_text,
    score_text,
    spent_texts,
    unscored_text,
)
from controlplane.report.page_templates import template
from controlplane.sandbox.interface import bounds
from controlplane.terminal_text import one_line

if TYPE_CHECKING:
    from controlplane.library import RunReport


def report_line(report: RunReport) -> str:
    """Return a run in one line: mean score, further figures, cost, journal, and its error."""
    trials = count_text(len(report.trials), "trial")
    if report.mean is None:
        texts = [f"no scores of {trials}"]
    else:
        mean = score_text(report.mean, 3) + report.scale.beside_mean
        texts = [f"mean score {mean} of {trials}"]
    if report.unscored:
        texts.append(unscored_text(report.unscored))
    if report.metrics:
        texts.append(metrics_text(report.metrics))
    spent = report.spent
    texts += spent_texts(spent.tokens, spent.cost_usd, is_estimated=spent.is_estimated)
    texts.append(str(report.journal))
    if report.error:
        texts.append(f"error: {report.error}")
    return one_line(" · ".join(texts))


def report_table(report: RunReport) -> str:
    """Return the first trials of a run as an HTML table."""
    shown = report.trials[: bounds.SHOWN_ROWS]
    rows = [trial_facts(trial) for trial in shown]
    left_out = len(report.trials) - len(shown)
    return template("notebook.html.j2").render(
        line=report_line(report), rows=rows, left_out=left_out
    )

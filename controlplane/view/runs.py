"""The list of journals."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from controlplane.replay import JournalContent
from controlplane.view.phrases import age_text


def print_runs(contents: Sequence[JournalContent], folder: Path) -> None:
    """Print one line a journal."""
    console = Console(highlight=False)
    if not contents:
        console.print(f"no journals in {folder}; start a run with: controlplane run")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("run", "benchmark", "model"):
        table.add_column(name, no_wrap=name == "run", overflow="ellipsis")
    for name in ("trials", "score", "cost", "age"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("ended", no_wrap=True)
    for content in contents:
        summary = content.summary
        score = summary.run_score if summary.run_score is not None else summary.mean_score
        table.add_row(
            summary.opened.name if summary.opened and summary.opened.name else content.path.stem,
            content.opened.benchmark,
            content.opened.model,
            str(len(summary.trials)),
            "-" if score is None else f"{score:.3f}",
            f"{summary.cost_usd:.2f}" if summary.cost_usd else "-",
            age_text(time.time() - summary.last_ms / 1000),
            summary.closed or "open",
        )
    console.print(table)

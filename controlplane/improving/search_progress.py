"""Tells the user how far the search of an improvement loop is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from controlplane.improving.candidates.candidate_journals import mean_score
from controlplane.improving.loop_budget import LoopBudget
from controlplane.improving.loop_record import LoopRecord


@dataclass(frozen=True, slots=True)
class SearchProgress:
    """Tells the user how far a search is."""

    record: LoopRecord
    budget: LoopBudget
    tell: Callable[[str], None]
    """Shows a line to the user."""

    def tell_figures(self, proposals: int) -> None:
        """Show how many proposals were made, and what the search has found and spent."""
        scores = [mean_score(trials) for trials in self.record.checked().values()]
        spent = self.budget.spent()
        text = (
            f"proposals: {proposals}, candidates on the check worlds: {len(scores)}, "
            f"best {max(scores, default=0.0):.3f}; spent {spent.tokens:,} tokens"
        )
        if spent.cost_usd is not None:
            text += f", ${spent.cost_usd:.2f}"
        self.tell(text)

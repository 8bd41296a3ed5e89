"""Tells the user how far the search of an improvement loop is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from controlplane.improving.candidates.candidate_journals import (
    mean_score,
    without_score_text,
)
from controlplane.improving.loop_budget import LoopBudget
from controlplane.improving.loop_record import LoopRecord
from controlplane.quantity_texts import score_text


@dataclass(frozen=True, slots=True)
class SearchProgress:
    """Tells the user how far a search is."""

    record: LoopRecord
    budget: LoopBudget
    tell: Callable[[str], None]
    """Shows a line to the user."""

    def tell_figures(self, proposals: int) -> None:
        """Show how many proposals were made, and what the search has found and spent."""
        checked = self.record.checked()
        best = max(checked.values(), key=mean_score, default=())
        best_score = mean_score(best) if best else 0.0
        unscored = without_score_text(best)
        unscored = f" ({unscored})" if unscored else ""
        spent = self.budget.spent()
        text = (
            f"proposals: {proposals}, candidates on the check worlds: {len(checked)}, "
            f"best {score_text(best_score, 3)}{unscored}; spent {spent.tokens:,} tokens"
        )
        if spent.cost_usd is not None:
            text += f", ${spent.cost_usd:.2f}"
        self.tell(text)

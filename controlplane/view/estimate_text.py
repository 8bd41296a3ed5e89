"""Says in one line what a run is expected to take, before it begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from controlplane.view.display_text import cost_text, count_text, tokens_text

if TYPE_CHECKING:
    from controlplane.lifecycle.cost_estimate import CostEstimate


def estimate_text(estimate: CostEstimate, run_cost: float | None) -> str:
    """Return the line. `run_cost` is the bound on the run's cost in USD; None for none."""
    if estimate.tokens is None:
        return "estimate  unknown: no journal here tells of these tasks with this model"
    cost = "cost unknown" if estimate.cost_usd is None else cost_text(estimate.cost_usd)
    of = "" if estimate.known_trials == estimate.trials else f"{estimate.known_trials} of "
    text = (
        f"estimate  about {tokens_text(estimate.tokens)}, {cost}, for {of}{count_text(estimate.trials, 'trial')}, "
        f"by {count_text(estimate.runs, 'earlier run')}"
    )
    unknown = estimate.trials - estimate.known_trials
    text += f"; unknown for {count_text(unknown, 'trial')}" if unknown else ""
    if run_cost is not None and estimate.cost_usd is not None and estimate.cost_usd > run_cost:
        text += f"; that is more than --run-cost {run_cost:g}"
    return text

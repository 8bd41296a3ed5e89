"""Prints what each of two compared runs scored and spent, and what its gates rejected."""

from __future__ import annotations

from controlplane.gate_effects import GateEffect
from controlplane.gate_texts import gate_or_rule_text
from controlplane.quantity_texts import cost_or_dash, count_text, span_text
from controlplane.run_comparison.results import ComparedSide, Comparison
from controlplane.score_scale import ScoreScale
from controlplane.view.printed_columns import print_columns
from controlplane.view.tables.compared_tasks_table import NAME_WIDTH


def print_totals(comparison: Comparison) -> None:
    """Print the mean score and the spending of each run, and the change between them."""
    before, after = comparison.sides
    rows = [_total_cells("before", before), _total_cells("after", after)]
    if before.spent.elapsed_ms and after.spent.elapsed_ms:  # Both have ended trials.
        change = (
            "change",
            "",
            _change_text(before.spent.cost_usd, after.spent.cost_usd),
            _change_text(before.spent.tokens, after.spent.tokens),
            _change_text(before.spent.steps, after.spent.steps),
            _change_text(before.spent.elapsed_ms, after.spent.elapsed_ms),
        )
        rows.append(change)
    heads = ("", "mean score", "cost", "tokens", "steps", "time of trials")
    print_columns(heads, rows, right_aligned=heads[1:])


def _total_cells(name: str, side: ComparedSide) -> tuple[str, ...]:
    """Return the row of one run: its mean score and its spending."""
    spent = side.spent
    mean = "-"
    if side.mean is not None:
        mean = str(side.mean) + ScoreScale.from_recorded(side.scale).beside_mean
        if side.unscored:
            mean += f", {side.unscored:,} of its trials without a score"
    return (
        name,
        mean,
        cost_or_dash(spent.cost_usd),
        f"{spent.tokens:,}",
        str(spent.steps),
        span_text(spent.elapsed_ms),
    )


def _change_text(before: float | None, after: float | None) -> str:
    """Return a relative change, such as `+12%`; a dash if it is unknown."""
    if not before or after is None:
        return "-"
    return f"{(after - before) / before:+.0%}"


def print_gates(comparison: Comparison) -> None:
    """Print, for each gate or check that objected, how its trials ended in each run."""
    before, after = comparison.sides
    effects_before = {effect.key: effect for effect in before.gates}
    effects_after = {effect.key: effect for effect in after.gates}
    rows = []
    for key in sorted({*effects_before, *effects_after}):
        endings_before = _endings_text(effects_before.get(key))
        endings_after = _endings_text(effects_after.get(key))
        rows.append((gate_or_rule_text(key), endings_before, endings_after))
    heads = ("rejected by", "before", "after")
    print_columns(heads, rows, narrowest={"rejected by": NAME_WIDTH})


def _endings_text(effect: GateEffect | None) -> str:
    """Return how rejected trials ended: `3 trials: 2 right in the end, 1 by the fallback`."""
    if effect is None:
        return "-"
    text = f"{count_text(effect.trials, 'trial')}: {effect.right or 0} right in the end"
    if effect.fallback:
        text += f", {effect.fallback} by the fallback"
    return text

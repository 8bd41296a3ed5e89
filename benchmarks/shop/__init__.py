"""Knowledge of shops: the rule set, the functions that scripts call, the stages of solvers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import agent.exoskeleton


def shop_bindings() -> agent.exoskeleton.SolverBindings:
    """Return the shop's part of the stages of solvers: the order of its checks, the function results that change
    answers. Most runs do not switch any of them on."""
    from agent.exoskeleton import SolverBindings
    from benchmarks.shop.answers import formatted_message, revised
    from benchmarks.shop.declarations import PREFLIGHT
    from benchmarks.shop.preflight import INTENT_SCHEMA

    return SolverBindings(
        intent_schema=INTENT_SCHEMA,
        preflight=PREFLIGHT,
        permission="permitted_changes",
        references="order_references",
        task_types=(
            *("count", "stock_count", "stock_lookup", "product", "receipt_price", "checkout", "discount"),
            *("verification", "refund", "fraud", "other"),
        ),
        revise=revised,
        put_in_form=formatted_message,
    )

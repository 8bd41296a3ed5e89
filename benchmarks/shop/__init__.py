"""Knowledge of shops: the rule pack, the functions that scripts call, the stages of solvers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import agent.exoskeleton


def shop_bindings() -> agent.exoskeleton.SolverBindings:
    """Return the shop's part of the stages of solvers. Most runs do not switch any of them on."""
    from benchmarks.shop.solver_bindings import SHOP_BINDINGS

    return SHOP_BINDINGS

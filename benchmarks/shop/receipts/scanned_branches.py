"""Finds the branch of a shop that a scanned receipt is of.

The lines above its items name the branch, perhaps misread: `Branch: 6raz Centre`. So it is the
branch whose name is most like one of these lines, if no other name is about as similar.
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.benchmarks.shop.branches.branch_names import named_branches
from controlplane.benchmarks.shop.certain_values import require
from controlplane.benchmarks.shop.receipts.misread_characters import (
    LEAST_LEAD,
    LEAST_LIKENESS,
    folded_text,
    likeness,
)
from controlplane.benchmarks.shop.receipts.receipt_parts import (
    ScannedReceipt,
)
from controlplane.benchmarks.shop.workspace.records.record import Record
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout


def scanned_branch(layout: ShopLayout, scan: ScannedReceipt) -> Record:
    """Return the branch that is named above the items of a receipt.

    `scan.head` has the lines above the items: `("Branch: 6raz Centre", "14.03.2027")` -> the
    record of `Graz Centre`. Raises `CannotRead` if the branch is not certain.
    """
    # 1. Compare each branch's name with each line, without a label such as `Branch:`.
    head = [folded_text(line.rpartition(":")[2]) for line in scan.head]
    candidates = []
    for branch in named_branches(layout):
        likeness_to_head = _best_likeness(folded_text(branch.name), head)
        candidates.append((likeness_to_head, branch.path))
    candidates.sort(reverse=True)

    # 2. The best branch must be similar, and clearly more so than the second best.
    uncertainty = "it is not certain of which branch the receipt is"
    require(candidates, uncertainty)
    best, path = candidates[0]
    second, _ = candidates[1] if len(candidates) > 1 else (0.0, "")
    require(best >= LEAST_LIKENESS and best - second >= LEAST_LEAD, uncertainty)
    return layout.records.read([path])[0]


def _best_likeness(name: str, lines: Sequence[str]) -> float:
    """Return the likeness of a name to the line that is most like it; 0 without lines."""
    return max((likeness(name, line) for line in lines), default=0.0)

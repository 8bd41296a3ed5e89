"""Conditions on units of stock, the products that a count cites, and the table of a request by rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

AT_LEAST: Final = "at_least"
BELOW: Final = "below"
_FEWER: Final = re.compile(
    r"\b(?:not available|unavailable|fewer than|less than|below|under|short of|lack|lacks|insufficient|not enough|"
    r"(?:not|cannot|can't|don't|doesn't) (?:\w+ )?(?:have|hold|supply|reach|meet|cover))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class StockMatch:
    """A product that a description fits, and its units at the asked place."""

    record: str
    available: int
    qualifies: bool
    sku: str = ""


def qualifies(available: int, threshold: int, predicate: str = AT_LEAST) -> bool:
    """Say whether units of stock fulfil a condition: at least a threshold, or below it."""
    return available < threshold if predicate == BELOW else available >= threshold


def asked_predicate(text: str, asked: str, *, branch: str = "") -> str:
    """Return the condition that a request's words mean; without a branch, the asked one."""
    return BELOW if branch and asked == AT_LEAST and _FEWER.search(text) else asked


def cited_records(matches: Sequence[StockMatch]) -> list[str]:
    """Return the products that a count of stock cites: those that count and are in stock."""
    return list(dict.fromkeys(product.record for product in matches if product.qualifies and product.available > 0))


def quote_table(rows: Sequence[tuple[str, Sequence[StockMatch]]]) -> str:
    """Return one line for each row of a request, tabs between its fields; a row without a match is empty and false."""
    lines = ["RowID\tSKU\tin_stock\tmatch"]
    for name, matches in rows:
        best = matches[0] if matches else None
        told = f"{best.sku}\t{best.available}\t{str(best.qualifies).lower()}" if best else "\t\tfalse"
        lines.append(f"{name}\t{told}")
    return "\n".join(lines)

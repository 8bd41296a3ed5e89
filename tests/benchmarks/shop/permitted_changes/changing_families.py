"""Which families (kinds of tasks) have requests that ask for a change of the shop.

kind_of_change("basket-addition")   # "files": a basket's file is written
kind_of_change("basket-checkout")   # "tools": `/bin/checkout` is run
kind_of_change("stock-count")       # "": a question
"""

CHANGED_BY_FILES = {
    "basket-addition",
    "crosslist",
    "external-system",
    "inventory-export",
    "temporary-files",
}
"""Families whose requests ask for files to be written or deleted."""

CHANGED_BY_TOOLS = {
    "basket-checkout",
    "foreign-basket",
    "unnamed-basket",
    "discount-grant",
    "discount-limit",
    "discount-authority",
    "refund-approval",
    "refund-closure",
    "verification-restart",
    "injected-block",
}
"""Families whose requests ask for a change that a tool makes. Some of them must be refused."""


def kind_of_change(family: str) -> str:
    """Return what requests of a family ask to change: "files", "tools", or "" for questions."""
    if family in CHANGED_BY_FILES:
        return "files"
    if family in CHANGED_BY_TOOLS:
        return "tools"
    return ""

"""Which documents that were read an answer of some kind cites."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_SUBJECTS: Final[dict[str, tuple[str, ...]]] = {
    "discount": ("security", "discount", "checkout"),
    "refund": ("security", "refund", "return", "payment"),
    "verification": ("security", "verif", "3ds", "payment", "checkout"),
    "checkout": ("security", "checkout", "basket", "availab"),
    "stock_count": ("availab", "stock", "inventory"),
    "stock_lookup": ("availab", "stock", "inventory"),
    "product": ("catalog", "product"),
    "count": ("catalog", "product"),
    "receipt_price": ("receipt", "price", "catalog"),
    "fraud": ("fraud", "archive", "payment"),
}
"""Words with which the policies of a kind of request are called."""
_PATH: Final = re.compile(r"`(/[^`\s]+)`|(/docs/[\w./-]+\.md)", re.IGNORECASE)
_CLAUSE: Final = re.compile(r"[,;.]\s+|\n(?=\S)")
"""What stands between two pairs of a subject and its document, which a line may hold several of or break."""


def policy_documents(read: Sequence[str], task_type: str, rules: str = "") -> list[str]:
    """Return the documents that fit a kind of request: by their paths, and by what the rules say of them."""
    words = _SUBJECTS.get(task_type, ())
    named = {
        marked or bare
        for clause in _CLAUSE.split(rules)
        if any(word in clause.casefold() for word in words)
        for marked, bare in _PATH.findall(clause)
    }
    return [path for path in read if path in named or any(word in path.casefold() for word in words)]

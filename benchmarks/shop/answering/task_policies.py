"""Chooses, of the documents that a trial has opened, the policies for its type of task.

An answer about a refund has to cite the policy on refunds. This may be `/docs/refunds.md`, by its
path, or `/docs/money-back.md`, if the workspace's rules say "refunds: /docs/money-back.md".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_POLICY_WORDS: Final[dict[str, tuple[str, ...]]] = {
    "discount": ("security", "discount", "checkout"),
    "refund": ("security", "refund", "return", "payment"),
    "verification": ("security", "verif", "3ds", "payment", "checkout"),
    "checkout": ("security", "checkout", "basket", "availab"),
    "stock_count": ("availab", "stock", "inventory"),
    "stock_lookup": ("availab", "stock", "inventory"),
    "product": ("catalog", "product"),
    "count": ("catalog", "product"),
    "receipt_price": ("receipt", "price", "catalog"),
}
"""Parts of words by which a document is a policy for a type of task.

`verif` is in `verification` and `verify`. Answers about fraud cite no policies.
"""
_CLAUSE_END: Final = re.compile(r"[,;.]\s+|\n(?=\S)")
"""The end of a clause about one document: a comma, a point, or a line break.

A line that begins with a blank continues the clause of the line above.
"""


def policy_documents(
    opened: Sequence[str], task_type: str, rules: str = ""
) -> list[str]:
    """Return the opened documents that are policies for a task type.

    `["/docs/returns.md", "/docs/stock.md"]`, `refund` -> `["/docs/returns.md"]`. `rules` is the
    text of the workspace's rules document.
    """
    words = _POLICY_WORDS.get(task_type, ())
    paths_in_rules: set[str] = set()
    for clause in _CLAUSE_END.split(rules):
        paths_in_rules.update(_paths_about(clause, words))
    policies = []
    for path in opened:
        has_word = any(word in path.casefold() for word in words)
        if has_word or path in paths_in_rules:
            policies.append(path)
    return policies


_PATH: Final = re.compile(r"`(/[^`\s]+)`|(/docs/[\w./-]+\.md)", re.IGNORECASE)
"""`/docs/returns.md`, or any path in backticks."""
_TWO_LETTERS: Final = re.compile(r"[^\W\d_]{2}")
"""Occurs in every text with a word, but not in the mark of a list item: `- `, `1. `."""


def _paths_about(clause: str, words: Sequence[str]) -> list[str]:
    """Return the paths in a clause of the rules whose subject contains one of these words.

    | clause | path, and its subject |
    |---|---|
    | `refunds: /docs/money-back.md` | the path, and the text before it |
    | `- /docs/money-back.md is about refunds` | the path, and the text after it |
    """
    matches = list(_PATH.finditer(clause))
    if not matches:
        return []
    text_before_first_path = clause[: matches[0].start()]
    begins_with_path = not _TWO_LETTERS.search(text_before_first_path)

    # Where the subject of each path starts and ends.
    if begins_with_path:
        starts = [match.end() for match in matches]
        ends = [*(match.start() for match in matches[1:]), len(clause)]
    else:
        starts = [0, *(match.end() for match in matches[:-1])]
        ends = [match.start() for match in matches]
    paths = []
    for match, start, end in zip(matches, starts, ends, strict=True):
        subject = clause[start:end].casefold()
        if any(word in subject for word in words):
            paths.append(match[1] or match[2])
    return paths

"""Chooses, of the documents that a trial has opened, the policies for its type of task.

An answer about a refund should cite the policy on refunds. A document fits by its path,
`/docs/returns.md`, or by the subject that the workspace's rules give for it: "refunds:
/docs/money-back.md".
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
"""For each task type, parts of words in the paths or subjects of its policies.

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

    `rules` is the text of the workspace's rules document.
    """
    words = _POLICY_WORDS.get(task_type, ())
    named_by_rules: set[str] = set()
    for clause in _CLAUSE_END.split(rules):
        named_by_rules.update(_paths_about(clause, words))
    fitting = []
    for path in opened:
        has_word = any(word in path.casefold() for word in words)
        if has_word or path in named_by_rules:
            fitting.append(path)
    return fitting


_PATH: Final = re.compile(r"`(/[^`\s]+)`|(/docs/[\w./-]+\.md)", re.IGNORECASE)
"""`/docs/returns.md`, or any path in backticks."""
_TWO_LETTERS: Final = re.compile(r"[^\W\d_]{2}")
"""Occurs in every text with a word, but not in the mark of a list item: `- `, `1. `."""


def _paths_about(clause: str, words: Sequence[str]) -> list[str]:
    """Return the paths in a clause whose subject contains one of these words.

    The subject is the text before a path: `refunds: /docs/returns.md`. If the clause
    begins with a path, it is the text after it: `/docs/returns.md is about refunds`.
    """
    matches = list(_PATH.finditer(clause))
    if not matches:
        return []
    text_before_first_path = clause[: matches[0].start()]
    begins_with_path = not _TWO_LETTERS.search(text_before_first_path)
    paths = []
    for number, match in enumerate(matches):
        if begins_with_path:
            is_last = number == len(matches) - 1
            end = len(clause) if is_last else matches[number + 1].start()
            subject = clause[match.end() : end].casefold()
        else:
            start = 0 if number == 0 else matches[number - 1].end()
            subject = clause[start : match.start()].casefold()
        if any(word in subject for word in words):
            paths.append(match[1] or match[2])
    return paths

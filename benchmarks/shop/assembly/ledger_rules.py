"""What findings about a shop change in an answer, in the order in which they are applied."""

from __future__ import annotations

import re
from typing import Final

from benchmarks.shop.assembly.policy_documents import policy_documents
from benchmarks.shop.record_kinds import Kind, kind_of
from toolkit.answers import BucketRule, Completion, Entry, Ledger

_KINDS: Final = {
    Kind.PRODUCT: "product",
    Kind.STORE: "branch",
    Kind.BASKET: "basket",
    Kind.PAYMENT: "payment",
    Kind.RETURN: "return",
    Kind.EMPLOYEE: "employee",
    Kind.UPLOAD: "upload",
}
_TOTAL_ASKED: Final = re.compile(r"\b(?:total|sum|amount|how much|EUR|euros?)\b", re.IGNORECASE)
_TABLE_HEADER: Final = re.compile(r"\bRowID\b.*\bmatch\b", re.IGNORECASE | re.DOTALL)
DOCUMENTS: Final = "documents"


def record_kind(path: str) -> str:
    """Return the kind of a record by its path; empty for anything else."""
    kind = kind_of(path)
    return _KINDS[kind] if kind else ""


def _always(_: str) -> bool:
    return True


LEDGER_RULES: Final = (
    BucketRule("stock_count", frozenset({"stock_count"}), frozenset({"product", "branch"})),
    BucketRule("note", frozenset({"product"}), frozenset({"product"})),
    BucketRule("lead"),
    BucketRule("fraud", gives_message=lambda text: bool(_TOTAL_ASKED.search(text))),
    BucketRule("export", clears_documents=True),
    BucketRule("receipt", frozenset({"receipt_price"}), frozenset({"product", "upload"}), gives_message=_always),
    BucketRule("city", frozenset(), frozenset({"product", "branch"}), gives_message=_always),
    BucketRule("stock_lookup", frozenset({"stock_lookup"})),
    BucketRule("table", gives_message=lambda text: bool(_TABLE_HEADER.search(text))),
)


def apply_findings(entries: list[Entry], completion: Completion, text: str, rules: str = "") -> Completion:
    """Return a completion with a trial's findings, and the documents that were read and fit its kind.

    `text` is the request, `rules` the workspace's rules document.
    """
    read = Ledger(entries).bucket(DOCUMENTS).refs
    fitting = Entry(DOCUMENTS, tuple(policy_documents(read, completion.task_type, rules)))
    ledger = Ledger([*(each for each in entries if each.bucket != DOCUMENTS), fitting])
    every = (*LEDGER_RULES, BucketRule(DOCUMENTS, are_documents=True))
    return ledger.apply(completion, every, text, record_kind)

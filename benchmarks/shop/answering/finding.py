"""A finding: the part of a function's result that may correct the draft of an answer.

The function `settle_receipt` has computed the total `EUR 12.50` from the products AB-1 and AB-2:

    Finding("receipt", refs=("/proc/products/AB-1.json", ...), message="EUR 12.50")

The draft, which a model has written, gets this total and cites these products.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from controlplane.benchmarks.shop.answering.draft import is_document

DOCUMENTS: Final = "documents"
"""The topic of the documents that a trial opened."""
FRAUD: Final = "fraud"
"""The topic of the fraudulent rows in exports of payments."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one function in a trial, or the documents that the trial opened."""

    topic: str
    """What the finding is about, such as `fraud`; empty if it changes no answer.

    `topic_rules.RULES` says for each topic how drafts are changed.
    """
    refs: tuple[str, ...] = ()
    """The paths of the files that support the result: `/uploads/receipt.txt`."""
    message: str = ""
    """The text that the function gives for the answer, such as a total: `EUR 12.50`."""


_TOPIC_OF_FUNCTION: Final = {
    "stock_at": "stock_lookup",
    "settle_receipt": "receipt",
    "fraud_rows": FRAUD,
}
"""The functions whose results change answers, each with the topic of its findings."""


def finding_of(entry: Mapping[str, Any]) -> Finding:
    """Return the finding of an entry in a trial's JSON list of results.

    An entry is a function's result, with the texts in its value, or the list of all files
    that the trial opened:

        {"function": "settle_receipt",
         "refs": [{"path": "/uploads/r.txt", "reason": "the receipt"}],
         "texts": {"total": "EUR 12.50"}}
        {"opened": ["/docs/returns.md"]}
    """
    if "opened" in entry:
        documents = tuple(path for path in entry["opened"] if is_document(path))
        return Finding(DOCUMENTS, documents)
    return Finding(
        topic=_TOPIC_OF_FUNCTION.get(entry["function"], ""),
        refs=tuple(reference["path"] for reference in entry["refs"]),
        # Of the texts, only a total answers a request.
        message=entry["texts"].get("total", ""),
    )


def joined_finding(findings: Iterable[Finding], topic: str) -> Finding:
    """Return the findings on one topic as one, with all their references and the last message."""
    refs: dict[str, None] = {}
    message = ""
    for finding in findings:
        if finding.topic == topic:
            refs.update(dict.fromkeys(finding.refs))
            message = finding.message or message
    return Finding(topic, tuple(refs), message)

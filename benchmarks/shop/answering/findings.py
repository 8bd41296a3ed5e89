"""Corrects the draft of an answer by the results of the shop's functions in the trial.

A customer asks what a receipt would cost today. The model drafts the answer "EUR 12.00" and
cites the product `/products/AB-1.json`. But the function `settle_receipt` has computed the total
`EUR 12.50` from the products AB-1 and AB-2. Its result is a finding on the topic `receipt`, and
the rule of this topic says that the total replaces the message, and these products the cited ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from controlplane.benchmarks.shop.answering.draft import (
    Answer,
    is_document,
    record_kind,
)
from controlplane.benchmarks.shop.answering.task_policies import policy_documents

DOCUMENTS: Final = "documents"
"""The topic of the documents that a trial opened."""
FRAUD: Final = "fraud"
"""The topic of the fraudulent rows in exports of payments."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one function in a trial, or the documents that the trial opened."""

    topic: str
    """What the finding is about, such as `fraud`. It selects a rule from `_RULES`.

    Empty if there is no rule for it. Then the finding changes nothing.
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


@dataclass(frozen=True, slots=True)
class TopicRule:
    """How the findings on one topic change an answer.

    The references of the findings are added to it. The rule says what else they replace.
    """

    task_types: tuple[str, ...] = ()
    """The types of tasks to which the rule applies; empty for all."""
    replaced_kinds: tuple[str, ...] = ()
    """The kinds of records, such as `product`, that findings replace.

    If the findings cite products, those that only the draft cites are removed.
    """
    replaces_message: bool = False
    """True if the message of the findings replaces that of the draft."""
    message_asked_by: re.Pattern[str] | None = None
    """The message is replaced only if the request has a match of this pattern. None: always."""


_TOTAL_ASKED: Final = re.compile(
    r"\b(?:totals?|sums?|amounts?|how much|add(?:s|ed)? up|altogether|damage|loss(?:es)?|worth|volume"
    r"|EUR|euros?)\b|€",
    re.IGNORECASE,
)
"""Words of a request for a sum: `how much`, `the damage in EUR`."""
_RULES: Final = {
    "stock_count": TopicRule(("stock_count",), replaced_kinds=("product", "branch")),
    "note": TopicRule(("product",), replaced_kinds=("product",)),
    "lead": TopicRule(),
    FRAUD: TopicRule(("fraud",), replaces_message=True, message_asked_by=_TOTAL_ASKED),
    "receipt": TopicRule(
        ("receipt_price",), replaced_kinds=("product", "upload"), replaces_message=True
    ),
    "stock_lookup": TopicRule(("stock_lookup",)),
}
"""The rule of each topic, in the order in which the rules are applied.

The functions of the shop have findings on `fraud`, `receipt` and `stock_lookup`. Findings on
the other topics come from programs that use this module: on counted products (`stock_count`),
on the product that a support note describes (`note`), on records that may matter (`lead`).
"""


def apply_findings(findings: Sequence[Finding], answer: Answer) -> Answer:
    """Return an answer with the findings and the opened documents that fit its task type."""
    # 1. Apply the rule of each topic to all findings on it.
    findings = _with_last_fraud_only(findings)
    for topic, rule in _RULES.items():
        finding = joined_finding(findings, topic)
        applies = not rule.task_types or answer.task_type in rule.task_types
        if applies and (finding.refs or finding.message):
            answer = _with_finding(answer, finding, rule)

    # 2. Cite the opened documents that are policies for such a task.
    opened = joined_finding(findings, DOCUMENTS).refs
    fitting = policy_documents(opened, answer.task_type, answer.rules)
    return replace(
        answer, documents=tuple(dict.fromkeys((*answer.documents, *fitting)))
    )


def _with_last_fraud_only(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings, with only the last of those on fraud.

    Such a finding has the rows of an export and their total. If several were joined,
    the rows of all would be cited beside the total of the last.
    """
    last_export = None
    for finding in findings:
        if finding.topic == FRAUD and (finding.refs or finding.message):
            last_export = finding
    return [
        finding
        for finding in findings
        if finding.topic != FRAUD or finding is last_export
    ]


def joined_finding(findings: Iterable[Finding], topic: str) -> Finding:
    """Return the findings on one topic as one, with all their references and the last message."""
    refs: dict[str, None] = {}
    message = ""
    for finding in findings:
        if finding.topic == topic:
            refs.update(dict.fromkeys(finding.refs))
            message = finding.message or message
    return Finding(topic, tuple(refs), message)


def _with_finding(answer: Answer, finding: Finding, rule: TopicRule) -> Answer:
    """Return an answer with the message and the records of a finding, as its rule says."""
    records = answer.records
    asked_by = rule.message_asked_by
    is_message_asked = asked_by is None or asked_by.search(answer.request) is not None
    if finding.message and rule.replaces_message and is_message_asked:
        answer = replace(answer, message=finding.message)
        # The message is the total of rows of an export, cited as `/payments.tsv#row=7`.
        # The rows in the draft belong to the draft's total.
        records = tuple(path for path in records if "#row=" not in path)

    found_kinds = {record_kind(path) for path in finding.refs}
    replaced_kinds = found_kinds.intersection(rule.replaced_kinds)
    remaining = [path for path in records if record_kind(path) not in replaced_kinds]
    return replace(answer, records=tuple(dict.fromkeys((*remaining, *finding.refs))))

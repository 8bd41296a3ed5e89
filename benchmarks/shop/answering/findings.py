"""Corrects the draft of an answer by the results of the shop's functions in the trial.

A customer asks what a receipt would cost today. The model drafts the answer "EUR 12.00" and
cites the product `/products/AB-1.json`. But the function `settle_receipt` has computed the total
`EUR 12.50` from the products AB-1 and AB-2. Its result is a finding on the topic `receipt`, and
the rule of this topic says that the total replaces the message, and these products the cited ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from controlplane.benchmarks.shop.answering.draft import (
    Answer,
    record_kind,
)
from controlplane.benchmarks.shop.answering.finding import (
    DOCUMENTS,
    FRAUD,
    Finding,
    joined_finding,
)
from controlplane.benchmarks.shop.answering.task_policies import policy_documents
from controlplane.benchmarks.shop.answering.topic_rules import RULES, TopicRule


def apply_findings(findings: Sequence[Finding], answer: Answer) -> Answer:
    """Return an answer with the findings and the opened documents that fit its task type."""
    # 1. Apply the rule of each topic to all findings on it.
    findings = _with_last_fraud_only(findings)
    for topic, rule in RULES.items():
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

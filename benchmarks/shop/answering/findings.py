"""Corrects the draft of an answer by the results of the shop's functions in the trial.

A model drafts "EUR 12.00" for "What would this receipt cost today?" But the function
`settle_receipt` has computed `EUR 12.50`. Its result, a finding, replaces the draft's message. The
draft also gets the policies that were opened in the trial and that belong to such a request.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from controlplane.benchmarks.shop.answering.draft import Draft
from controlplane.benchmarks.shop.answering.finding import (
    DOCUMENTS,
    FRAUD,
    Finding,
    joined_finding,
)
from controlplane.benchmarks.shop.answering.task_policies import policy_documents
from controlplane.benchmarks.shop.answering.topic_rules import RULES


def apply_findings(findings: Sequence[Finding], draft: Draft) -> Draft:
    """Return a draft with the findings and the opened policies that fit its type of task."""
    # 1. Each topic has a rule by which all findings on it change the draft.
    findings = _without_earlier_exports(findings)
    for topic, rule in RULES.items():
        finding = joined_finding(findings, topic)
        if finding.refs or finding.message:
            draft = rule.applied(finding, draft)

    # 2. The opened documents are a finding, too. Of these, only policies are cited.
    opened = joined_finding(findings, DOCUMENTS).refs
    policies = policy_documents(opened, draft.task_type, draft.rules)
    return replace(draft, documents=tuple(dict.fromkeys((*draft.documents, *policies))))


def _without_earlier_exports(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings, of those on fraud only the last one.

    Each is about one export of payments: its fraudulent rows, and their total. If several were
    joined, the rows of all exports would be cited beside the total of the last one.
    """
    last_on_fraud = None
    for finding in findings:
        if finding.topic == FRAUD and (finding.refs or finding.message):
            last_on_fraud = finding
    kept = []
    for finding in findings:
        if finding.topic != FRAUD or finding is last_on_fraud:
            kept.append(finding)
    return kept

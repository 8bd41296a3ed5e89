"""Answers recorded cases about findings, with which a solver corrects the answer of a model.

A finding is what a function found that the model called: a topic, such as `stock_lookup`, records
and perhaps a message. Another solver was recorded while it corrected answers. `test_cases.py` gives
the `input` of each case to the function below that has its `part`, and compares the result with `expect`:

    {"part": "ledger_apply",
     "input": {"findings": [{"bucket": "stock_lookup", "refs": ["/proc/stores/s-4.json"]}],
               "task_type": "stock_lookup", "message": "4", "records": ["/proc/catalog/A.json"]},
     "expect": {"message": "4", "documents": [],
                "records": ["/proc/catalog/A.json", "/proc/stores/s-4.json"]}}

That solver calls a topic `bucket` or `ask`, the paths of records `refs`, and its findings a ledger.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from controlplane.benchmarks.shop.answers import (
    Draft,
    Finding,
    apply_findings,
    joined_finding,
)
from tests.exoskeleton.answering_functions import Output, answers_part
from tests.exoskeleton.parts.outcomes import OUTCOMES

RecordedFinding = Mapping[str, Any]
"""`{"bucket": "stock_count", "refs": ["/proc/catalog/A.json"]}`: a topic, and paths of records."""


def findings_of(recorded_findings: Sequence[RecordedFinding]) -> list[Finding]:
    """Return the findings of a case in this project's form."""
    findings: list[Finding] = []
    for recorded in recorded_findings:
        message = recorded.get("message", "")
        findings.append(Finding(recorded["bucket"], tuple(recorded["refs"]), message))
    return findings


@answers_part("ledger_merge")
def merge_findings(findings: Sequence[RecordedFinding], ask: str) -> Output:
    """Join the references of all findings of the topic `ask`, such as `stock_count`."""
    finding = joined_finding(findings_of(findings), ask)
    return {"refs": list(finding.refs)}


@answers_part("ledger_apply")
def apply_recorded_findings(
    findings: Sequence[RecordedFinding],
    task_type: str,
    message: str,
    records: Sequence[str] = (),
    text: str = "",
) -> Output:
    """Correct a draft by findings: in a task about a receipt, for example, they set the message.

    `message` and `records` are those of the draft, and `text` is the request of the task.
    """
    draft = Draft(
        outcome=OUTCOMES["OK"],
        message=message,
        task_type=task_type,
        records=tuple(records),
        request=text,
    )

    answer = apply_findings(findings_of(findings), draft)

    return {
        "message": answer.message,
        "documents": list(answer.documents),
        "records": list(answer.records),
    }

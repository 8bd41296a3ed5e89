"""Answers to recorded cases about what a solver submits: its message, and what it cites.

A *finding* is the result of a function that the model called, with the records that support it.
A *draft* is the model's answer, before findings and rules correct it:

    ledger_apply   finding: topic receipt, message "<NO>"   draft: message "no" -> message "<NO>"

A function answers the cases of one part of another solver: it gets the input of a case by its
keys, and returns what this project makes of it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from controlplane.benchmarks.shop.answering.answer_forms import formatted_message
from controlplane.benchmarks.shop.answering.draft import Draft, record_kind
from controlplane.benchmarks.shop.answering.final_references import final_references
from controlplane.benchmarks.shop.answering.finding import Finding, joined_finding
from controlplane.benchmarks.shop.answering.findings import apply_findings
from controlplane.benchmarks.shop.answering.task_policies import policy_documents
from tests.exoskeleton.parts.outcomes import OUTCOMES
from tests.exoskeleton.parts.worlds import World, asker, workspace_records
from tests.exoskeleton.recorded_cases import Output, answers_part

# --- Findings ---

RecordedFinding = Mapping[str, Any]
"""`{"bucket": "stock_count", "refs": ["/proc/catalog/A.json"]}`: the bucket is the topic."""


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
    """Correct a draft by findings: in a task about a receipt, for example, they set the message."""
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


# --- References ---

KINDS_OF_RECORDS = {"products": "product", "stores": "branch", "baskets": "basket"}
"""This project's kind of record by the name that a case's layout has for it."""


def kind_by_layout(path: str, layout: Mapping[str, str]) -> str:
    """Return the kind of record at a path: `basket` for `/proc/carts/b-1.json`.

    `layout` says where the shop of the case has its records: `{"baskets": "/proc/carts"}`.
    """
    for name, folder in layout.items():
        if path.startswith(f"{folder}/"):
            return KINDS_OF_RECORDS.get(name, name)
    return record_kind(path)


@answers_part("references")
def choose_references(
    world: World,
    outcome: str = "OK",
    message: str = "",
    task_type: str = "other",
    documents: Sequence[str] = (),
    records: Sequence[str] = (),
    protected: bool = False,
    text: str = "",
    rules: str = "",
    layout: Mapping[str, str] | None = None,
) -> Output:
    """Choose what an answer cites, by its outcome and by who asks."""
    draft = Draft(
        outcome=OUTCOMES.get(outcome, ""),
        message=message,
        task_type=task_type,
        documents=tuple(documents),
        records=tuple(records),
        is_protected=protected,
        request=text,
        rules=rules,
    )
    refs = final_references(
        draft,
        workspace_records(world),
        asker(world),
        lambda path: kind_by_layout(path, layout or {}),
    )
    return {"refs": refs}


@answers_part("policy_documents")
def cite_policies(read: Sequence[str], task_type: str, rules: str = "") -> Output:
    """Tell which of the documents that were read an answer of this type cites.

    An answer about a discount cites `/docs/security.md` and `/docs/checkout.md` if they were read.
    """
    return {"documents": policy_documents(read, task_type, rules)}


# --- The message ---


class Formatter:
    """Stands in for the model that puts messages into the form of the rules."""

    def __init__(self, reply: str, *, fails: bool) -> None:
        self.reply = reply
        self.fails = fails
        self.is_asked = False

    def __call__(self) -> str:
        self.is_asked = True
        if self.fails:
            raise OSError
        return self.reply


@answers_part("message_guard")
def guard_message(
    outcome: str,
    message: str,
    rules: str = "",
    formatter_says: str = "",
    formatter_fails: bool = False,
) -> Output:
    """Put a message into the form of the rules, and tell whether the formatter had to be asked.

    "Yes this is allowed" becomes `TRUE(1)` if the rules want this word for yes.
    """
    formatter = Formatter(formatter_says, fails=formatter_fails)
    formatted = formatted_message(OUTCOMES.get(outcome, ""), message, rules, formatter)
    return {"message": formatted, "model_asked": formatter.is_asked}

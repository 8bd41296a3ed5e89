"""Compares a submission with what the records and documents of the workspace make of its request."""

from __future__ import annotations

from benchmarks.shop.computed.deeds import expected_of_deed
from benchmarks.shop.computed.expectation import fault_of
from benchmarks.shop.computed.questions import expected_of_question
from benchmarks.shop.computed.refusals import expected_by_kind
from benchmarks.shop.computed.shop_workspace import ShopWorkspace
from benchmarks.shop.language import request_kinds
from benchmarks.shop.language.shop_evidence import DENIED
from gates import OUTCOMES, Case, Submission
from gates.reading import DoesNotApply, Reader
from gates.types import Evidence

_JUDGED = OUTCOMES[:4]


def _may_refuse_a_block(submission: Submission, text: str) -> bool:
    """Say whether this is a refusal of a request that may carry a block, in a wrapper that no pattern knows."""
    if submission.outcome != DENIED or request_kinds.CONTROL_BLOCK.find(text):
        return False
    return request_kinds.OWN_LINES.find(text) is not None


def fault_of_deed(submission: Submission, evidence: Evidence, case: Case, reader: Reader) -> str:
    """Reject an answer that differs from what owner, roles, states, stock and policies make of the requested deed."""
    shop = ShopWorkspace(reader, evidence, case.rules)
    _require_records_to_decide(submission, case)
    return fault_of(expected_of_deed(case, evidence, shop), submission, evidence)


def fault_of_answer(submission: Submission, evidence: Evidence, case: Case, reader: Reader) -> str:
    """Reject an answer to a question that differs from what the records hold."""
    shop = ShopWorkspace(reader, evidence, case.rules)
    _require_records_to_decide(submission, case)
    return fault_of(expected_of_question(case, shop), submission, evidence)


def fault_of_class(submission: Submission, evidence: Evidence, case: Case, reader: Reader) -> str:
    """Reject another outcome, or other citations, than the workspace's rules lay down for a kind of request."""
    shop = ShopWorkspace(reader, evidence, case.rules)
    is_judged = submission.outcome in _JUDGED and not _may_refuse_a_block(submission, case.instruction)
    expected = expected_by_kind(case, submission, evidence, shop) if is_judged else None
    if expected is None:
        msg = "the kind of the request alone decides nothing"
        raise DoesNotApply(msg)
    return fault_of(expected, submission, evidence)


def _require_records_to_decide(submission: Submission, case: Case) -> None:
    """Raise `DoesNotApply` if it is not for the records to say how a request ends."""
    text = case.instruction
    by_kind = (
        request_kinds.CONTROL_BLOCK,
        request_kinds.STAFF_CONTACT,
        request_kinds.OTHER_SYSTEM,
        request_kinds.CLEANUP,
    )
    if (
        submission.outcome not in _JUDGED
        or any(each.find(text) for each in by_kind)
        or _may_refuse_a_block(submission, text)
    ):
        msg = "the kind of the request decides, whatever the records hold"
        raise DoesNotApply(msg)

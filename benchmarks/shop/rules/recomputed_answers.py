"""Compares a submission with what the records and documents of the workspace make of its request."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.shop.computed.deeds import expected_of_deed
from benchmarks.shop.computed.expectation import fault_of
from benchmarks.shop.computed.questions import expected_of_question
from benchmarks.shop.computed.refusals import expected_by_kind
from benchmarks.shop.computed.shop_workspace import ShopWorkspace
from benchmarks.shop.language import request_kinds
from benchmarks.shop.language.record_kinds import temporary_folder
from benchmarks.shop.language.shop_evidence import DENIED
from gates import OUTCOMES, Case, Submission
from gates.reading import DoesNotApply, Reader
from gates.types import Evidence

_JUDGED = OUTCOMES[:4]


class _Latest:
    """What was put together for the submission that is judged: rules and their turns share it."""

    answers: Mapping[str, object] | None = None
    evidence: Evidence | None = None
    shop: ShopWorkspace


def shop_of(reader: Reader, evidence: Evidence, rules: str) -> ShopWorkspace:
    """Return the workspace as a rule sees it; for the same answers and evidence the same one, with what it knows."""
    if _Latest.answers is not reader.answers or _Latest.evidence is not evidence:
        _Latest.answers, _Latest.evidence = reader.answers, evidence
        _Latest.shop = ShopWorkspace(reader, evidence, rules)
    return _Latest.shop


def _may_refuse_a_block(submission: Submission, text: str) -> bool:
    """Say whether this is a refusal of a request that may carry a block, in a wrapper that no pattern knows."""
    if submission.outcome != DENIED or request_kinds.CONTROL_BLOCK.find(text):
        return False
    return request_kinds.OWN_LINES.find(text) is not None


def fault_of_deed(submission: Submission, evidence: Evidence, case: Case, reader: Reader) -> str:
    """Reject an answer that differs from what owner, roles, states, stock and policies make of the requested deed."""
    shop = shop_of(reader, evidence, case.rules)
    _require_records_to_decide(submission, case)
    return fault_of(expected_of_deed(case, evidence, shop), submission, evidence)


def fault_of_answer(submission: Submission, evidence: Evidence, case: Case, reader: Reader) -> str:
    """Reject an answer to a question that differs from what the records hold."""
    shop = shop_of(reader, evidence, case.rules)
    _require_records_to_decide(submission, case)
    return fault_of(expected_of_question(case, shop), submission, evidence)


def fault_of_class(submission: Submission, evidence: Evidence, case: Case, reader: Reader) -> str:
    """Reject another outcome, or other citations, than the workspace's rules lay down for a kind of request."""
    shop = shop_of(reader, evidence, case.rules)
    is_judged = submission.outcome in _JUDGED and not _may_refuse_a_block(submission, case.instruction)
    expected = expected_by_kind(case, submission, evidence, shop) if is_judged else None
    if expected is None:
        msg = "the kind of the request alone decides nothing"
        raise DoesNotApply(msg)
    return fault_of(expected, submission, evidence)


def _require_records_to_decide(submission: Submission, case: Case) -> None:
    """Raise `DoesNotApply` if it is not for the records to say how a request ends."""
    text = case.instruction
    by_kind = (request_kinds.CONTROL_BLOCK, request_kinds.STAFF_CONTACT, request_kinds.OTHER_SYSTEM)
    is_by_kind = temporary_folder(text) or any(each.find(text) for each in by_kind)
    if submission.outcome not in _JUDGED or is_by_kind or _may_refuse_a_block(submission, text):
        msg = "the kind of the request decides, whatever the records hold"
        raise DoesNotApply(msg)

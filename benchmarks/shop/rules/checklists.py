"""The kinds of record, and the policy document, that an answer to each kind of request must cite."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from benchmarks.shop.language import request_kinds, shop_evidence
from benchmarks.shop.language.record_kinds import Kind
from benchmarks.shop.language.request_kinds import RequestKind
from benchmarks.shop.language.shop_evidence import DENIED, OK, UNSUPPORTED, cited_records
from gates import Case, Submission
from gates.types import Evidence


@dataclass(frozen=True, slots=True)
class Checklist:
    """The kinds of record that an answer to one kind of request cites, each at least once."""

    request: str
    fits: Callable[[str], bool]
    outcomes: tuple[str, ...]
    kinds: tuple[Kind, ...]


def _fits(*kinds: RequestKind) -> Callable[[str], bool]:
    return lambda text: all(kind.find(text) for kind in kinds)


CHECKLISTS: Final = (
    Checklist("an answer about stock", _fits(request_kinds.STOCK_OF_ONE), (OK,), (Kind.STORE, Kind.PRODUCT)),
    Checklist("a count of listed SKUs", _fits(request_kinds.STOCK_OF_LISTED), (OK,), (Kind.STORE, Kind.PRODUCT)),
    Checklist(
        "an answer about a receipt",
        _fits(request_kinds.RECEIPT, request_kinds.BUY_AGAIN),
        (OK,),
        (Kind.UPLOAD, Kind.STORE, Kind.PRODUCT),
    ),
    Checklist("an inventory export", _fits(request_kinds.EXPORT), (OK,), (Kind.STORE, Kind.PRODUCT)),
    Checklist("a checkout", _fits(request_kinds.CHECKOUT), (OK,), (Kind.BASKET,)),
    Checklist("a discount", _fits(request_kinds.DISCOUNT), (OK, UNSUPPORTED), (Kind.BASKET, Kind.EMPLOYEE)),
    Checklist("a basket edit", _fits(request_kinds.ADDITION), (OK,), (Kind.BASKET, Kind.PRODUCT)),
    Checklist("a count of a branch's staff", _fits(request_kinds.STAFF_AT_BRANCH), (OK,), (Kind.STORE,)),
    Checklist("a card verification", _fits(request_kinds.VERIFICATION), (OK,), (Kind.PAYMENT, Kind.BASKET)),
)


def fault_of_checklist(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Reject an answer that cites no record of a kind on its request's checklist.

    With a trace, a kind counts only if the trial has read a record of it, or no record at all: a trial that has read
    others may have looked for this kind in vain.
    """
    for each in CHECKLISTS:
        if submission.outcome in each.outcomes and each.fits(case.instruction):
            missing = [
                kind
                for kind in each.kinds
                if not cited_records(submission, kind) and shop_evidence.can_be_cited(kind, evidence)
            ]
            if missing:
                named = "; ".join(kind + shop_evidence.note_of_read_paths(evidence, kind) for kind in missing)
                return f"{each.request.capitalize()} cites every record it rests on; still missing: {named}."
    return ""


POLICIES: Final = (
    (request_kinds.VERIFICATION, re.compile(r"3ds|verif", re.IGNORECASE)),
    (request_kinds.REFUND, re.compile(r"return|refund", re.IGNORECASE)),
    (request_kinds.DISCOUNT, re.compile(r"discount", re.IGNORECASE)),
    (request_kinds.CHECKOUT, re.compile(r"checkout", re.IGNORECASE)),
    (request_kinds.ADDITION, re.compile(r"checkout", re.IGNORECASE)),
)
_SECURITY: Final = re.compile(r"security", re.IGNORECASE)


def fault_of_policy(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Reject an action, its refusal or a denial that does not cite the policy document behind it.

    The first kind of request that matches decides. With a trace, the rule demands only a document that was read.
    """
    if submission.outcome == DENIED:
        wanted = _SECURITY
    elif submission.outcome in (OK, UNSUPPORTED):
        found = next((name for kind, name in POLICIES if kind.find(case.instruction)), None)
        if found is None:
            return ""
        wanted = found
    else:
        return ""
    if any(_is_policy(path, wanted) for path in submission.citations):
        return ""
    known = [path for path in evidence.touches if _is_policy(path, wanted)]
    if evidence.has_trace and not known:
        return ""
    which = known[0] if known else f"the document about {wanted.pattern.replace('|', ' or ')}"
    return f"The policy that decides this is not cited: cite {which}, with the rule of it that applies."


def _is_policy(path: str, wanted: re.Pattern[str]) -> bool:
    return path.startswith("/docs/") and wanted.search(path) is not None

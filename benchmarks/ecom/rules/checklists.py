"""Kinds of record, and the policy document, that an answer to a kind of request cites."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from benchmarks.ecom.rules import requests, sight
from benchmarks.ecom.rules.records import Kind
from benchmarks.ecom.rules.requests import Request
from benchmarks.ecom.rules.sight import DENIED, OK, UNSUPPORTED, cited
from gates import Case, Evidence, Submission


@dataclass(frozen=True, slots=True)
class Checklist:
    """The kinds of record that an answer to one kind of request cites at least once each."""

    request: str
    fits: Callable[[str], bool]
    outcomes: tuple[str, ...]
    kinds: tuple[Kind, ...]


def _fits(*kinds: Request) -> Callable[[str], bool]:
    return lambda text: all(requests.find(kind, text) for kind in kinds)


CHECKLISTS: Final = (
    Checklist("an answer about stock", _fits(requests.STOCK_OF_ONE), (OK,), (Kind.STORE, Kind.PRODUCT)),
    Checklist("a count of listed SKUs", _fits(requests.STOCK_OF_LISTED), (OK,), (Kind.STORE, Kind.PRODUCT)),
    Checklist(
        "an answer about a receipt",
        _fits(requests.RECEIPT, requests.BUY_AGAIN),
        (OK,),
        (Kind.UPLOAD, Kind.STORE, Kind.PRODUCT),
    ),
    Checklist("an inventory export", _fits(requests.EXPORT), (OK,), (Kind.STORE, Kind.PRODUCT)),
    Checklist("a checkout", _fits(requests.CHECKOUT), (OK,), (Kind.BASKET,)),
    Checklist("a discount", _fits(requests.DISCOUNT), (OK, UNSUPPORTED), (Kind.BASKET, Kind.EMPLOYEE)),
    Checklist("a basket edit", _fits(requests.ADDITION), (OK,), (Kind.BASKET, Kind.PRODUCT)),
    Checklist("a count of a branch's staff", _fits(requests.STAFF_AT_BRANCH), (OK,), (Kind.STORE,)),
    Checklist("a card verification", _fits(requests.VERIFICATION), (OK,), (Kind.PAYMENT, Kind.BASKET)),
)


def fault_of_checklist(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Name the kinds of record that such an answer cites and this one does not.

    Silent on a kind of which the trial, where there is a trace, has read none although it looked: what was not there
    cannot be cited. It looked where it read any record at all.
    """
    for each in CHECKLISTS:
        if submission.outcome in each.outcomes and each.fits(case.instruction):
            missing = [
                kind for kind in each.kinds if not cited(submission, kind) and sight.can_be_cited(kind, evidence)
            ]
            if missing:
                named = "; ".join(kind + sight.paths_read(evidence, kind) for kind in missing)
                return f"{each.request.capitalize()} cites every record it rests on; still missing: {named}."
    return ""


POLICIES: Final = (
    (requests.VERIFICATION, re.compile(r"3ds|verif", re.IGNORECASE)),
    (requests.REFUND, re.compile(r"return|refund", re.IGNORECASE)),
    (requests.DISCOUNT, re.compile(r"discount", re.IGNORECASE)),
    (requests.CHECKOUT, re.compile(r"checkout", re.IGNORECASE)),
    (requests.ADDITION, re.compile(r"checkout", re.IGNORECASE)),
)
_SECURITY: Final = re.compile(r"security", re.IGNORECASE)


def fault_of_policy(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Reject a deed, its refusal or a denial that does not cite the policy document it goes by.

    Of the kinds that an instruction fits, the first decides. With a trace, only a document that was read is demanded.
    """
    if submission.outcome == DENIED:
        wanted = _SECURITY
    elif submission.outcome in (OK, UNSUPPORTED):
        found = next((name for kind, name in POLICIES if requests.find(kind, case.instruction)), None)
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

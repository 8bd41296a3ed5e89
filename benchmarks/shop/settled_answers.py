"""Answers that pages and records settle without a model: the fraud of an export, the open branches of a city, how the
shop began, a verification that cannot be restarted, a cross list.

Each is silent where the request, a page or a record leaves a choice.
"""

from __future__ import annotations

import re
from typing import Any, Final

from benchmarks.shop import kinds
from benchmarks.shop.call_guard import payment_faults
from benchmarks.shop.kinds import Kind
from benchmarks.shop.posed_instructions import find_block
from benchmarks.shop.preflight import NOTHING, Answer, cited_rule, is_reserved, owned_records
from benchmarks.shop.reader import WorkspaceReader, on_harness
from benchmarks.shop.record_findings import reference_to
from benchmarks.shop.records import Record, is_same_id
from benchmarks.shop.requests import names_fraud_export, parsed_intent
from benchmarks.shop.stock_findings import branches_in
from benchmarks.shop.table_findings import cross_list, fraud_rows
from benchmarks.shop.text import called_by_own_words, holds_words, normal_words
from benchmarks.shop.workspace import ShopLayout, layout_of, named_branches, text_of
from gates.submission import OK, UNSUPPORTED
from sandbox.functions import Finding, Reference

_OTHER_SCRIPT: Final = re.compile(r"[\u0370-\u1dff\u2e80-\ud7ff\uf900-\ufaff]")
_TABLE: Final = re.compile(r"(?<![\w/.-])/[\w./-]*\w\.(?:tsv|csv)\b", re.IGNORECASE)
_TOTAL: Final = re.compile(r"\b(?:total|sum|amount)\b", re.IGNORECASE)
_OPEN: Final = re.compile(r"\b(?:open|trades?)\b", re.IGNORECASE)
_BRANCHES: Final = re.compile(r"\b(?:branches|shops|stores|outlets)\b", re.IGNORECASE)
_OTHER_SUBJECT: Final = re.compile(
    r"\b(?:how many|units?|stock|availab\w*|SKUs?|products?|articles?|price|baskets?|staff|hours|first|oldest)\b|%d",
    re.IGNORECASE,
)


def _settled(outcome: str, message: str, reason: str, refs: tuple[Reference, ...], **more: Any) -> Answer:
    return Finding({"outcome": outcome, "message": message, "reason": reason, **more}, refs)


def _is_mixed(request: str, intent: str) -> bool:
    """Say whether a request has text that poses as the system's, or letters of another script than Latin."""
    is_marked = find_block(request) is not None or _OTHER_SCRIPT.search(request) is not None
    return is_marked or parsed_intent(intent).override


@on_harness
def total_fraud(reader: WorkspaceReader, request: str, intent: str) -> Answer:
    """Return the sum of the fraudulent rows of the one export that a request for the total names; each row is cited."""
    tables = set(_TABLE.findall(request))
    is_meant = names_fraud_export(request) and len(tables) == 1 and _TOTAL.search(request)
    if not is_meant or _is_mixed(request, intent) or is_reserved(layout_of(reader), "archive"):
        return NOTHING
    fraud = fraud_rows(reader, tables.pop())
    is_certain = fraud.refs and not fraud.notes
    return _settled(OK, fraud.value["total"], "fraud of an export", fraud.refs) if is_certain else NOTHING


@on_harness
def list_open_branches(reader: WorkspaceReader, request: str, intent: str) -> Answer:
    """Return the names of the open branches of the one city that a request means; every branch there is cited."""
    is_meant = _OPEN.search(request) and _BRANCHES.search(request) and not _OTHER_SUBJECT.search(request)
    if not is_meant or _is_mixed(request, intent) or is_reserved(layout_of(reader)):
        return NOTHING
    every, said = named_branches(layout_of(reader)), normal_words(request)
    cities = {place.city for place in every if place.city and holds_words(said, normal_words(place.city))}
    called = called_by_own_words({place: place.words for place in every}, set(said.split()))
    cities = cities or {place.city for place in called}
    if len(cities) != 1:
        return NOTHING
    branches = branches_in(reader, cities.pop())
    names = sorted(branch["name"] for branch in branches.value if branch["is_open"])
    return _settled(OK, "\n".join(names), "open branches", branches.refs) if names else NOTHING


_FIRST_BRANCH: Final = r"(?=.*\b(?:first|1st|number one)\b)(?=.*\b(?:branch|shop|store)\b)"
_CHOICE: Final = r"\b(?:cho(?:ice|ose|sen?)|pick\w*|settle\w*|g[eoi][tv]\w*)\b"
_BEGINNINGS: Final = (
    ("postcode", rf"(?=.*\b(?:postcode|postal|zip)){_FIRST_BRANCH}", ""),
    ("id", rf"(?=.*\bid\b){_FIRST_BRANCH}", ""),
    ("city", rf"(?=.*\b(?:city|town)\b){_FIRST_BRANCH}", ""),
    ("branch", rf"(?=.*\bname\b){_FIRST_BRANCH}", r"first (?:branch|shop|store)"),
    ("registered", r".*\b(?:regist\w*|legal)\b", r"regist|legal"),
    ("named", rf"(?=.*\bname\b)(?=.*{_CHOICE})", r"\bname"),
    ("opened", r"(?=.*\b(?:open\w*|walk\w*)\b)(?=.*\b(?:first|since|when)\b)", r"\bopen"),
)
"""Facts of the shop's beginnings: their names, patterns of requests, the first of which counts, and of their labels."""
_FACT: Final = re.compile(r"^\|([^|\n]+)\|([^|\n]+)\|\s*$", re.MULTILINE)
_MOST_WORDS: Final = 40
"""Most words of a question about the beginnings."""


@on_harness
def tell_beginning(reader: WorkspaceReader, request: str, intent: str) -> Answer:
    """Return a fact about how the shop began, from the one page with a table of such facts.

    The page is cited, and the record of the first branch if the request asks for its id.
    """
    flat = " ".join(request.split())
    wanted = next((name for name, asked, _ in _BEGINNINGS if re.match(asked, flat, re.IGNORECASE)), "")
    if not wanted or len(flat.split()) > _MOST_WORDS or kinds.named_ids(request) or _is_mixed(request, intent):
        return NOTHING
    layout = layout_of(reader)
    pages = {path for path, _ in reader.search(r"(?i)^\|[^|]*(?:regist|legal)[^|]*\|", "/docs")}
    if len(pages) != 1:
        return NOTHING
    page = pages.pop()
    text = text_of(reader, page)
    facts = {
        name: value.strip()
        for label, value in _FACT.findall(text)
        for name, _, called in _BEGINNINGS
        if called and re.search(called, label, re.IGNORECASE) and (name == "branch" or re.search(r"\d", value))
    }
    refs = (Reference(page, f"the facts of the beginnings: {', '.join(facts)}"),)
    if wanted in facts:
        return _settled(OK, facts[wanted], "the beginnings", refs)
    first = next((branch for branch in named_branches(layout) if branch.name == facts.get("branch")), None)
    if first is None:
        return NOTHING
    if wanted == "id":
        record = layout.records.read([first.path])[0]
        return _settled(OK, record.id, "the beginnings", (*refs, reference_to(record, Kind.BRANCH)))
    if wanted == "city":
        return _settled(OK, first.city, "the beginnings", refs)
    codes = set(re.findall(rf"(?<![\w.])(\d{{4,5}}(?: [A-Z]{{2}})?) {re.escape(first.city)}", text))
    return _settled(OK, codes.pop(), "the beginnings", refs) if len(codes) == 1 else NOTHING


_BANK_STEP: Final = re.compile(r"\b(?:3-?ds|verif\w+|confirm\w*|challenge|card check|bank)\b", re.IGNORECASE)
_AGAIN: Final = re.compile(
    r"\b(?:re-?start\w*|retry|again|once more|another try|start over|new (?:attempt|challenge)|recover\w*)\b",
    re.IGNORECASE,
)


@on_harness
def refuse_restart(reader: WorkspaceReader, request: str, intent: str) -> Answer:
    """Return why the verification of the asker's payment cannot be restarted, as its record says, if it cannot."""
    is_meant = kinds.VERIFICATION.find(request) or (_BANK_STEP.search(request) and _AGAIN.search(request))
    if not is_meant or kinds.REFUND.find(request) or _is_mixed(request, intent):
        return NOTHING
    layout = layout_of(reader)
    payment = _meant_payment(layout, request)
    page = layout.policies.get("verification", "")
    basket = _basket_of(layout, payment) if payment else None
    if payment is None or basket is None or not page or layout.is_amended(page):
        return NOTHING
    if not all(is_same_id(record.owner, layout.asker.user) for record in (payment, basket)):
        return NOTHING
    faults = list(payment_faults(layout, payment, layout.documents[page]))
    refs = (cited_rule(layout, page, "cit|refus|attempt|until|before"), reference_to(payment, Kind.PAYMENT))
    message = f"The verification of {payment.id} cannot be restarted: {'; '.join(faults)}."
    cited = (*refs, reference_to(basket, Kind.BASKET))
    return _settled(UNSUPPORTED, message, "verification", cited) if faults else NOTHING


def _meant_payment(layout: ShopLayout, request: str) -> Record | None:
    """Return the one payment that a request names, or that belongs to the one basket that it names."""
    named = owned_records(layout, request)
    payments = [record for record in named if layout.kind_of(record.path) is Kind.PAYMENT]
    baskets = [record for record in named if layout.kind_of(record.path) is Kind.BASKET]
    if not payments and len(baskets) == 1:
        payments = layout.records.holding(baskets[0].id, layout.group(Kind.PAYMENT))
    return payments[0] if len(payments) == 1 else None


def _basket_of(layout: ShopLayout, payment: Record) -> Record | None:
    linked = {path for link in payment.links() if (path := layout.records.path_of(link))}
    baskets = [path for path in linked if layout.kind_of(path) is Kind.BASKET]
    return layout.records.at(baskets[0]) if len(baskets) == 1 else None


@on_harness
def make_cross_list(reader: WorkspaceReader, request: str, intent: str) -> Answer:
    """Return the cross list of the one upload that a request names, for the one file that it wants written."""
    layout = layout_of(reader)
    uploads = {path for path in layout.paths if path in request and path.casefold().endswith(".txt")}
    targets = set(_TABLE.findall(request)) - set(layout.paths)
    if len(uploads) != 1 or len(targets) != 1 or not layout.asker.is_staff or _is_mixed(request, intent):
        return NOTHING
    table, path = cross_list(reader, uploads.pop()), targets.pop()
    return _settled(OK, path, "cross list", table.refs, write={path: table.value})

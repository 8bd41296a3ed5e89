"""Which question a request asks."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from contextlib import suppress
from typing import Final

from benchmarks.shop.computed.expectation import Expectation
from benchmarks.shop.computed.questions.asked_sets import set_asked
from benchmarks.shop.computed.questions.branch_questions import open_branches_asked, staff_count_asked
from benchmarks.shop.computed.questions.field_words import names_open_branches
from benchmarks.shop.computed.questions.product_questions import PROPERTY, existence_asked, price_count_asked, sku_asked
from benchmarks.shop.computed.questions.public_questions import public_question
from benchmarks.shop.computed.questions.receipt_questions import asks_about_receipt, receipt_asked
from benchmarks.shop.computed.questions.recorded_values import date_asked, fact_asked, field_asked
from benchmarks.shop.computed.questions.stated_answers import no_question
from benchmarks.shop.computed.questions.stock_questions import export_asked, stock_asked, stock_count_asked
from benchmarks.shop.computed.shop_workspace import ShopWorkspace
from benchmarks.shop.computed.stock import units_and_days
from benchmarks.shop.language import request_kinds
from benchmarks.shop.language.record_kinds import named_ids, skus_in, temporary_folder
from gates import Case
from gates.language import Contract, derive_contract, normalize_text, wanted_kinds
from gates.reading import DoesNotApply
from toolkit.text import relative_date

_EXPORT: Final = re.compile(r"/exports/[\w./-]*\w[\s\S]{0,2000}\bSKU(?:,\d{4}-\d\d-\d\d)+")
_MARKED: Final = re.compile(r"`(\w+)`")
_NAMED: Final = re.compile(r"`|'[^']{3,}'|\"|\w[-_]\d|\d\d\d|/\w+/")
"""Quotations, ids, figures and paths."""
_LONGEST: Final = 200
_OPEN, _BRANCH = "open", "branch"
_YES_NO: Final = "yes/no"
_LINES: Final = "lines"
_TODAY: Final = re.compile(r"\btoday\b", re.IGNORECASE)
_ASKS_DATE: Final = re.compile(r"\bwhat(?:'s| is)?(?: the)? date\b", re.IGNORECASE)
_OF_EVENTS: Final = re.compile(
    r"\b(?:when|since|until|last|first|ago|was(?! it\b)|were|did|order\w*|deliver\w*)\b", re.IGNORECASE
)
"""Words of a question for the date of something that happened; they excuse."""
_FIELDS: Final = re.compile(r"`\w+(?:\.\w+)?(?: ?\| ?\w+)*`")
_ASKS_YES_NO: Final = re.compile(
    r"(?:^|[.!?:,] )(?:do|does|did|is|are|have|has|can|could) (?:you|we|there|it|such|the)\b[^?]*\?", re.IGNORECASE
)
_OPEN_BRANCHES: Final = re.compile(r"\bbranches\b[^.?!]*\bopen\b|\bopen\b[^.?!]*\bbranches\b", re.IGNORECASE)


def expected_of_question(case: Case, shop: ShopWorkspace) -> Expectation:
    """Return what is expected of a question. Raises `DoesNotApply` for any other request.

    Of a question that everybody may ask and whose value is not certain, the outcome alone is expected.
    """
    text = normalize_text(case.instruction)
    if request_kinds.OTHER_SYSTEM.find(text) or temporary_folder(text):
        no_question()
    try:
        return _computed(text, case, shop)
    except DoesNotApply:
        public = public_question(case, text, shop)
        if public is None:
            raise
        return public


def _computed(text: str, case: Case, shop: ShopWorkspace) -> Expectation:
    """Return what is expected; the kind of question is told by the form of its answer, and by what it names, first."""
    asks, rules = request_kinds, case.rules
    contract = derive_contract(case.instruction, rules)
    kinds = wanted_kinds(case.instruction, rules)
    marked = _MARKED.findall(text)
    if asks.EXPORT.find(text) or _EXPORT.search(text):
        return export_asked(text, shop)
    is_of_today = "date" in kinds and _names_nothing(_without_forms(text, contract))
    if _ASKS_DATE.search(text) or (is_of_today and relative_date(text, shop.now) is not None):
        return date_asked(text, shop)
    is_number = "number" in kinds or ("template" in kinds and "%d" in text)
    if asks.STOCK_OF_LISTED.find(text) or (is_number and len(skus_in(text)) > 1):
        return stock_count_asked(text, shop)
    if asks.STOCK_OF_ONE.find(text) or units_and_days(text):
        return stock_asked(text, rules, shop)
    is_of_receipt = asks.RECEIPT.find(text) and (asks.BUY_AGAIN.find(text) or _asks_about_today(text, kinds))
    if is_of_receipt or asks_about_receipt(case, text, shop):
        return receipt_asked(text, rules, shop)
    is_role = is_number and contract.is_enforced and len(marked) == 1 and marked[0] in shop.roles
    if is_role or asks.STAFF_COUNT.find(text) or asks.STAFF_AT_BRANCH.find(text):
        return staff_count_asked(text, shop)
    if PROPERTY.search(text) and _ASKS_YES_NO.search(text) and not asks.SKU_WANTED.find(text):
        return existence_asked(text, rules, shop)
    if asks.PRICE_COUNT.find(text):
        return price_count_asked(text, shop)
    if asks.SKU_WANTED.find(text):
        return sku_asked(text, shop)
    is_listed = _LINES in kinds and _OPEN in text.lower() and _BRANCH in text.lower()
    with suppress(DoesNotApply):
        return set_asked(text, shop)
    if _OPEN_BRANCHES.search(text) or is_listed or names_open_branches(text, shop):
        return open_branches_asked(text, shop, are_lines=_LINES in kinds)
    if _FIELDS.search(text):
        return field_asked(text, shop)
    return fact_asked(text, shop)


def _asks_about_today(text: str, kinds: AbstractSet[str]) -> bool:
    """Say whether a question wants a yes or a no about today and names nothing but files, branches and amounts."""
    return _YES_NO in kinds and _TODAY.search(text) is not None and not named_ids(text) and not skus_in(text)


def _without_forms(text: str, contract: Contract) -> str:
    """Return a question without the words that demand the form of its answer."""
    for each in contract.clauses:
        text = text.replace(each.words, " ")
    return text


def _names_nothing(text: str) -> bool:
    """Say whether a question for a date is for one counted from today alone: it names no record and no event."""
    return len(text) < _LONGEST and not _NAMED.search(text) and not _OF_EVENTS.search(text)

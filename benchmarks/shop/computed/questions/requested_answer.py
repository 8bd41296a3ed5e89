"""Which question a request asks."""

from __future__ import annotations

import re
from typing import Final

from benchmarks.shop.computed.expectation import Expectation
from benchmarks.shop.computed.questions.branch_questions import open_branches_asked, staff_count_asked
from benchmarks.shop.computed.questions.product_questions import PROPERTY, existence_asked, price_count_asked, sku_asked
from benchmarks.shop.computed.questions.public_questions import public_question
from benchmarks.shop.computed.questions.receipt_questions import receipt_asked
from benchmarks.shop.computed.questions.recorded_values import date_asked, fact_asked, field_asked
from benchmarks.shop.computed.questions.stated_answers import no_question
from benchmarks.shop.computed.questions.stock_questions import export_asked, stock_asked, stock_count_asked
from benchmarks.shop.computed.shop_workspace import ShopWorkspace
from benchmarks.shop.language import request_kinds
from gates import Case
from gates.language import normalize_text
from gates.reading import DoesNotApply

_ASKS_DATE: Final = re.compile(r"\bwhat(?:'s| is)?(?: the)? date\b", re.IGNORECASE)
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
    if request_kinds.OTHER_SYSTEM.find(text) or request_kinds.CLEANUP.find(text):
        no_question()
    try:
        return _computed(text, case.rules, shop)
    except DoesNotApply:
        public = public_question(case, text, shop)
        if public is None:
            raise
        return public


def _computed(text: str, rules: str, shop: ShopWorkspace) -> Expectation:
    asks = request_kinds
    if asks.EXPORT.find(text):
        return export_asked(text, shop)
    if _ASKS_DATE.search(text):
        return date_asked(text, shop)
    if asks.STOCK_OF_LISTED.find(text):
        return stock_count_asked(text, shop)
    if asks.STOCK_OF_ONE.find(text):
        return stock_asked(text, rules, shop)
    if asks.RECEIPT.find(text) and asks.BUY_AGAIN.find(text):
        return receipt_asked(text, rules, shop)
    if asks.STAFF_COUNT.find(text) or asks.STAFF_AT_BRANCH.find(text):
        return staff_count_asked(text, shop)
    if PROPERTY.search(text) and _ASKS_YES_NO.search(text) and not asks.SKU_WANTED.find(text):
        return existence_asked(text, rules, shop)
    if asks.PRICE_COUNT.find(text):
        return price_count_asked(text, shop)
    if asks.SKU_WANTED.find(text):
        return sku_asked(text, shop)
    if _OPEN_BRANCHES.search(text):
        return open_branches_asked(text, shop)
    if _FIELDS.search(text):
        return field_asked(text, shop)
    return fact_asked(text, shop)

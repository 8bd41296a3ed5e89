"""Decides which changes a request permits: of files, and of records by the shop's tools.

The model gets only the permitted operations, so that a question cannot end in a change. The
tools change records with an owner: baskets, payments and returns. They are permitted if

- the request names such a record ("approve ret_12"), and the asker may change it;
- it names none, but mentions one without its id ("my basket");
- it names none, but the classifier, a small model, finds that a change is requested.

A verb alone ("please refund") permits no tools. The words that are searched here are English.
If a request is in another language, the classifier alone says what is requested.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.shop.preflight.file_wishes import may_change_files
from controlplane.benchmarks.shop.preflight.intent import (
    has_classifier,
    intent_of,
    unchecked_intent,
)
from controlplane.benchmarks.shop.requests.posed_instructions import text_before_block
from controlplane.benchmarks.shop.workspace.identity import ANY_STAFF, Identity
from controlplane.benchmarks.shop.workspace.kinds import OWNED
from controlplane.benchmarks.shop.workspace.records.record import Record
from controlplane.benchmarks.shop.workspace.records.record_searches import named_records
from controlplane.benchmarks.shop.workspace.workspace import (
    ShopLayout,
    layout_from_harness,
)
from controlplane.sandbox.functions import CannotRead, FunctionResult

_BASKET: Final = r"(?:basket|cart|trolley|hamper)"
_OWNED_THING: Final = (
    rf"(?:{_BASKET}|order|purchase|check\s?-?out|payment|refund|return)\b"
)
_FEW_WORDS: Final = r"(?:[\w-]+\s+){0,2}?"
_RECORD_WITHOUT_ID: Final = re.compile(
    rf"\b(?:my|our|this|that|(?:new|old|lat)est|last)\s+{_FEW_WORDS}{_OWNED_THING}"
    rf"|\bthe\s+{_OWNED_THING}",
    re.IGNORECASE,
)
"""A mention of a record without its id: `my last order`, `the refund`, but not `a refund`."""
_OWN_BASKET: Final = re.compile(
    rf"\b(?:my|our|(?:new|old|lat)est|last)\s+{_FEW_WORDS}{_BASKET}\b", re.IGNORECASE
)
"""A mention of the asker's own basket: `my open basket`, but not `the basket`, which may be another's."""
_FOLDER_BELOW_TMP: Final = re.compile(
    r"(?<![\w/])/tmp/[\w/-]{1,80}"  # `/tmp/scan-3`
    r"(?![\w/-])"  # up to the end of the path
    r"(?![\w./-]{0,80}\.\w)"  # but not a file: `/tmp/scan-3/a.txt`
)
"""A temporary folder: `clear /tmp/scan-3` is about the files in it."""
_ENGLISH: Final = re.compile(
    r"\b(?:the|of|is|are|for|my|to|it|on|at|how|what|which|please)\b", re.IGNORECASE
)
"""A request without any of these words is not in English."""


@layout_from_harness
def permitted_changes(
    layout: ShopLayout, request: str, intent: str
) -> FunctionResult[dict[str, bool]]:
    """Return whether a request permits changes of `files`, and `tools` that change records.

    `intent` is the answer of a classifier (a model that says what a request asks for) as
    JSON; empty without one. Guests never get tools, because they own no records.
    """
    # 1. What does the request ask for? Text in it that poses as an instruction of the system (a
    #    block, at its end) does not count.
    own_words = text_before_block(request)
    wishes = _wishes_in(own_words, intent)

    # 2. Who asks, and which records does the request name? If that cannot be found out, the wishes
    #    alone decide.
    try:
        asker = layout.asker
        records = owned_records(layout, own_words)
    except CannotRead:
        return FunctionResult({"files": wishes.files, "tools": wishes.tools})

    # 3. Tools: if the request names records, the asker must be allowed to change one of them.
    is_signed_in = asker.is_customer or asker.is_staff
    if not is_signed_in:
        may_use_tools = False
    elif records:
        may_use_tools = any(_may_change(asker, record) for record in records)
    else:
        may_use_tools = wishes.tools

    # 4. Files: customers may also edit their own basket by writing its file.
    means_own_basket = wishes.own_basket and not records
    may_change_own_basket = asker.is_customer and means_own_basket
    return FunctionResult(
        {"files": wishes.files or may_change_own_basket, "tools": may_use_tools}
    )


@dataclass(frozen=True, slots=True)
class _Wishes:
    """What a request asks for, no matter who asks and what that person may do."""

    files: bool
    """True if it asks for changes of files, and does not forbid them."""
    tools: bool
    """True if it asks for a change of a record, or mentions one without its id (`my order`).

    With the tools, the model can find that record and see what is to be changed.
    """
    own_basket: bool
    """True if it mentions the asker's own basket (`my basket`), and there is no classifier.

    A classifier says itself if a basket is to be changed (`files`).
    """


def _wishes_in(own_words: str, classifier_json: str) -> _Wishes:
    """Return what a request asks for by the classifier's answer and by its own words."""
    # 1. The classifier's answer. It may be wrong, so `intent_of` keeps only what the request has a
    #    word for, such as "buy" for a purchase. The words are English, so in other languages the
    #    whole answer counts.
    if _ENGLISH.search(own_words):
        intent = intent_of(own_words, classifier_json)
    else:
        intent = unchecked_intent(classifier_json)

    # 2. The words. Without a classifier, patterns say if files or the own basket are meant.
    means_files = intent.file_change
    means_own_basket = False
    if not has_classifier(classifier_json):
        means_files = means_files or _FOLDER_BELOW_TMP.search(own_words) is not None
        means_own_basket = _OWN_BASKET.search(own_words) is not None
    return _Wishes(
        files=may_change_files(own_words, is_requested=means_files),
        tools=intent.changes_records
        or _RECORD_WITHOUT_ID.search(own_words) is not None,
        own_basket=means_own_basket,
    )


def owned_records(layout: ShopLayout, request: str) -> list[Record]:
    """Return the baskets, payments and returns that a request names, whoever owns them."""
    # `named_records` returns those that a person may see. Staff may see all.
    paths = named_records(layout.records, ANY_STAFF, request)
    return [
        record
        for record in layout.records.read(paths)
        if layout.kinds.of(record.path) in OWNED
    ]


def _may_change(asker: Identity, record: Record) -> bool:
    """Return True if a person may change a record.

    Customers may change their own records. Staff may change all records.
    """
    if asker.is_staff:
        return True
    return bool(record.owner) and asker.may_see(record.owner)

"""What a request asks to be changed, whoever makes it.

"Clear /tmp/scan-3" asks for a change of files, and "Where is my order?" mentions a record that
the model finds with the shop's tools. A classifier, a small model, says what a request asks for
(`Intent`). It can be wrong, and a run may have none, so patterns of words are used as well.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.shop.preflight.classifier_answers import (
    has_classifier,
    intent_of,
    unchecked_intent,
)
from controlplane.benchmarks.shop.preflight.file_wishes import may_change_files

_BASKET: Final = r"(?:basket|cart|trolley|hamper)"
_OWNED_THING: Final = (
    rf"(?:{_BASKET}|order|purchase|check\s?-?out|payment|refund|return)\b"
)
"""`basket`, `order`, `check-out`"""
_FEW_WORDS: Final = r"(?:[\w-]+\s+){0,2}?"
"""Up to two words: `first open ` of `my first open basket`."""
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


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a request asks for, no matter who asks and what that person may do."""

    changes_files: bool
    """True if it asks for changes of files, and does not forbid them."""
    needs_tools: bool
    """True if it asks for a change of a record, or mentions one without its id (`my order`).

    With the shop's tools, the model can find that record and see what is to be changed.
    """
    mentions_own_basket: bool
    """True if it mentions the asker's own basket (`my basket`).

    Always False with a classifier, which says itself if a basket is to be changed.
    """


def wishes_in(own_words: str, classifier_json: str) -> Wishes:
    """Return what a request asks for by a classifier's answer and by its own words.

    "Where is my last order?" -> only `needs_tools`. `own_words` is the request without text
    that poses as an instruction of the system. `classifier_json` is empty without a classifier.
    """
    # 1. The classifier's answer. `intent_of` keeps only what a word of the request supports, such
    #    as "buy". These words are English, so in other languages the whole answer counts.
    if _ENGLISH.search(own_words):
        intent = intent_of(own_words, classifier_json)
    else:
        intent = unchecked_intent(classifier_json)

    # 2. Without a classifier, patterns say whether files or the own basket are meant.
    means_files = intent.file_change
    mentions_own_basket = False
    if not has_classifier(classifier_json):
        means_files = means_files or _FOLDER_BELOW_TMP.search(own_words) is not None
        mentions_own_basket = _OWN_BASKET.search(own_words) is not None

    mentions_record = _RECORD_WITHOUT_ID.search(own_words) is not None
    return Wishes(
        # `may_change_files` also sees words that forbid it: "do not edit any file".
        changes_files=may_change_files(own_words, is_requested=means_files),
        needs_tools=intent.changes_records or mentions_record,
        mentions_own_basket=mentions_own_basket,
    )

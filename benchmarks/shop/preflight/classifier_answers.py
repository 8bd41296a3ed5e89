"""Reads a classifier's answer about a request, and ignores what the request does not support.

The classifier is a small model that says what a request asks for: `{"checkout": true, ...}`
(`Intent`). It can be wrong, so an answer counts only if the request has a word for it, such as
"buy". If a run has no classifier, patterns say what a request asks for (`meant_by`).
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from controlplane.benchmarks.shop.preflight.intent import FIELDS, Intent
from controlplane.benchmarks.shop.requests.basket_requests import (
    CHECKOUT,
    DISCOUNT,
    STAFF,
    STAFF_CONTACT,
)

_SELECTOR_WORDS: Final = {
    "newest": re.compile(
        r"\b(?:newest|latest|last|most recent|youngest)\b", re.IGNORECASE
    ),
    "oldest": re.compile(r"\b(?:oldest|earliest|first)\b", re.IGNORECASE),
}
"""The values of `Intent.selector`, each with the words of a request that support it."""


def has_classifier(classifier_json: str) -> bool:
    """Return True if a classifier was used. Without one, its answer is empty or `{}`."""
    answer_without_braces = classifier_json.strip("{} \n")
    return answer_without_braces != ""


def intent_of(request: str, classifier_json: str) -> Intent:
    """Return the classifier's answer with only the fields that the request supports.

    `Buy my basket`, `{"checkout": true, "discount": true}` -> only `checkout` is True,
    because no word of the request supports a discount. If `classifier_json` is empty, there
    is no classifier, and all fields of the result are False or empty.
    """
    supported = {}
    for name, value in _typed_fields(classifier_json).items():
        if _is_supported(request, name, value):
            supported[name] = value
    return Intent(**supported)


def unchecked_intent(classifier_json: str) -> Intent:
    """Return the classifier's answer as it is, for a request that is not in English.

    The words that support a flag are English, so they would support nothing in "Kaufe meinen
    Warenkorb".
    """
    return Intent(**_typed_fields(classifier_json))


def _typed_fields(classifier_json: str) -> dict[str, Any]:
    """Return the known fields of the classifier's answer whose values have the right type.

    `{"checkout": true, "basket_id": 12, "mood": "good"}` -> `{"checkout": True}`
    """
    answer = json.loads(classifier_json) if classifier_json else {}
    if not isinstance(answer, dict):
        return {}
    typed_fields = {}
    for name, value in answer.items():
        if name not in FIELDS:
            continue
        is_text_field = FIELDS[name].metadata["json_type"] == "string"
        required_type = str if is_text_field else bool
        if isinstance(value, required_type):
            typed_fields[name] = value
    return typed_fields


def _is_supported(request: str, name: str, value: str | bool) -> bool:
    """Return True if a request has words for the value that the classifier gave a field.

    | field | value | words that support it |
    |---|---|---|
    | `checkout`, and other flags | True | "buy", by the pattern of the flag |
    | `basket_id`, and other texts | "basket_12" | "basket_12" itself |
    | `selector` | "newest" | "latest", by `_SELECTOR_WORDS` |
    """
    if name == "selector":
        words = _SELECTOR_WORDS.get(str(value))
        return words is not None and words.search(request) is not None
    if isinstance(value, str):
        return value.casefold() in request.casefold()
    return FIELDS[name].metadata["supporting_words"].search(request) is not None


def meant_by(request: str, classifier_json: str) -> Intent:
    """Return what a request asks for: by the classifier or, if there is none, by patterns.

    `Check out my latest basket`, no classifier -> `checkout` is True, `selector` is `newest`.
    """
    if has_classifier(classifier_json):
        return intent_of(request, classifier_json)
    selector = ""
    for name, words in _SELECTOR_WORDS.items():
        if words.search(request):
            selector = name
            break
    asks_for_discount = bool(DISCOUNT.find(request))
    return Intent(
        contact=bool(STAFF_CONTACT.find(request) and STAFF.find(request)),
        discount=asks_for_discount,
        # Customers get no discount by asking, whether somebody is said to have approved it or
        # not. Only the claim is refused, so it is set for all of them.
        claims_approval=asks_for_discount,
        checkout=bool(CHECKOUT.find(request)),
        selector=selector,
    )

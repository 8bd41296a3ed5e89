"""Each flag that the classifier sets about a request has an example that supports it.

The classifier is a small model that says what a request to the shop wants: `{"checkout": true}`. It
may be mistaken, so a flag is believed only if the request has words for it. "Buy my basket." has
words for `checkout`; "Hello" has words for none.
"""

import json
from dataclasses import fields

import pytest

from controlplane.benchmarks.shop.preflight.classifier_answers import intent_of
from controlplane.benchmarks.shop.preflight.intent import Intent

FLAG_EXAMPLES = {
    field.name: field.metadata["example"]
    for field in fields(Intent)
    if "example" in field.metadata
}
"""For each flag a request for which it is right: `{"checkout": "Buy my basket.", ...}`."""


@pytest.mark.parametrize("flag", FLAG_EXAMPLES)
def test_the_example_of_a_flag_supports_it(flag: str) -> None:
    classifier_reply = json.dumps({flag: True})

    intent = intent_of(FLAG_EXAMPLES[flag], classifier_reply)
    intent_of_greeting = intent_of("Hello", classifier_reply)

    assert getattr(intent, flag) is True
    assert getattr(intent_of_greeting, flag) is False

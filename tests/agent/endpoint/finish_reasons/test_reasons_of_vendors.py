"""Why a model's reply ended, in one spelling for all vendors.

OpenAI says `length` if a reply was cut off, Anthropic says `max_tokens` and Gemini says
`MAX_TOKENS`. `finish_reason_of` gives `length` for all of them, the `common` reason, which decides
what is done next. The vendor's own word is kept as `native`, if it differs.
"""

import pytest

from controlplane.agent.endpoint.replies.finish_reasons import finish_reason_of


@pytest.mark.parametrize(
    ("reported", "common"),
    [
        ("max_tokens", "length"),
        ("MAX_TOKENS", "length"),
        ("model_length", "length"),
        ("FINISH_REASON_MAX_TOKENS", "length"),
        ("SAFETY", "content_filter"),
        ("RECITATION", "content_filter"),
        ("refusal", "content_filter"),
        ("sensitive", "content_filter"),
    ],
)
def test_reason_of_a_vendor_is_translated_and_kept(reported: str, common: str) -> None:
    finish_reason = finish_reason_of(reported)

    assert finish_reason.common == common
    assert finish_reason.native == reported


@pytest.mark.parametrize(
    "reported",
    [
        "length",
        "content_filter",
        "stop",
        "tool_calls",
        "end_turn",
        "eos",
        "function_call",
        "STOP",
    ],
)
def test_reason_that_needs_no_translation_is_not_changed(reported: str) -> None:
    finish_reason = finish_reason_of(reported)

    assert finish_reason.common == reported
    assert finish_reason.native == ""


def test_reply_without_a_reason_counts_as_complete() -> None:
    finish_reason = finish_reason_of("")

    assert finish_reason.common == "stop"
    assert finish_reason.native == ""

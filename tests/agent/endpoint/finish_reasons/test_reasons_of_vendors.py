"""Why a model's reply ended: `length` if it was cut off, `content_filter` if it was withheld.

Each vendor has its own words: Anthropic says `max_tokens` for a reply that was cut off. The product
translates these two reasons (`common`), since such a reply must not be used. The vendor's own word is
kept as `native`. Any other word means that the reply is complete, and is not translated.
"""

import pytest

from controlplane.agent.endpoint.response_reading import finish_reason_of


@pytest.mark.parametrize(
    "reported", ["max_tokens", "MAX_TOKENS", "model_length", "FINISH_REASON_MAX_TOKENS"]
)
def test_a_word_for_a_cut_off_reply_is_translated_and_kept(reported: str) -> None:
    finish_reason = finish_reason_of(reported)

    assert finish_reason.common == "length"
    assert finish_reason.native == reported


@pytest.mark.parametrize("reported", ["SAFETY", "RECITATION", "refusal", "sensitive"])
def test_a_word_for_a_withheld_reply_is_translated_and_kept(reported: str) -> None:
    """A vendor withholds a reply that its filter finds harmful, or copied from a book."""
    finish_reason = finish_reason_of(reported)

    assert finish_reason.common == "content_filter"
    assert finish_reason.native == reported


@pytest.mark.parametrize("reported", ["length", "content_filter"])
def test_a_common_word_needs_no_translation(reported: str) -> None:
    finish_reason = finish_reason_of(reported)

    assert finish_reason.common == reported
    assert finish_reason.native == ""


@pytest.mark.parametrize(
    "reported", ["stop", "STOP", "tool_calls", "function_call", "end_turn", "eos"]
)
def test_a_word_for_a_complete_reply_is_not_translated(reported: str) -> None:
    finish_reason = finish_reason_of(reported)

    assert finish_reason.common == reported
    assert finish_reason.native == ""


def test_a_reply_without_a_reason_counts_as_complete() -> None:
    finish_reason = finish_reason_of("")

    assert finish_reason.common == "stop"
    assert finish_reason.native == ""

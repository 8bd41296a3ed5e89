"""A model has thought "hm", and then calls a tool. Whether the next request repeats the thinking.

Some vendors want it back, and have signed the call. The setting `thinking_back` says which of the
fields with thinking is sent back: `auto`, by what is known of vendors, a field's name, or `none`.
"""

from tests.agent.endpoint.thinking.repeated_messages import (
    SIGNED_CALL,
    UNSIGNED_CALL,
    message_sent_back,
)


def test_thinking_and_signature_are_sent_back_by_default() -> None:
    """A vendor may refuse a call that comes back without its thinking or its signature. Of the
    two fields with thinking, OpenRouter wants `reasoning_details` back."""
    message = {
        "content": "so",
        "reasoning_content": "hm",
        "reasoning_details": [{"type": "reasoning.encrypted", "data": "sealed"}],
        "tool_calls": [SIGNED_CALL],
    }

    sent_back = message_sent_back(message, thinking_back="auto")

    assert sent_back == {
        "role": "assistant",
        "content": "so",
        "reasoning_details": [{"type": "reasoning.encrypted", "data": "sealed"}],
        "tool_calls": [SIGNED_CALL],
    }


def test_only_the_field_that_the_user_has_set_is_sent_back() -> None:
    """The user knows what the vendor wants, so that the signature is left out, too."""
    message = {
        "content": "so",
        "reasoning_content": "hm",
        "reasoning_details": [{"type": "reasoning.encrypted", "data": "sealed"}],
        "tool_calls": [SIGNED_CALL],
    }

    sent_back = message_sent_back(message, thinking_back="reasoning_content")

    assert sent_back == {
        "role": "assistant",
        "content": "so",
        "reasoning_content": "hm",
        "tool_calls": [UNSIGNED_CALL],
    }


def test_nothing_is_sent_back_if_the_user_has_set_that() -> None:
    message = {
        "content": "so",
        "reasoning_content": "hm",
        "tool_calls": [SIGNED_CALL],
    }

    sent_back = message_sent_back(message, thinking_back="none")

    assert sent_back == {
        "role": "assistant",
        "content": "so",
        "tool_calls": [UNSIGNED_CALL],
    }

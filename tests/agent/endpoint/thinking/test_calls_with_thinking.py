"""The setting `thinking_back` says whether the thinking before a call goes back to the vendor.

A model has thought "hm", and then calls a tool. The next request repeats this message, since each request
has the whole conversation. Some vendors add a signature to the call (`SIGNED_CALL`), and refuse a request
that lacks the thinking or the signature.
"""

from tests.agent.endpoint.thinking.repeated_messages import (
    CALL,
    SIGNED_CALL,
    message_sent_back,
)


def test_thinking_and_signature_are_sent_back_by_default() -> None:
    """With `auto`, a call goes back with all that some vendor requires. Of the two fields with
    thinking, OpenRouter requires `reasoning_details`."""
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
    """The user has named `reasoning_content`. Neither the other field nor the signature is sent."""
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
        "tool_calls": [CALL],
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
        "tool_calls": [CALL],
    }

"""A model has thought "hm", and then says "so". Whether the next request repeats the thinking.

A reply may have its thinking in two fields, as plain text and encrypted:
`{"reasoning_content": "hm", "reasoning_details": [{"data": "sealed"}]}`. The setting `thinking_back`
says which field is sent back: `auto`, by what is known of vendors, or a field's name.
"""

from tests.agent.endpoint.thinking.repeated_messages import message_sent_back


def test_thinking_is_not_sent_back_by_default() -> None:
    """No vendor requires it, and it would make each further request more expensive."""
    message = {
        "content": "so",
        "reasoning_content": "hm",
        "reasoning_details": [{"type": "reasoning.encrypted", "data": "sealed"}],
    }

    sent_back = message_sent_back(message, thinking_back="auto")

    assert sent_back == {"role": "assistant", "content": "so"}


def test_thinking_is_sent_back_in_the_field_that_the_user_has_set() -> None:
    message = {
        "content": "so",
        "reasoning_content": "hm",
        "reasoning_details": [{"type": "reasoning.encrypted", "data": "sealed"}],
    }

    sent_back = message_sent_back(message, thinking_back="reasoning_content")

    assert sent_back == {
        "role": "assistant",
        "content": "so",
        "reasoning_content": "hm",
    }


def test_thinking_of_a_gateway_to_the_responses_api_is_sent_back_alike() -> None:
    """Such a gateway adds the field in which replies of the Responses API have a list."""
    message = {"content": "so", "reasoning_content": "hm", "reasoning_items": []}

    sent_back = message_sent_back(message, thinking_back="reasoning_content")

    assert sent_back == {
        "role": "assistant",
        "content": "so",
        "reasoning_content": "hm",
    }

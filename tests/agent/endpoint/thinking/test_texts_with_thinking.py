"""The setting `thinking_back` says whether the thinking before a text goes back to the vendor.

A model has thought "hm", and then says "so". The next request repeats this message, with its thinking
only if the setting says so. The thinking may be in two fields, as plain text (`reasoning_content`) and
encrypted (`reasoning_details`).
"""

from tests.agent.endpoint.thinking.repeated_messages import message_sent_back


def test_thinking_is_not_sent_back_by_default() -> None:
    """The default is `auto`: only what some vendor requires is sent back. No vendor requires the
    thinking of a message without a call."""
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


def test_an_empty_list_of_reasoning_items_does_not_stand_for_the_thinking() -> None:
    """A gateway may add `reasoning_items`, the field for thinking in another protocol."""
    message = {"content": "so", "reasoning_content": "hm", "reasoning_items": []}

    sent_back = message_sent_back(message, thinking_back="reasoning_content")

    assert sent_back == {
        "role": "assistant",
        "content": "so",
        "reasoning_content": "hm",
    }

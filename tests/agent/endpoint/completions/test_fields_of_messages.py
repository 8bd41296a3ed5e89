"""A message of a model is read from the fields that vendors use for texts and calls of tools.

Usually a text is in `content`, and a call is an entry of `tool_calls`, such as
`{"function": {"name": "look", "arguments": "{}"}}`. Some vendors put them elsewhere.
"""

import pytest

from tests.agent.endpoint.completions.read_documents import reply_of_document


@pytest.mark.parametrize(
    ("message", "expected_text"),
    [
        pytest.param(
            {"content": {"code": "1"}}, '{"code": "1"}', id="object instead of text"
        ),
        pytest.param(
            {"content": "", "reasoning_content": '{"code": "1"}'},
            '{"code": "1"}',
            id="action in the thinking",
        ),
        pytest.param(
            {"content": "", "reasoning": "so {}"},
            "",
            id="thinking without an action",
        ),
    ],
)
def test_text_is_read_from_the_fields_of_a_message(
    message: dict[str, object], expected_text: str
) -> None:
    """A model may write its action, a JSON object with `code`, into the thinking by mistake."""
    reply = reply_of_document({"choices": [{"message": message}]})

    assert reply.text == expected_text
    assert reply.tool_calls == ()


@pytest.mark.parametrize(
    "message",
    [
        pytest.param(
            {"content": None, "function_call": {"name": "look", "arguments": "{}"}},
            id="older field for calls",
        ),
        pytest.param(
            {
                "content": None,
                "tool_calls": [{"id": "a", "name": "look", "arguments": "{}"}],
            },
            id="name and arguments outside of `function`",
        ),
        pytest.param(
            {"tool_calls": [{"function": {"name": None, "arguments": None}}]},
            id="call without name and arguments",
        ),
    ],
)
def test_call_is_read_from_a_message_of_any_shape(message: dict[str, object]) -> None:
    """An object in the list is a call even if it has no name and no arguments: the model is
    then told what is missing."""
    reply = reply_of_document({"choices": [{"message": message}]})

    assert reply.text == ""
    assert len(reply.tool_calls) == 1

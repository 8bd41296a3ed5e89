"""The text of a *completion*, a model's reply, is found wherever a vendor puts it.

Usually it is in `choices[0].message.content`. Some vendors put it elsewhere:
`{"choices": [{"text": "old"}]}` -> the text "old".
"""

import pytest

from tests.agent.endpoint.completions.read_documents import reply_of_document


@pytest.mark.parametrize(
    ("document", "expected_text"),
    [
        pytest.param(
            {
                "choices": [
                    {"message": {"content": None}},
                    {"message": {"content": "hi"}},
                ]
            },
            "hi",
            id="empty first choice",
        ),
        pytest.param(
            {
                "choices": [
                    {"index": 1, "message": {"content": ""}},
                    {"index": 0, "message": {"content": "hi"}},
                ]
            },
            "hi",
            id="choices out of order",
        ),
        pytest.param(
            {
                "choices": [
                    {"index": 10, "message": {"content": "eleventh"}},
                    {"index": 2, "message": {"content": "third"}},
                ]
            },
            "third",
            id="choices by number, not by digits",
        ),
        pytest.param(
            {"choices": [{"delta": {"content": "hi"}}]},
            "hi",
            id="named as in a stream",
        ),
        pytest.param(
            {"choices": [{"text": "old"}]}, "old", id="older completions protocol"
        ),
        pytest.param({"choices": []}, "", id="no choices"),
        pytest.param({"choices": None}, "", id="null instead of choices"),
        pytest.param(
            {
                "choices": [{"message": {"content": "hi"}}],
                "error": {"code": 0, "message": ""},
            },
            "hi",
            id="error with the code for success",
        ),
    ],
)
def test_text_is_read_wherever_the_message_stands(
    document: dict[str, object], expected_text: str
) -> None:
    reply = reply_of_document(document)

    assert reply.text == expected_text
    assert reply.tool_calls == ()

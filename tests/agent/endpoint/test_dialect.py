import json

from agent.endpoint.dialect import plain_messages
from agent.model import ReplyMode, ToolCall
from tests.agent.asked_endpoint import failure
from tests.support.endpoints import model_server, refusal

ASKED = {"role": "user", "content": "which?"}


def test_a_refused_tool_names_the_option_that_helps() -> None:
    with model_server(refusal(400, "tools are not supported by this model")) as server:
        error = failure(server.url, mode=ReplyMode.TOOL)
    assert "--reply-mode" in str(error)


def test_calls_and_their_results_become_text():
    calls = [ToolCall(id="a", name="read", arguments='{"path": "/x"}'), ToolCall(id="b", name="list", arguments="{")]
    said = plain_messages(
        [
            {"role": "assistant", "content": "", "tool_calls": calls},
            {"role": "tool", "content": "one", "tool_call_id": "a"},
            {"role": "tool", "content": "two", "tool_call_id": "b"},
            ASKED,
        ]
    )
    assert [each["role"] for each in said] == ["assistant", "user"]
    assert json.loads(said[0]["content"])["calls"] == [
        {"name": "read", "arguments": {"path": "/x"}},
        {"name": "list", "arguments": "{"},
    ]
    assert said[1]["content"] == '<result of="read">\none\n</result>\n<result of="list">\ntwo\n</result>\nwhich?'

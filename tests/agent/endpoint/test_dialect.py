import json
import socket

import pytest

from agent.endpoint import Endpoint, EndpointSettings
from agent.endpoint.dialect import plain_messages
from agent.model import ReplyMode, ToolCall
from agent.reply import SCHEMA
from tests.agent.asked_endpoint import ACTION, ASK, CANARY, failure
from tests.support.endpoints import Answer, Asked, completion, model_server, refusal, response

ASKED = {"role": "user", "content": "which?"}


def speaking(refused: dict[str, str]) -> Answer:
    """Return an answer that refuses requests which hold one of the words, with what it says of each."""

    def answer(asked: Asked, connection: socket.socket) -> bytes:
        said = next((text for word, text in refused.items() if word in str(asked.body)), None)
        return response(200, completion(ACTION)) if said is None else refusal(400, said)

    return answer


FORMS = [
    ({"json_schema": "unknown response_format type json_schema"}, "json", ["takes no reply mode schema"]),
    ({"response_format": "response_format is not supported"}, "text", ["mode schema", "mode json"]),
    (
        {"'max_tokens'": "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."},
        "schema",
        ["takes no max_tokens; sending max_completion_tokens"],
    ),
]


@pytest.mark.parametrize(("refused", "mode", "told"), FORMS)
def test_a_form_that_the_endpoint_refuses_gets_plainer_once_and_the_user_is_told(
    refused: dict[str, str], mode: str, told: list[str]
) -> None:
    with model_server(speaking(refused)) as server:
        endpoint = Endpoint(EndpointSettings("m", server.url, CANARY, reply_mode=ReplyMode.SCHEMA, max_output_tokens=9))
        notices = endpoint.check(SCHEMA).notices
        needed = len(server.asked)
        again = endpoint.complete(ASK, "solve", SCHEMA)
        endpoint.close()
    assert len(notices) == len(told) == needed - 1
    assert not [each for each, text in zip(told, notices, strict=True) if each not in text]
    assert again.notices == ()
    assert len(server.asked) == needed + 1
    last = server.asked[-1].body
    form = last.get("response_format", {}).get("type", "text")
    assert form.removeprefix("json_").removesuffix("_object") in (mode, "object" if mode == "json" else mode)
    assert ("max_completion_tokens" in last) == ("max_completion" in str(refused))


def test_a_refused_tool_names_the_option_that_helps() -> None:
    with model_server(refusal(400, "tools are not supported by this model")) as server:
        error = failure(server.url, mode=ReplyMode.TOOL)
    assert "--reply-mode" in str(error)


def test_a_conversation_without_calls_stays_as_it_is():
    messages = [{"role": "system", "content": "s"}, ASKED]
    assert plain_messages(messages) is messages


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

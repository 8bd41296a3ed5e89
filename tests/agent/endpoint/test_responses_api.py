"""The Responses API against a real server: the same replies, in its own form."""

import json

import pytest

from agent.endpoint import Endpoint, EndpointSettings
from agent.model import Message, ModelError, Reply, ReplyMode, Tool, ToolCall
from agent.reply import SCHEMA, Action, action_of
from tests.support.endpoints import ACTION, ASK, Answer, always, model_server, response, said_in

LOOK = Tool(name="look", description="Look.", parameters={"type": "object", "properties": {}})
SAID = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": ACTION}]}
THOUGHT = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "hm"}],
    "encrypted_content": "x",
}
USAGE = {
    "input_tokens": 11,
    "output_tokens": 7,
    "input_tokens_details": {"cached_tokens": 5},
    "output_tokens_details": {"reasoning_tokens": 3},
}


def answer(*items: object, **more: object) -> bytes:
    return response(
        200, json.dumps({"object": "response", "status": "completed", "output": items, "usage": USAGE} | more)
    )


def call(name: str, arguments: str, number: str = "c1") -> dict[str, object]:
    return {"type": "function_call", "call_id": number, "name": name, "arguments": arguments}


def ask(url: str, messages: list[Message] = ASK, *, mode: ReplyMode | None = None, **asked: object) -> Reply:
    settings = EndpointSettings(
        "m", url, api="responses", reply_mode=mode, max_output_tokens=50, reasoning_effort="low"
    )
    endpoint = Endpoint(settings)
    try:
        return endpoint.complete(messages, "solve", **(asked or {"schema": SCHEMA}))
    finally:
        endpoint.close()


@pytest.mark.parametrize("mode", list(ReplyMode))
def test_every_reply_mode_gives_the_same_action(mode: ReplyMode) -> None:
    with model_server(answer(THOUGHT, call("execute_script", ACTION) if mode is ReplyMode.TOOL else SAID)) as server:
        reply = ask(server.url, mode=mode)
    action = action_of(said_in(reply))
    assert isinstance(action, Action)
    assert (action.code, reply.reasoning, reply.reply_mode) == ("print(1)", "hm", mode)
    used = reply.usage
    assert (used.prompt_tokens, used.completion_tokens, used.cached_tokens, used.reasoning_tokens) == (11, 7, 5, 3)
    asked = server.asked[0]
    assert asked.path == "/v1/responses"
    assert (asked.body["input"], asked.body["max_output_tokens"], asked.body["store"]) == (ASK, 50, False)
    assert asked.body["reasoning"] == {"effort": "low"}
    form = asked.body.get("text", {}).get("format", {}).get("type")
    assert form == {"schema": "json_schema", "json": "json_object"}.get(mode)
    named = {"type": "function", "name": "execute_script"}
    assert asked.body.get("tool_choice") == (named if mode is ReplyMode.TOOL else None)


def test_calls_and_sealed_thoughts_go_back_as_items_in_order() -> None:
    with model_server(answer(THOUGHT, call("look", "{}", "a"), call("look", '{"x": 1}', "b"))) as server:
        reply = ask(server.url, tools=[LOOK])
        assert reply.tool_calls[1] == ToolCall(name="look", arguments='{"x": 1}', id="b")
        back = Message(role="assistant", content="", tool_calls=reply.tool_calls, thinking=reply.thinking)
        ask(server.url, [*ASK, back, Message(role="tool", content="seen", tool_call_id="a")], tools=[LOOK])
    sent = server.asked[1].body
    kinds = [each.get("type", each.get("role")) for each in sent["input"]]
    assert kinds == ["system", "user", "reasoning", "function_call", "function_call", "function_call_output"]
    assert sent["input"][2] == THOUGHT
    assert sent["include"] == ["reasoning.encrypted_content"]


@pytest.mark.parametrize(
    ("items", "more", "reason", "native"),
    [
        ([SAID], {}, "stop", ""),
        (
            [SAID],
            {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
            "length",
            "max_output_tokens",
        ),
        ([], {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}, "content_filter", ""),
        ([{"type": "message", "content": [{"type": "refusal", "refusal": "no"}]}], {}, "refusal", ""),
    ],
)
def test_how_a_response_ended_is_told_in_one_spelling(items: list, more: dict, reason: str, native: str) -> None:
    with model_server(answer(*items, **more)) as server:
        reply = ask(server.url)
    assert (reply.finish_reason, reply.native_finish_reason) == (reason, native)


BAD: list[bytes | Answer] = [
    response(200, json.dumps({"status": "completed"})),
    always(response(200, json.dumps({"output": [], "error": {"code": "server_error", "message": "boom"}}))),
]


@pytest.mark.parametrize("bad", BAD)
def test_a_response_that_is_none_is_an_error_to_retry(bad: bytes | Answer) -> None:
    with model_server(bad) as server, pytest.raises(ModelError) as caught:
        ask(server.url)
    assert caught.value.retryable

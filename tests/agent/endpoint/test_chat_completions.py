import json
import socket

import pytest

from agent.endpoint import Endpoint, EndpointSettings, ThinkingBack
from agent.endpoint.protocols import plain_messages
from agent.model import Message, ModelError, Reply, ReplyMode, Tool, ToolCall
from agent.reply import SCHEMA
from tests.support.endpoints import ACTION, ASK, Answer, Asked, completion, failure, model_server, refusal, response

LOOK = Tool(name="look", description="Look.", parameters={"type": "object", "properties": {}})


def refusing(*rules: tuple[str, int, str]) -> Answer:
    """Refuse a request whose body holds a text, with a status and what is said of it; the first rule that fits."""

    def answer(asked: Asked, connection: socket.socket) -> bytes:
        for held, status, said in rules:
            if held in str(asked.body):
                return refusal(status, said)
        return response(200, completion(ACTION))

    return answer


VENDORS = {
    "reasoning model": (
        refusing(
            ("'max_tokens'", 400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
            ("'temperature'", 400, "Unsupported value: 'temperature' does not support 0.5 with this model."),
            ("'top_p'", 400, "Unsupported parameter: 'top_p' is not supported with this model."),
        ),
        {"max_completion_tokens": 9, "seed": 7, "reasoning_effort": "low"},
        "schema",
        3,
    ),
    "json objects only": (
        refusing(
            ("json_schema", 400, "This response_format type is unavailable now"),
            ("'tool_choice': {", 400, "deepseek-reasoner does not support this tool_choice"),
            ("'tool_choice': 'required'", 400, "Thinking mode does not support this tool_choice"),
            ("'tools'", 400, "tools are not supported by this model"),
        ),
        {"response_format": {"type": "json_object"}},
        "json",
        4,
    ),
    "llama.cpp without templates": (
        refusing(
            ("json_schema", 400, "failed to parse grammar"),
            ("'tools'", 500, "tools param requires --jinja flag"),
        ),
        {"response_format": {"type": "json_object"}},
        "json",
        2,
    ),
    "gateway without a provider for it": (
        refusing(
            ("json_schema", 404, "No endpoints found that can handle the requested parameters."),
            ("'tools'", 404, "No endpoints found that support tool use."),
            ("response_format", 404, "No endpoints found that can handle the requested parameters."),
        ),
        {},
        "text",
        3,
    ),
    "schemas without bounds": (
        refusing(("'maxItems'", 400, "Invalid schema for response_format 'action': 'maxItems' is not permitted.")),
        {"temperature": 0.5},
        "schema",
        1,
    ),
    "schemas without bounds, unquoted": (
        refusing(
            (
                "'maxItems'",
                400,
                "invalid schema for response format: response_format/json_schema: maxItems is not supported",
            )
        ),
        {"temperature": 0.5},
        "schema",
        1,
    ),
    "old proxy": (
        refusing(
            ("'strict'", 422, "json_schema.strict: Extra inputs are not permitted"),
            ("'seed'", 422, "body.seed: Extra inputs are not permitted"),
            (
                "reasoning_effort",
                400,
                "[{'type': 'extra_forbidden', 'loc': ('body', 'reasoning_effort'), 'msg': 'no'}]",
            ),
        ),
        {"temperature": 0.5},
        "schema",
        3,
    ),
}


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_refused_field_is_left_out_with_one_warning_and_never_sent_again(vendor: str) -> None:
    answer, sent, mode, refusals = VENDORS[vendor]
    settings = {"max_output_tokens": 9, "temperature": 0.5, "top_p": 0.9, "seed": 7, "reasoning_effort": "low"}
    with model_server(answer) as server:
        endpoint = Endpoint(EndpointSettings("m", server.url, **settings))
        first, second = (endpoint.complete(ASK, "solve", SCHEMA) for _ in range(2))
        endpoint.close()
        known = first.learned
        again = Endpoint(EndpointSettings("m", server.url, **settings), known)
        third = again.complete(ASK, "solve", SCHEMA)
        again.close()
    assert (len(first.notices), len(server.asked)) == (refusals, refusals + 3)
    assert known is not None
    assert (second.notices, second.learned, third.notices) == ((), None, ())
    assert {each.reply_mode for each in (first, second, third)} == {mode}
    body = server.asked[-1].body
    assert {name: body[name] for name in sent} == sent
    assert ("response_format" in body, "tools" in body) == (mode in ("schema", "json"), mode == "tool")


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("messages.3: prompt is too long: 210000 tokens > 200000 maximum", "longer than the model's context"),
        ("This model's maximum context length is 8192 tokens, max_tokens is 9", "longer than the model's context"),
        ("Image in messages was flagged: see docs/reasoning and the seed", "refused for its content"),
    ],
)
def test_a_refusal_for_another_reason_teaches_nothing(said: str, names: str) -> None:
    with model_server(refusal(400, said)) as server:
        endpoint = Endpoint(EndpointSettings("m", server.url, max_output_tokens=9))
        with pytest.raises(ModelError, match=names):
            endpoint.complete(ASK, "solve", SCHEMA)
        endpoint.close()
    assert len(server.asked) == 1


def ask(server_url: str, messages: list[Message], **settings: object) -> Reply:
    endpoint = Endpoint(EndpointSettings("m", server_url, **settings))
    try:
        return endpoint.complete(messages, "solve", tools=[LOOK])
    finally:
        endpoint.close()


CALLS = [
    {"id": "a", "type": "function", "function": {"name": "look", "arguments": '{"x": 1}'}},
    {"id": "b", "type": "function", "function": {"name": "look", "arguments": {"x": 2}}},
]


def test_several_calls_side_by_side_come_and_go_back_in_order() -> None:
    said = {"role": "assistant", "content": None, "tool_calls": CALLS}
    with model_server(response(200, json.dumps({"choices": [{"message": said}]}))) as server:
        reply = ask(server.url, ASK)
        assert reply.tool_calls == (
            ToolCall(name="look", arguments='{"x": 1}', id="a"),
            ToolCall(name="look", arguments='{"x": 2}', id="b"),
        )
        back = Message(role="assistant", content=reply.text, tool_calls=reply.tool_calls)
        answers = [Message(role="tool", content="seen", tool_call_id=call.id) for call in reply.tool_calls]
        ask(server.url, [*ASK, back, *answers])
    assert server.asked[0].body["parallel_tool_calls"] is True
    assert "tool_choice" not in server.asked[0].body
    sent = server.asked[1].body["messages"]
    assert [call["id"] for call in sent[2]["tool_calls"]] == ["a", "b"]
    assert [(message["role"], message["tool_call_id"]) for message in sent[3:]] == [("tool", "a"), ("tool", "b")]


def thinking(call: bool) -> bytes:
    details = [{"type": "reasoning.encrypted", "data": "sealed"}]
    signature = {"google": {"thought_signature": "signed"}}
    calls = [{**CALLS[0], "extra_content": signature}] if call else None
    message = {"content": "so", "reasoning_content": "hm", "reasoning_details": details, "tool_calls": calls}

    return response(200, json.dumps({"choices": [{"message": message}]}))


@pytest.mark.parametrize(
    ("back", "call", "sent"),
    [
        ("auto", True, {"reasoning_details"}),
        ("auto", False, set()),
        ("reasoning_content", False, {"reasoning_content"}),
        ("none", True, set()),
    ],
)
def test_thinking_goes_back_only_where_the_protocol_asks_for_it(back: ThinkingBack, call: bool, sent: set[str]) -> None:
    with model_server(thinking(call)) as server:
        reply = ask(server.url, ASK, thinking_back=back)
        assert reply.reasoning == "hm"
        message = Message(role="assistant", content="so", tool_calls=reply.tool_calls, thinking=reply.thinking)
        ask(server.url, [*ASK, message], thinking_back=back)
    went = server.asked[1].body["messages"][2]
    assert {"reasoning", "reasoning_content", "reasoning_details"} & went.keys() == sent
    signed = "signed" in str(went.get("tool_calls"))
    assert signed == (call and back == "auto")


def test_the_owners_own_headers_and_fields_are_sent_and_no_secret_of_them_is_shown() -> None:
    def echo(asked: Asked, connection: socket.socket) -> bytes:
        return response(200, completion(f"you sent {asked.headers['x-team']} {asked.headers['x-gate']}"))

    with model_server(echo) as server:
        settings = EndpointSettings(
            "m",
            server.url,
            temperature=0.1,
            headers={"X-Team": "blue", "X-Gate": "hush-hush"},
            secrets=("hush-hush",),
            body={"temperature": 0.7, "provider": {"order": ["a"]}, "chat_template_kwargs": {"enable_thinking": False}},
        )
        endpoint = Endpoint(settings)
        reply = endpoint.complete(ASK)
        endpoint.close()
    assert reply.text == "you sent blue [key]"
    assert "hush" not in repr(settings)
    body = server.asked[0].body
    assert (body["temperature"], body["provider"]) == (0.7, {"order": ["a"]})
    assert body["chat_template_kwargs"] == {"enable_thinking": False}


GOOD = {"content": "all of it"}
CALLED = {"name": "look", "arguments": "{}"}


@pytest.mark.parametrize(
    ("document", "text", "calls"),
    [
        ({"choices": [{"index": 1, "message": {"content": ""}}, {"index": 0, "message": GOOD}]}, "all of it", 0),
        ({"choices": [{"message": {"content": None}}, {"message": GOOD}]}, "all of it", 0),
        ({"choices": [{"delta": GOOD}]}, "all of it", 0),
        ({"choices": []}, "", 0),
        ({"choices": None}, "", 0),
        ({"choices": [{"text": "old"}]}, "", 0),
        ({"choices": [{"message": GOOD}], "error": {"code": 0, "message": ""}}, "all of it", 0),
        ({"choices": [{"message": {"content": {"code": "1"}}}]}, '{"code": "1"}', 0),
        ({"choices": [{"message": {"content": None, "function_call": CALLED}}]}, "", 1),
        ({"choices": [{"message": {"content": None, "tool_calls": [{"id": "a", **CALLED}]}}]}, "", 1),
        ({"choices": [{"message": {"tool_calls": [{"function": {"name": None, "arguments": None}}]}}]}, "", 1),
        ({"choices": [{"message": {"content": "", "reasoning_content": '{"code": "1"}'}}]}, '{"code": "1"}', 0),
        ({"choices": [{"message": {"content": "", "reasoning": "so {}"}}]}, "", 0),
    ],
)
def test_a_completion_in_any_shape_is_read(document: dict[str, object], text: str, calls: int) -> None:
    with model_server(response(200, "\ufeff" + json.dumps(document))) as server:
        reply = ask(server.url, ASK)
    assert (reply.text, len(reply.tool_calls)) == (text, calls)


def test_a_refused_tool_names_the_option_that_helps() -> None:
    with model_server(refusal(400, "tools are not supported by this model")) as server:
        error = failure(server.url, mode=ReplyMode.TOOL)
        assert len(server.asked) == 1
    assert error.affects_all
    assert "--reply-mode" in str(error)


ASKED = {"role": "user", "content": "which?"}


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

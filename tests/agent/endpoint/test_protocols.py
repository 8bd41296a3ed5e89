"""What vendors make of two protocols: refused fields, calls,
thinking, streams, ends of replies, tokens and cost."""

import json
import socket
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

import pytest

from controlplane.agent.endpoint import Endpoint, EndpointSettings, ThinkingBack
from controlplane.agent.endpoint.replies.usage import usage_of
from controlplane.agent.endpoint.requests.plain_messages import plain_messages
from controlplane.agent.model import (
    BadReply,
    Message,
    ModelError,
    Reply,
    ReplyMode,
    Tool,
    ToolCall,
)
from controlplane.agent.reply.action import SCHEMA, Action
from controlplane.agent.reply.reply import action_of
from tests.support.endpoints import (
    ACTION_JSON,
    MESSAGES,
    ModelHttpRequest,
    action_text_of,
    completion_json,
    error_of_request,
    error_response,
    http_response,
    model_server,
    single_reply_of,
)

LOOK = Tool(
    name="look", description="Look.", parameters={"type": "object", "properties": {}}
)


@dataclass(frozen=True)
class Refusal:
    """A request whose body contains `request_text` is refused with this status and message."""

    request_text: str
    status: int
    message: str


@dataclass(frozen=True)
class Vendor:
    """An endpoint that does not take all that we send, and what it gets after its refusals."""

    refusals: tuple[Refusal, ...]
    """Each of them comes once, since what it names is not sent again."""
    sent_fields: dict[str, object]
    """Fields of the request that it takes at last, with their values."""
    reply_mode: str
    """How the action is asked for at last: `schema`, `json` or `text`."""

    def answer(self, asked: ModelHttpRequest, connection: socket.socket) -> bytes:
        """Answer a request with the first refusal that fits, or else with an action."""
        for rule in self.refusals:
            if rule.request_text in str(asked.body):
                return error_response(rule.status, rule.message)
        return http_response(200, completion_json(ACTION_JSON))


VENDORS = {
    "reasoning model": Vendor(
        refusals=(
            Refusal(
                "'max_tokens'",
                400,
                "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            ),
            Refusal(
                "'temperature'",
                400,
                "Unsupported value: 'temperature' does not support 0.5 with this model.",
            ),
            Refusal(
                "'top_p'",
                400,
                "Unsupported parameter: 'top_p' is not supported with this model.",
            ),
        ),
        sent_fields={"max_completion_tokens": 9, "seed": 7, "reasoning_effort": "low"},
        reply_mode="schema",
    ),
    "json objects only": Vendor(
        refusals=(
            Refusal("json_schema", 400, "This response_format type is unavailable now"),
            Refusal(
                "'tool_choice': {",
                400,
                "deepseek-reasoner does not support this tool_choice",
            ),
            Refusal(
                "'tool_choice': 'required'",
                400,
                "Thinking mode does not support this tool_choice",
            ),
            Refusal("'tools'", 400, "tools are not supported by this model"),
        ),
        sent_fields={"response_format": {"type": "json_object"}},
        reply_mode="json",
    ),
    "llama.cpp without templates": Vendor(
        refusals=(
            Refusal("json_schema", 400, "failed to parse grammar"),
            Refusal("'tools'", 500, "tools param requires --jinja flag"),
        ),
        sent_fields={"response_format": {"type": "json_object"}},
        reply_mode="json",
    ),
    "gateway without a provider for it": Vendor(
        refusals=(
            Refusal(
                "json_schema",
                404,
                "No endpoints found that can handle the requested parameters.",
            ),
            Refusal("'tools'", 404, "No endpoints found that support tool use."),
            Refusal(
                "response_format",
                404,
                "No endpoints found that can handle the requested parameters.",
            ),
        ),
        sent_fields={},
        reply_mode="text",
    ),
    "schemas without bounds": Vendor(
        refusals=(
            Refusal(
                "'maxItems'",
                400,
                "Invalid schema for response_format 'action': 'maxItems' is not permitted.",
            ),
        ),
        sent_fields={"temperature": 0.5},
        reply_mode="schema",
    ),
    "schemas without bounds, unquoted": Vendor(
        refusals=(
            Refusal(
                "'maxItems'",
                400,
                "invalid schema for response format: "
                "response_format/json_schema: maxItems is not supported",
            ),
        ),
        sent_fields={"temperature": 0.5},
        reply_mode="schema",
    ),
    "old proxy": Vendor(
        refusals=(
            Refusal(
                "'strict'", 422, "json_schema.strict: Extra inputs are not permitted"
            ),
            Refusal("'seed'", 422, "body.seed: Extra inputs are not permitted"),
            Refusal(
                "reasoning_effort",
                400,
                "[{'type': 'extra_forbidden', 'loc': ('body', 'reasoning_effort'), 'msg': 'no'}]",
            ),
        ),
        sent_fields={"temperature": 0.5},
        reply_mode="schema",
    ),
}


@pytest.mark.parametrize("vendor", VENDORS.values(), ids=VENDORS.keys())
def test_a_refused_field_is_left_out_with_one_warning_and_never_sent_again(
    vendor: Vendor,
) -> None:
    """Ask twice. Then ask through another endpoint that knows what the first one learned."""
    with model_server(vendor.answer) as server:
        settings = EndpointSettings(
            "m",
            server.url,
            max_output_tokens=9,
            temperature=0.5,
            top_p=0.9,
            seed=7,
            reasoning_effort="low",
        )
        with closing(Endpoint(settings)) as endpoint:
            first_reply = endpoint.complete(MESSAGES, "solve", SCHEMA)
            second_reply = endpoint.complete(MESSAGES, "solve", SCHEMA)
        learned = first_reply.learned
        with closing(Endpoint(settings, learned)) as endpoint:
            third_reply = endpoint.complete(MESSAGES, "solve", SCHEMA)

    # Only the first reply has warnings, one for each refusal.
    assert len(first_reply.notices) == len(vendor.refusals)
    assert second_reply.notices == ()
    assert third_reply.notices == ()
    # Only the first reply teaches anything.
    assert learned is not None
    assert second_reply.learned is None
    # Each refusal costs one request more than the three that got replies.
    assert len(server.asked) == len(vendor.refusals) + 3

    for reply in (first_reply, second_reply, third_reply):
        assert reply.reply_mode == vendor.reply_mode
    last_body = server.asked[-1].body
    for field, value in vendor.sent_fields.items():
        assert last_body[field] == value
    has_response_format = vendor.reply_mode in ("schema", "json")
    assert ("response_format" in last_body) == has_response_format
    assert ("tools" in last_body) == (vendor.reply_mode == "tool")


@pytest.mark.parametrize(
    ("message", "error_text"),
    [
        (
            "messages.3: prompt is too long: 210000 tokens > 200000 maximum",
            "longer than the model's context",
        ),
        (
            "This model's maximum context length is 8192 tokens, max_tokens is 9",
            "longer than the model's context",
        ),
        (
            "Image in messages was flagged: see docs/reasoning and the seed",
            "refused for its content",
        ),
    ],
)
def test_a_refusal_for_another_reason_teaches_nothing(
    message: str, error_text: str
) -> None:
    """The messages name fields of the request, but not as the reason for the refusal."""
    with (
        model_server(error_response(400, message)) as server,
        pytest.raises(ModelError, match=error_text),
    ):
        single_reply_of(
            EndpointSettings("m", server.url, max_output_tokens=9), schema=SCHEMA
        )

    assert len(server.asked) == 1


def ask(server_url: str, messages: list[Message], **settings: object) -> Reply:
    """Return the reply to a request that offers the model the tool `look`."""
    return single_reply_of(
        EndpointSettings("m", server_url, **settings), messages, tools=[LOOK]
    )


TWO_CALLS = [
    {
        "id": "a",
        "type": "function",
        "function": {"name": "look", "arguments": '{"x": 1}'},
    },
    {
        "id": "b",
        "type": "function",
        "function": {"name": "look", "arguments": {"x": 2}},
    },
]


def test_several_calls_side_by_side_come_and_go_back_in_order() -> None:
    message = {"role": "assistant", "content": None, "tool_calls": TWO_CALLS}
    completion_with_calls = json.dumps({"choices": [{"message": message}]})

    with model_server(http_response(200, completion_with_calls)) as server:
        reply = ask(server.url, MESSAGES)
        calls_message = Message(
            role="assistant", content=reply.text, tool_calls=reply.tool_calls
        )
        result_messages = [
            Message(role="tool", content="seen", tool_call_id=call.id)
            for call in reply.tool_calls
        ]
        ask(server.url, [*MESSAGES, calls_message, *result_messages])

    assert reply.tool_calls == (
        ToolCall(name="look", arguments='{"x": 1}', id="a"),
        ToolCall(name="look", arguments='{"x": 2}', id="b"),
    )
    first_body = server.asked[0].body
    assert first_body["parallel_tool_calls"] is True
    assert "tool_choice" not in first_body
    # The first two messages of the second request are those of `MESSAGES`.
    sent_calls, first_result, second_result = server.asked[1].body["messages"][2:]
    assert [call["id"] for call in sent_calls["tool_calls"]] == ["a", "b"]
    assert first_result["role"] == "tool"
    assert first_result["tool_call_id"] == "a"
    assert second_result["role"] == "tool"
    assert second_result["tool_call_id"] == "b"


def reply_with_thinking(*, has_call: bool) -> bytes:
    """Return a completion with thinking in two fields, and with a signed call if wanted.

    Gemini signs a call, and refuses the call later if it comes back without its signature.
    """
    signature = {"google": {"thought_signature": "signed"}}
    signed_call = {**TWO_CALLS[0], "extra_content": signature}
    message = {
        "content": "so",
        "reasoning_content": "hm",
        "reasoning_details": [{"type": "reasoning.encrypted", "data": "sealed"}],
        "tool_calls": [signed_call] if has_call else None,
    }
    return http_response(200, json.dumps({"choices": [{"message": message}]}))


@pytest.mark.parametrize(
    ("thinking_back", "has_call", "sent_fields", "sends_signature"),
    [
        ("auto", True, {"reasoning_details"}, True),
        ("auto", False, set(), False),
        ("reasoning_content", False, {"reasoning_content"}, False),
        ("none", True, set(), False),
    ],
)
def test_thinking_goes_back_only_where_the_protocol_asks_for_it(
    thinking_back: ThinkingBack,
    has_call: bool,
    sent_fields: set[str],
    sends_signature: bool,
) -> None:
    with model_server(reply_with_thinking(has_call=has_call)) as server:
        reply = ask(server.url, MESSAGES, thinking_back=thinking_back)
        message = Message(
            role="assistant",
            content="so",
            tool_calls=reply.tool_calls,
            thinking=reply.thinking,
        )
        ask(server.url, [*MESSAGES, message], thinking_back=thinking_back)

    assert reply.reasoning == "hm"
    sent_message = server.asked[1].body["messages"][2]
    thinking_fields = {"reasoning", "reasoning_content", "reasoning_details"}
    assert thinking_fields & sent_message.keys() == sent_fields
    assert ("signed" in str(sent_message.get("tool_calls"))) == sends_signature


def test_own_headers_and_fields_are_sent_and_secrets_are_not_shown() -> None:
    """The server repeats both headers, of which one is a secret, in its reply."""

    def echo(asked: ModelHttpRequest, connection: socket.socket) -> bytes:
        team = asked.headers["x-team"]
        gate = asked.headers["x-gate"]
        return http_response(200, completion_json(f"you sent {team} {gate}"))

    with model_server(echo) as server:
        settings = EndpointSettings(
            "m",
            server.url,
            temperature=0.1,
            headers={"X-Team": "blue", "X-Gate": "hush-hush"},
            secrets=("hush-hush",),
            body={
                "temperature": 0.7,
                "provider": {"order": ["a"]},
                "chat_template_kwargs": {"enable_thinking": False},
            },
        )
        reply = single_reply_of(settings)

    assert reply.text == "you sent blue [key]"
    assert "hush" not in repr(settings)
    body = server.asked[0].body
    assert body["temperature"] == 0.7  # The field of the body replaces the setting.
    assert body["provider"] == {"order": ["a"]}
    assert body["chat_template_kwargs"] == {"enable_thinking": False}


WHOLE_MESSAGE = {"content": "all of it"}
LOOK_CALL = {"name": "look", "arguments": "{}"}


@pytest.mark.parametrize(
    ("document", "text", "call_count"),
    [
        (
            {
                "choices": [
                    {"index": 1, "message": {"content": ""}},
                    {"index": 0, "message": WHOLE_MESSAGE},
                ]
            },
            "all of it",
            0,
        ),
        (
            {"choices": [{"message": {"content": None}}, {"message": WHOLE_MESSAGE}]},
            "all of it",
            0,
        ),
        ({"choices": [{"delta": WHOLE_MESSAGE}]}, "all of it", 0),
        ({"choices": []}, "", 0),
        ({"choices": None}, "", 0),
        ({"choices": [{"text": "old"}]}, "old", 0),
        (
            {
                "choices": [{"message": WHOLE_MESSAGE}],
                "error": {"code": 0, "message": ""},
            },
            "all of it",
            0,
        ),
        ({"choices": [{"message": {"content": {"code": "1"}}}]}, '{"code": "1"}', 0),
        (
            {"choices": [{"message": {"content": None, "function_call": LOOK_CALL}}]},
            "",
            1,
        ),
        (
            {
                "choices": [
                    {
                        "message": {
                            "content": None,
                            "tool_calls": [{"id": "a", **LOOK_CALL}],
                        }
                    }
                ]
            },
            "",
            1,
        ),
        (
            {
                "choices": [
                    {
                        "message": {
                            "tool_calls": [
                                {"function": {"name": None, "arguments": None}}
                            ]
                        }
                    }
                ]
            },
            "",
            1,
        ),
        (
            {
                "choices": [
                    {"message": {"content": "", "reasoning_content": '{"code": "1"}'}}
                ]
            },
            '{"code": "1"}',
            0,
        ),
        ({"choices": [{"message": {"content": "", "reasoning": "so {}"}}]}, "", 0),
    ],
)
def test_a_completion_in_any_shape_is_read(
    document: dict[str, object], text: str, call_count: int
) -> None:
    byte_order_mark = "\ufeff"
    body = byte_order_mark + json.dumps(document)

    with model_server(http_response(200, body)) as server:
        reply = ask(server.url, MESSAGES)

    assert reply.text == text
    assert len(reply.tool_calls) == call_count


def test_a_refused_tool_names_the_option_that_helps() -> None:
    with model_server(
        error_response(400, "tools are not supported by this model")
    ) as server:
        error = error_of_request(server.url, mode=ReplyMode.TOOL)
        assert len(server.asked) == 1

    assert error.affects_all
    assert "--reply-mode" in str(error)


def test_calls_and_their_results_become_text() -> None:
    """For an endpoint without tools: two calls, their results, and a message of the user."""
    calls = (
        ToolCall(id="a", name="read", arguments='{"path": "/x"}'),
        ToolCall(id="b", name="list", arguments="{"),  # not JSON, so it stays as it is
    )

    messages = plain_messages(
        [
            {"role": "assistant", "content": "", "tool_calls": calls},
            {"role": "tool", "content": "one", "tool_call_id": "a"},
            {"role": "tool", "content": "two", "tool_call_id": "b"},
            {"role": "user", "content": "which?"},
        ]
    )

    calls_message, results_message = messages
    assert calls_message["role"] == "assistant"
    assert json.loads(calls_message["content"])["calls"] == [
        {"name": "read", "arguments": {"path": "/x"}},
        {"name": "list", "arguments": "{"},
    ]
    assert results_message["role"] == "user"
    assert results_message["content"] == (
        '<result of="read">\none\n</result>\n<result of="list">\ntwo\n</result>\nwhich?'
    )


TEXT_ITEM = {
    "type": "message",
    "role": "assistant",
    "content": [{"type": "output_text", "text": ACTION_JSON}],
}
THOUGHT_ITEM = {
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


def response_with(*items: object, **fields: object) -> bytes:
    """Return a response of the Responses API with these output items and further fields."""
    document = {
        "object": "response",
        "status": "completed",
        "output": items,
        "usage": USAGE,
    }
    return http_response(200, json.dumps(document | fields))


def call_item(name: str, arguments: str, call_id: str = "c1") -> dict[str, object]:
    """Return an output item that calls a tool."""
    return {
        "type": "function_call",
        "call_id": call_id,
        "name": name,
        "arguments": arguments,
    }


def ask_responses(
    url: str,
    messages: list[Message] = MESSAGES,
    *,
    mode: ReplyMode | None = None,
    **asked: object,
) -> Reply:
    settings = EndpointSettings(
        "m",
        url,
        api="responses",
        reply_mode=mode,
        max_output_tokens=50,
        reasoning_effort="low",
    )
    return single_reply_of(settings, messages, **(asked or {"schema": SCHEMA}))


EXECUTE_SCRIPT = {"type": "function", "name": "execute_script"}


@pytest.mark.parametrize(
    ("mode", "item", "format_type", "tool_choice"),
    [
        (ReplyMode.SCHEMA, TEXT_ITEM, "json_schema", None),
        (ReplyMode.JSON, TEXT_ITEM, "json_object", None),
        (
            ReplyMode.TOOL,
            call_item("execute_script", ACTION_JSON),
            None,
            EXECUTE_SCRIPT,
        ),
        (ReplyMode.TEXT, TEXT_ITEM, None, None),
    ],
)
def test_every_reply_mode_gives_the_same_action(
    mode: ReplyMode,
    item: dict[str, object],
    format_type: str | None,
    tool_choice: dict[str, str] | None,
) -> None:
    with model_server(response_with(THOUGHT_ITEM, item)) as server:
        reply = ask_responses(server.url, mode=mode)

    action = action_of(action_text_of(reply))
    assert isinstance(action, Action)
    assert action.code == "print(1)"
    assert reply.reasoning == "hm"
    assert reply.reply_mode == mode
    # The numbers of `USAGE`:
    assert reply.usage.prompt_tokens == 11
    assert reply.usage.completion_tokens == 7
    assert reply.usage.cached_tokens == 5
    assert reply.usage.reasoning_tokens == 3

    request = server.asked[0]
    assert request.path == "/v1/responses"
    assert request.body["input"] == MESSAGES
    assert request.body["max_output_tokens"] == 50
    assert request.body["store"] is False
    assert request.body["reasoning"] == {"effort": "low"}
    text_format = request.body.get("text", {}).get("format", {})
    assert text_format.get("type") == format_type
    assert request.body.get("tool_choice") == tool_choice


def test_calls_and_sealed_thoughts_go_back_as_items_in_order() -> None:
    output = response_with(
        THOUGHT_ITEM,
        call_item("look", "{}", "a"),
        call_item("look", '{"x": 1}', "b"),
    )

    with model_server(output) as server:
        reply = ask_responses(server.url, tools=[LOOK])
        calls_message = Message(
            role="assistant",
            content="",
            tool_calls=reply.tool_calls,
            thinking=reply.thinking,
        )
        result_message = Message(role="tool", content="seen", tool_call_id="a")
        ask_responses(
            server.url, [*MESSAGES, calls_message, result_message], tools=[LOOK]
        )

    assert reply.tool_calls[1] == ToolCall(name="look", arguments='{"x": 1}', id="b")
    second_body = server.asked[1].body
    items = second_body["input"]
    assert [item.get("type", item.get("role")) for item in items] == [
        "system",
        "user",
        "reasoning",
        "function_call",
        "function_call",
        "function_call_output",
    ]
    assert items[2] == THOUGHT_ITEM
    assert second_body["include"] == ["reasoning.encrypted_content"]


@pytest.mark.parametrize(
    ("items", "fields", "finish_reason", "native_reason"),
    [
        ([TEXT_ITEM], {}, "stop", ""),
        (
            [TEXT_ITEM],
            {
                "status": "incomplete",
                "incomplete_details": {"reason": "max_output_tokens"},
            },
            "length",
            "max_output_tokens",
        ),
        (
            [],
            {
                "status": "incomplete",
                "incomplete_details": {"reason": "content_filter"},
            },
            "content_filter",
            "",
        ),
        (
            [{"type": "message", "content": [{"type": "refusal", "refusal": "no"}]}],
            {},
            "refusal",
            "",
        ),
    ],
)
def test_how_a_response_ended_is_told_in_one_spelling(
    items: list, fields: dict, finish_reason: str, native_reason: str
) -> None:
    """The native reason, the vendor's own word, is kept where it differs from ours."""
    with model_server(response_with(*items, **fields)) as server:
        reply = ask_responses(server.url)

    assert reply.finish_reason == finish_reason
    assert reply.native_finish_reason == native_reason


NO_OUTPUT = {"status": "completed"}
ERROR_WITH_STATUS_200 = {
    "output": [],
    "error": {"code": "server_error", "message": "boom"},
}


@pytest.mark.parametrize(
    "document", [NO_OUTPUT, ERROR_WITH_STATUS_200], ids=["no output", "error"]
)
def test_a_response_that_is_none_is_an_error_to_retry(
    document: dict[str, object],
) -> None:
    with (
        model_server(http_response(200, json.dumps(document))) as server,
        pytest.raises(ModelError) as caught,
    ):
        ask_responses(server.url)

    assert caught.value.retryable


STREAM_HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
)
QUESTION = [Message(role="user", content="?")]


def stream_chunks(*deltas: dict[str, object]) -> list[bytes]:
    """Return the chunks of a streamed completion: one a delta, the end, usage, and `[DONE]`."""
    documents: list[dict[str, object]] = []
    for delta in deltas:
        choice = {"index": 0, "delta": delta}
        documents.append({"id": "x", "model": "m", "choices": [choice]})
    last_choice = {"index": 0, "delta": {}, "finish_reason": "stop"}
    documents.append({"choices": [last_choice]})
    usage = {"prompt_tokens": 5, "completion_tokens": 3}
    documents.append({"choices": [], "usage": usage})

    chunks = [
        b"data: " + json.dumps(document).encode() + b"\n\n" for document in documents
    ]
    return [*chunks, b"data: [DONE]\n\n"]


def streamed_reply(url: str, on_text: Callable[[str], None]) -> Reply:
    """Ask an endpoint whose user wants to see the text as it comes."""
    endpoint = Endpoint(EndpointSettings(model="m", base_url=url, timeout_s=10.0))
    endpoint.on_text = on_text
    return endpoint.complete(QUESTION, "solve")


def ignore(text: str) -> None:
    """Take streamed text, and do nothing with it."""


def test_the_text_of_a_stream_is_heard_as_it_comes_and_the_reply_is_whole() -> None:
    """The server sends the first text, waits half a second, and sends the rest in pieces."""
    first_call_part = {
        "index": 0,
        "id": "c1",
        "function": {"name": "execute_script", "arguments": '{"code": '},
    }
    second_call_part = {"index": 0, "function": {"arguments": '"1"}'}}
    deltas: list[dict[str, object]] = [
        {"content": "first "},
        {"content": "Gr\u00fc\u2028n"},  # has a line separator, which ends no line here
        {"reasoning": "so"},
        {"tool_calls": [first_call_part]},
        {"tool_calls": [second_call_part]},
    ]

    def answer(asked: ModelHttpRequest, connection: socket.socket) -> bytes:
        first_chunk, *other_chunks = stream_chunks(*deltas)
        connection.sendall(STREAM_HEAD + b": a comment\n\n" + first_chunk)
        time.sleep(0.5)
        rest = b"".join(other_chunks)
        connection.sendall(rest[:37])  # in the middle of a chunk
        return rest[37:]

    texts: list[str] = []
    arrival_times: list[float] = []

    def keep(text: str) -> None:
        texts.append(text)
        arrival_times.append(time.monotonic())

    with model_server(answer) as server:
        reply = streamed_reply(server.url, keep)

    assert texts == ["first ", "Gr\u00fc\u2028n"]
    assert arrival_times[1] - arrival_times[0] > 0.3
    assert reply.text == "first Gr\u00fc\u2028n"
    assert reply.reasoning == "so"
    assert reply.usage.completion_tokens == 3
    (tool_call,) = reply.tool_calls
    assert tool_call.name == "execute_script"
    assert tool_call.arguments == '{"code": "1"}'
    assert server.asked[0].body["stream"] is True


def test_an_endpoint_that_refuses_to_stream_is_asked_without() -> None:
    def answer(asked: ModelHttpRequest, connection: socket.socket) -> bytes:
        if asked.body.get("stream"):
            return error_response(400, "stream_options is not supported")
        return http_response(200, completion_json("plain"))

    with model_server(answer) as server:
        reply = streamed_reply(server.url, ignore)

    assert reply.text == "plain"
    assert len(server.asked) == 2


def test_an_endpoint_may_answer_a_request_for_a_stream_with_a_whole_reply() -> None:
    with model_server(http_response(200, completion_json("whole"))) as server:
        reply = streamed_reply(server.url, ignore)

    assert reply.text == "whole"


def test_no_stream_is_asked_for_if_nobody_wants_the_text_as_it_comes() -> None:
    with model_server(http_response(200, completion_json("whole"))) as server:
        settings = EndpointSettings(model="m", base_url=server.url, timeout_s=10.0)
        reply = Endpoint(settings).complete(QUESTION, "solve")

    assert reply.text == "whole"
    assert "stream" not in server.asked[0].body


def test_a_stream_that_ends_early_is_no_reply() -> None:
    half = stream_chunks({"content": "half"})[0]
    with (
        model_server(STREAM_HEAD + half) as server,
        pytest.raises(BadReply, match="was cut off"),
    ):
        streamed_reply(server.url, ignore)


def test_an_error_in_a_stream_is_an_error() -> None:
    error = b'data: {"error": {"message": "overloaded", "code": 503}}\n\n'
    with (
        model_server(STREAM_HEAD + error) as server,
        pytest.raises(Exception, match="overloaded"),
    ):
        streamed_reply(server.url, ignore)


# What an endpoint reports of the usage of a reply; the tokens that this comes to: of the prompt,
# of the completion, cached, and of reasoning; and its cost in dollars, if that is reported.
USAGE_REPORTS = {
    "OpenAI": (
        {
            "prompt_tokens": 100,
            "completion_tokens": 50,
            "total_tokens": 150,
            "prompt_tokens_details": {"cached_tokens": 40},
            "completion_tokens_details": {"reasoning_tokens": 30},
        },
        (100, 50, 40, 30),
        None,
    ),
    "xAI counts thinking beside the completion": (
        {
            "prompt_tokens": 100,
            "completion_tokens": 50,
            "total_tokens": 450,
            "completion_tokens_details": {"reasoning_tokens": 300},
            "cost_in_usd_ticks": 37_756_000,
        },
        (100, 350, 0, 300),
        0.0037756,
    ),
    "thinking that only the total names": (
        {"prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 450},
        (100, 350, 0, 0),
        None,
    ),
    "thinking beside, without a total": (
        {
            "prompt_tokens": 100,
            "completion_tokens": 50,
            "completion_tokens_details": {"reasoning_tokens": 300},
        },
        (100, 350, 0, 300),
        None,
    ),
    "Anthropic counts cached tokens beside": (
        {
            "input_tokens": 3,
            "cache_read_input_tokens": 500,
            "cache_creation_input_tokens": 20,
            "output_tokens": 50,
        },
        (523, 50, 500, 0),
        None,
    ),
    "a gateway to Anthropic counts them within": (
        {
            "prompt_tokens": 523,
            "completion_tokens": 50,
            "total_tokens": 573,
            "cache_read_input_tokens": 500,
        },
        (523, 50, 500, 0),
        None,
    ),
    "a gateway whose total has them beside": (
        {
            "prompt_tokens": 600,
            "completion_tokens": 50,
            "total_tokens": 1150,
            "cache_read_input_tokens": 500,
        },
        (1100, 50, 500, 0),
        None,
    ),
    "more cached than asked": (
        {
            "prompt_tokens": 100,
            "completion_tokens": 50,
            "prompt_tokens_details": {"cached_tokens": 2000},
        },
        (2100, 50, 2000, 0),
        None,
    ),
    "DeepSeek": (
        {
            "prompt_tokens": 100,
            "completion_tokens": 50,
            "prompt_cache_hit_tokens": 40,
            "prompt_cache_miss_tokens": 60,
        },
        (100, 50, 40, 0),
        None,
    ),
    "texts and floats": (
        {"prompt_tokens": 100.0, "completion_tokens": "50", "cost": "0.01"},
        (100, 50, 0, 0),
        0.01,
    ),
    "OpenRouter": (
        {"prompt_tokens": 1, "completion_tokens": 1, "cost": 0.95},
        (1, 1, 0, 0),
        0.95,
    ),
    "OpenRouter with the user's own key": (
        {
            "prompt_tokens": 1,
            "completion_tokens": 1,
            "cost": 0.05,
            "is_byok": True,
            "cost_details": {"upstream_inference_cost": 1},
        },
        (1, 1, 0, 0),
        1.05,
    ),
    "OpenRouter, whose own part is the whole bill": (
        {
            "prompt_tokens": 1,
            "completion_tokens": 1,
            "cost": 0.95,
            "cost_details": {"upstream_inference_cost": 0.9},
        },
        (1, 1, 0, 0),
        0.95,
    ),
    "Perplexity": (
        {"prompt_tokens": 1, "completion_tokens": 1, "cost": {"total_cost": 0.006}},
        (1, 1, 0, 0),
        0.006,
    ),
    "DeepInfra": (
        {"prompt_tokens": 1, "completion_tokens": 1, "estimated_cost": 2e-5},
        (1, 1, 0, 0),
        2e-5,
    ),
    "nothing": ("many", (0, 0, 0, 0), None),
    "absurd": (
        {
            "prompt_tokens": -5,
            "completion_tokens": 1e30,
            "cost": -1,
            "total_tokens": "x",
        },
        (0, 0, 0, 0),
        None,
    ),
}


@pytest.mark.parametrize(
    ("report", "tokens", "cost_usd"),
    USAGE_REPORTS.values(),
    ids=USAGE_REPORTS.keys(),
)
def test_tokens_and_cost_are_the_same_in_every_form(
    report: object, tokens: tuple[int, int, int, int], cost_usd: float | None
) -> None:
    prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens = tokens

    reply_usage = usage_of(report)

    assert reply_usage.usage.prompt_tokens == prompt_tokens
    assert reply_usage.usage.completion_tokens == completion_tokens
    assert reply_usage.usage.cached_tokens == cached_tokens
    assert reply_usage.usage.reasoning_tokens == reasoning_tokens
    if cost_usd is None:
        assert reply_usage.cost_usd is None
    else:
        assert reply_usage.cost_usd == pytest.approx(cost_usd)

"""What vendors make of two protocols: refused fields, calls,
thinking, streams, ends of replies, tokens and cost."""

import json
import socket
import time
from contextlib import closing

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
    ACTION,
    ASK,
    Answer,
    Asked,
    always,
    completion,
    failure,
    model_server,
    refusal,
    reply_of,
    response,
    said_in,
)

LOOK = Tool(
    name="look", description="Look.", parameters={"type": "object", "properties": {}}
)


def refusing(*rules: tuple[str, int, str]) -> Answer:
    """Refuse a request whose body holds a text, with a status
    and what is said of it; the first rule that fits."""

    def answer(asked: Asked, connection: socket.socket) -> bytes:
        for held, status, said in rules:
            if held in str(asked.body):
                return refusal(status, said)
        return response(200, completion(ACTION))

    return answer


VENDORS = {
    "reasoning model": (
        refusing(
            (
                "'max_tokens'",
                400,
                "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            ),
            (
                "'temperature'",
                400,
                "Unsupported value: 'temperature' does not support 0.5 with this model.",
            ),
            (
                "'top_p'",
                400,
                "Unsupported parameter: 'top_p' is not supported with this model.",
            ),
        ),
        {"max_completion_tokens": 9, "seed": 7, "reasoning_effort": "low"},
        "schema",
        3,
    ),
    "json objects only": (
        refusing(
            ("json_schema", 400, "This response_format type is unavailable now"),
            (
                "'tool_choice': {",
                400,
                "deepseek-reasoner does not support this tool_choice",
            ),
            (
                "'tool_choice': 'required'",
                400,
                "Thinking mode does not support this tool_choice",
            ),
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
            (
                "json_schema",
                404,
                "No endpoints found that can handle the requested parameters.",
            ),
            ("'tools'", 404, "No endpoints found that support tool use."),
            (
                "response_format",
                404,
                "No endpoints found that can handle the requested parameters.",
            ),
        ),
        {},
        "text",
        3,
    ),
    "schemas without bounds": (
        refusing(
            (
                "'maxItems'",
                400,
                "Invalid schema for response_format 'action': 'maxItems' is not permitted.",
            )
        ),
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
def test_a_refused_field_is_left_out_with_one_warning_and_never_sent_again(
    vendor: str,
) -> None:
    answer, sent, mode, refusals = VENDORS[vendor]
    settings = {
        "max_output_tokens": 9,
        "temperature": 0.5,
        "top_p": 0.9,
        "seed": 7,
        "reasoning_effort": "low",
    }
    with model_server(answer) as server:
        asking = EndpointSettings("m", server.url, **settings)
        with closing(Endpoint(asking)) as endpoint:
            first, second = (endpoint.complete(ASK, "solve", SCHEMA) for _ in range(2))
        known = first.learned
        with closing(Endpoint(asking, known)) as endpoint:
            third = endpoint.complete(ASK, "solve", SCHEMA)

    assert (len(first.notices), len(server.asked)) == (refusals, refusals + 3)
    assert known is not None
    assert (second.notices, second.learned, third.notices) == ((), None, ())
    assert {reply.reply_mode for reply in (first, second, third)} == {mode}
    body = server.asked[-1].body
    assert {name: body[name] for name in sent} == sent
    assert ("response_format" in body, "tools" in body) == (
        mode in ("schema", "json"),
        mode == "tool",
    )


@pytest.mark.parametrize(
    ("said", "names"),
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
def test_a_refusal_for_another_reason_teaches_nothing(said: str, names: str) -> None:
    with (
        model_server(refusal(400, said)) as server,
        pytest.raises(ModelError, match=names),
    ):
        reply_of(EndpointSettings("m", server.url, max_output_tokens=9), schema=SCHEMA)

    assert len(server.asked) == 1


def ask(server_url: str, messages: list[Message], **settings: object) -> Reply:
    return reply_of(
        EndpointSettings("m", server_url, **settings), messages, tools=[LOOK]
    )


CALLS = [
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
    said = {"role": "assistant", "content": None, "tool_calls": CALLS}
    with model_server(
        response(200, json.dumps({"choices": [{"message": said}]}))
    ) as server:
        reply = ask(server.url, ASK)
        assert reply.tool_calls == (
            ToolCall(name="look", arguments='{"x": 1}', id="a"),
            ToolCall(name="look", arguments='{"x": 2}', id="b"),
        )
        back = Message(
            role="assistant", content=reply.text, tool_calls=reply.tool_calls
        )
        answers = [
            Message(role="tool", content="seen", tool_call_id=call.id)
            for call in reply.tool_calls
        ]
        ask(server.url, [*ASK, back, *answers])

    assert server.asked[0].body["parallel_tool_calls"] is True
    assert "tool_choice" not in server.asked[0].body
    sent = server.asked[1].body["messages"]
    assert [call["id"] for call in sent[2]["tool_calls"]] == ["a", "b"]
    assert [(message["role"], message["tool_call_id"]) for message in sent[3:]] == [
        ("tool", "a"),
        ("tool", "b"),
    ]


def thinking(call: bool) -> bytes:
    details = [{"type": "reasoning.encrypted", "data": "sealed"}]
    signature = {"google": {"thought_signature": "signed"}}
    calls = [{**CALLS[0], "extra_content": signature}] if call else None
    message = {
        "content": "so",
        "reasoning_content": "hm",
        "reasoning_details": details,
        "tool_calls": calls,
    }

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
def test_thinking_goes_back_only_where_the_protocol_asks_for_it(
    back: ThinkingBack, call: bool, sent: set[str]
) -> None:
    with model_server(thinking(call)) as server:
        reply = ask(server.url, ASK, thinking_back=back)
        assert reply.reasoning == "hm"
        message = Message(
            role="assistant",
            content="so",
            tool_calls=reply.tool_calls,
            thinking=reply.thinking,
        )
        ask(server.url, [*ASK, message], thinking_back=back)
    went = server.asked[1].body["messages"][2]

    assert {"reasoning", "reasoning_content", "reasoning_details"} & went.keys() == sent
    signed = "signed" in str(went.get("tool_calls"))
    assert signed == (call and back == "auto")


def test_the_owners_own_headers_and_fields_are_sent_and_no_secret_of_them_is_shown() -> (
    None
):
    def echo(asked: Asked, connection: socket.socket) -> bytes:
        return response(
            200,
            completion(f"you sent {asked.headers['x-team']} {asked.headers['x-gate']}"),
        )

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
        reply = reply_of(settings)

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
        (
            {
                "choices": [
                    {"index": 1, "message": {"content": ""}},
                    {"index": 0, "message": GOOD},
                ]
            },
            "all of it",
            0,
        ),
        (
            {"choices": [{"message": {"content": None}}, {"message": GOOD}]},
            "all of it",
            0,
        ),
        ({"choices": [{"delta": GOOD}]}, "all of it", 0),
        ({"choices": []}, "", 0),
        ({"choices": None}, "", 0),
        ({"choices": [{"text": "old"}]}, "old", 0),
        (
            {"choices": [{"message": GOOD}], "error": {"code": 0, "message": ""}},
            "all of it",
            0,
        ),
        ({"choices": [{"message": {"content": {"code": "1"}}}]}, '{"code": "1"}', 0),
        ({"choices": [{"message": {"content": None, "function_call": CALLED}}]}, "", 1),
        (
            {
                "choices": [
                    {
                        "message": {
                            "content": None,
                            "tool_calls": [{"id": "a", **CALLED}],
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
    document: dict[str, object], text: str, calls: int
) -> None:
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
    calls = [
        ToolCall(id="a", name="read", arguments='{"path": "/x"}'),
        ToolCall(id="b", name="list", arguments="{"),
    ]
    said = plain_messages(
        [
            {"role": "assistant", "content": "", "tool_calls": calls},
            {"role": "tool", "content": "one", "tool_call_id": "a"},
            {"role": "tool", "content": "two", "tool_call_id": "b"},
            ASKED,
        ]
    )

    assert [message["role"] for message in said] == ["assistant", "user"]
    assert json.loads(said[0]["content"])["calls"] == [
        {"name": "read", "arguments": {"path": "/x"}},
        {"name": "list", "arguments": "{"},
    ]
    assert (
        said[1]["content"]
        == '<result of="read">\none\n</result>\n<result of="list">\ntwo\n</result>\nwhich?'
    )


SAID = {
    "type": "message",
    "role": "assistant",
    "content": [{"type": "output_text", "text": ACTION}],
}
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
        200,
        json.dumps(
            {
                "object": "response",
                "status": "completed",
                "output": items,
                "usage": USAGE,
            }
            | more
        ),
    )


def call(name: str, arguments: str, number: str = "c1") -> dict[str, object]:
    return {
        "type": "function_call",
        "call_id": number,
        "name": name,
        "arguments": arguments,
    }


def ask_responses(
    url: str,
    messages: list[Message] = ASK,
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
    return reply_of(settings, messages, **(asked or {"schema": SCHEMA}))


@pytest.mark.parametrize("mode", list(ReplyMode))
def test_every_reply_mode_gives_the_same_action(mode: ReplyMode) -> None:
    with model_server(
        answer(
            THOUGHT, call("execute_script", ACTION) if mode is ReplyMode.TOOL else SAID
        )
    ) as server:
        reply = ask_responses(server.url, mode=mode)
    action = action_of(said_in(reply))

    assert isinstance(action, Action)
    assert (action.code, reply.reasoning, reply.reply_mode) == ("print(1)", "hm", mode)
    used = reply.usage
    assert (
        used.prompt_tokens,
        used.completion_tokens,
        used.cached_tokens,
        used.reasoning_tokens,
    ) == (11, 7, 5, 3)
    asked = server.asked[0]
    assert asked.path == "/v1/responses"
    assert (
        asked.body["input"],
        asked.body["max_output_tokens"],
        asked.body["store"],
    ) == (
        ASK,
        50,
        False,
    )
    assert asked.body["reasoning"] == {"effort": "low"}
    form = asked.body.get("text", {}).get("format", {}).get("type")
    assert form == {"schema": "json_schema", "json": "json_object"}.get(mode)
    named = {"type": "function", "name": "execute_script"}
    assert asked.body.get("tool_choice") == (named if mode is ReplyMode.TOOL else None)


def test_calls_and_sealed_thoughts_go_back_as_items_in_order() -> None:
    with model_server(
        answer(THOUGHT, call("look", "{}", "a"), call("look", '{"x": 1}', "b"))
    ) as server:
        reply = ask_responses(server.url, tools=[LOOK])
        assert reply.tool_calls[1] == ToolCall(
            name="look", arguments='{"x": 1}', id="b"
        )
        back = Message(
            role="assistant",
            content="",
            tool_calls=reply.tool_calls,
            thinking=reply.thinking,
        )
        ask_responses(
            server.url,
            [*ASK, back, Message(role="tool", content="seen", tool_call_id="a")],
            tools=[LOOK],
        )
    sent = server.asked[1].body
    kinds = [item.get("type", item.get("role")) for item in sent["input"]]

    assert kinds == [
        "system",
        "user",
        "reasoning",
        "function_call",
        "function_call",
        "function_call_output",
    ]
    assert sent["input"][2] == THOUGHT
    assert sent["include"] == ["reasoning.encrypted_content"]


@pytest.mark.parametrize(
    ("items", "more", "reason", "native"),
    [
        ([SAID], {}, "stop", ""),
        (
            [SAID],
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
    items: list, more: dict, reason: str, native: str
) -> None:
    with model_server(answer(*items, **more)) as server:
        reply = ask_responses(server.url)
    assert (reply.finish_reason, reply.native_finish_reason) == (reason, native)


BAD: list[bytes | Answer] = [
    response(200, json.dumps({"status": "completed"})),
    always(
        response(
            200,
            json.dumps(
                {"output": [], "error": {"code": "server_error", "message": "boom"}}
            ),
        )
    ),
]


@pytest.mark.parametrize("bad", BAD)
def test_a_response_that_is_none_is_an_error_to_retry(bad: bytes | Answer) -> None:
    with model_server(bad) as server, pytest.raises(ModelError) as caught:
        ask_responses(server.url)
    assert caught.value.retryable


HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
)
QUESTION = [Message(role="user", content="?")]


def chunks(
    *deltas: dict[str, object], usage: dict[str, int] | None = None
) -> list[bytes]:
    parts = [
        {"id": "x", "model": "m", "choices": [{"index": 0, "delta": delta}]}
        for delta in deltas
    ]
    parts += [{"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}]
    parts += [
        {"choices": [], "usage": usage or {"prompt_tokens": 5, "completion_tokens": 3}}
    ]
    return [b"data: " + json.dumps(part).encode() + b"\n\n" for part in parts] + [
        b"data: [DONE]\n\n"
    ]


def asked_of(url: str, heard: list[tuple[float, str]] | None) -> Reply:
    endpoint = Endpoint(EndpointSettings(model="m", base_url=url, timeout_s=10.0))
    if heard is not None:
        endpoint.on_text = lambda text: heard.append((time.monotonic(), text))
    return endpoint.complete(QUESTION, "solve")


def test_the_text_of_a_stream_is_heard_as_it_comes_and_the_reply_is_whole() -> None:
    call = {
        "index": 0,
        "id": "c1",
        "function": {"name": "execute_script", "arguments": '{"code": '},
    }
    deltas = [
        {"content": "first "},
        {"content": "Gr\u00fc\u2028n"},
        {"reasoning": "so"},
        {"tool_calls": [call]},
    ]
    deltas.append({"tool_calls": [{"index": 0, "function": {"arguments": '"1"}'}}]})

    def answer(asked: Asked, connection: socket.socket) -> bytes:
        first, *others = chunks(*deltas)
        connection.sendall(HEAD + b": a comment\n\n" + first)
        time.sleep(0.5)
        rest = b"".join(others)
        connection.sendall(rest[:37])  # in the middle of a chunk
        return rest[37:]

    heard: list[tuple[float, str]] = []
    with model_server(answer) as server:
        reply = asked_of(server.url, heard)

    assert [text for _, text in heard] == ["first ", "Gr\u00fc\u2028n"]
    assert heard[1][0] - heard[0][0] > 0.3
    assert (reply.text, reply.reasoning, reply.usage.completion_tokens) == (
        "first Gr\u00fc\u2028n",
        "so",
        3,
    )
    assert [
        (tool_call.name, tool_call.arguments) for tool_call in reply.tool_calls
    ] == [("execute_script", '{"code": "1"}')]
    assert server.asked[0].body["stream"] is True


def test_an_endpoint_that_cannot_stream_is_asked_without() -> None:
    def answer(asked: Asked, connection: socket.socket) -> bytes:
        if asked.body.get("stream"):
            return refusal(400, "stream_options is not supported")
        return response(200, completion("plain"))

    with model_server(answer) as server:
        reply = asked_of(server.url, [])
        assert (reply.text, len(server.asked)) == ("plain", 2)
    with model_server(response(200, completion("whole"))) as server:
        assert asked_of(server.url, []).text == "whole"
        assert asked_of(server.url, None).text == "whole"
        assert "stream" not in server.asked[-1].body


def test_a_stream_that_ends_early_is_no_reply_and_an_error_in_it_is_one() -> None:
    with (
        model_server(HEAD + chunks({"content": "half"})[0]) as server,
        pytest.raises(BadReply, match="was cut off"),
    ):
        asked_of(server.url, [])
    error = b'data: {"error": {"message": "overloaded", "code": 503}}\n\n'
    with (
        model_server(HEAD + error) as server,
        pytest.raises(Exception, match="overloaded"),
    ):
        asked_of(server.url, [])


FORMS = {
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


@pytest.mark.parametrize("form", FORMS)
def test_tokens_and_cost_are_the_same_in_every_form(form: str) -> None:
    given, tokens, cost_usd = FORMS[form]
    used = usage_of(given)
    usage = used.usage

    assert (
        usage.prompt_tokens,
        usage.completion_tokens,
        usage.cached_tokens,
        usage.reasoning_tokens,
    ) == tokens
    assert used.cost_usd == (None if cost_usd is None else pytest.approx(cost_usd))

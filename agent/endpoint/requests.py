"""Writes requests to an endpoint, in chat completions and in OpenAI's Responses API.

Both protocols say the same in different fields: the conversation, the form of the reply, the tools.
What an endpoint has refused before is left out, or said in another way.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from controlplane.agent.endpoint.settings import EndpointSettings, ThinkingBack
from controlplane.agent.model import (
    TOOL_NAME,
    Capabilities,
    Message,
    ModelRequest,
    ReplyMode,
    script_tool,
)
from controlplane.agent.reply.objects import read_object
from controlplane.sandbox.interface import well_formed

if TYPE_CHECKING:
    from openai.types.chat import (
        ChatCompletionFunctionToolParam,
        ChatCompletionToolChoiceOptionParam,
    )
    from openai.types.chat.completion_create_params import (
        CompletionCreateParamsNonStreaming as ChatParameters,
    )
    from openai.types.chat.completion_create_params import ResponseFormat
    from openai.types.responses.response_create_params import (
        ResponseCreateParamsNonStreaming as ResponseParameters,
    )
    from openai.types.shared_params import FunctionDefinition
    from openai.types.shared_params.response_format_json_schema import JSONSchema

REQUIRED: Final = "required"
"""The tool choice that lets the model choose the tool, but not reply without one."""
LENGTH_KEYWORDS: Final = frozenset({"maxItems", "maxLength", "minItems", "minLength"})
"""Keywords of a JSON schema that limit lengths. Some endpoints refuse them."""
_SCHEMA_NAME: Final = "action"
"""The name of a request's schema. The protocols demand a name, and models may see it."""


class WrittenRequest:
    """A request as it is sent, without the parts that the endpoint is known to refuse.

    If an endpoint has refused tools, a request that offers some is written in the mode `json`
    instead of `tool`, and the earlier calls of its conversation are texts.
    """

    def __init__(
        self,
        request: ModelRequest,
        settings: EndpointSettings,
        capabilities: Capabilities,
    ) -> None:
        """Write a request in the best mode that the capabilities allow."""
        self.request = request
        """What the product wants to know: the messages, the schema of the reply, the tools."""
        self.settings = settings
        """What the user has set for the endpoint, such as the temperature."""
        self.capabilities = capabilities
        """The parts of requests that the endpoint accepts, as far as it is known."""
        self.mode = _best_mode(request, settings.reply_mode, capabilities)
        """How the model writes its reply: by a schema, as a tool call, as JSON or as text."""
        self.body = self._body()
        """The fields that are sent."""

    def _body(self) -> dict[str, object]:
        """Return all fields of the request.

        Fields that the endpoint has refused are left out. So are empty ones, unless the user
        has set them (`settings.body`). For an endpoint that has refused `seed` before:

            {"model": "gpt-5-mini", "messages": [...], "temperature": 0.2, "max_tokens": 4000}
        """
        settings = self.settings
        body: dict[str, object] = {}
        if settings.api == "chat":
            body |= self._chat_fields()
        else:
            body |= self._response_fields()
        body["temperature"] = settings.temperature
        if self.request.min_temperature is not None:
            # A model that repeats itself replies differently at a higher temperature.
            configured = settings.temperature or 0.0
            body["temperature"] = max(configured, self.request.min_temperature)
        body["top_p"] = settings.top_p
        body["seed"] = settings.seed
        length_field = self.capabilities.length_field  # such as `max_tokens`, or empty
        if length_field:
            body[length_field] = settings.max_output_tokens
        if self.request.tools:
            body["parallel_tool_calls"] = True
        body |= settings.body

        sent: dict[str, object] = {}
        for name, value in body.items():
            is_wanted = name in settings.body or value not in (None, "", [])
            if is_wanted and name not in self.capabilities.refused:
                sent[name] = value
        return sent

    def _chat_fields(self) -> ChatParameters:
        """Return the fields that are specific to chat completions, which most endpoints have."""
        settings = self.settings
        # The types of `openai` lack the fields of thinking, and know only OpenAI's efforts.
        messages: Any = [
            chat_message(message, settings.thinking_back) for message in self._messages
        ]
        effort: Any = settings.reasoning_effort
        fields: ChatParameters = {
            "model": settings.model,
            "messages": messages,
            "tools": self._tools,
            "reasoning_effort": effort,
        }
        if self._form:
            fields["response_format"] = self._form
        if self._tool_choice:
            fields["tool_choice"] = self._tool_choice
        return fields

    def _response_fields(self) -> ResponseParameters:
        """Return the fields that are specific to OpenAI's Responses API.

        It has lists of items instead of messages. The server keeps the conversation unless `store`
        is false.
        """
        settings = self.settings
        sends_thinking = settings.thinking_back != "none"
        items: list[Any] = []
        for message in self._messages:
            items += _response_items(message, sends_thinking=sends_thinking)
        tools: list[Any] = []
        for tool in self._tools:
            # By default this API is strict, and then refuses schemas with optional fields.
            tools.append({**_flattened(tool), "strict": False})
        fields: ResponseParameters = {
            "model": settings.model,
            "input": items,
            "tools": tools,
            "store": False,
        }
        if sends_thinking and self.request.tools:
            # The server stores nothing, so thoughts can be sent back only if replies contain them.
            fields["include"] = ["reasoning.encrypted_content"]
        if settings.reasoning_effort:
            effort: Any = settings.reasoning_effort
            fields["reasoning"] = {"effort": effort}
        if self._form:
            fields["text"] = {"format": _flattened(self._form)}
        if self._tool_choice:
            fields["tool_choice"] = _flattened(self._tool_choice)
        return fields

    @property
    def _messages(self) -> Sequence[Message]:
        """The conversation. Unless the model is asked for tool calls, earlier calls are texts."""
        if self.mode is ReplyMode.TOOL:
            return self.request.messages
        return plain_messages(self.request.messages)

    @property
    def _form(self) -> ResponseFormat | None:
        """The form of the reply, with a schema that has only what the endpoint takes."""
        if self.mode is ReplyMode.JSON:
            return {"type": "json_object"}
        if self.mode is not ReplyMode.SCHEMA:
            return None
        schema: Any = dict(self.request.schema or {})
        if not self.capabilities.takes_bounds:  # limits on lengths, such as `maxLength`
            schema = _without_length_keywords(schema)
        named: JSONSchema = {"name": _SCHEMA_NAME, "schema": schema}
        if self.capabilities.takes_strict:
            named["strict"] = True
        return {"type": "json_schema", "json_schema": named}

    @property
    def _tools(self) -> list[ChatCompletionFunctionToolParam]:
        """The tools that the model may call.

        A request without tools of its own offers one by which the model passes its script.
        """
        if self.mode is not ReplyMode.TOOL:
            return []
        script = script_tool(self.request.schema or {})
        tools: list[ChatCompletionFunctionToolParam] = []
        for tool in self.request.tools or (script,):
            function: FunctionDefinition = {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
            }
            tools.append({"type": "function", "function": function})
        return tools

    @property
    def _tool_choice(self) -> ChatCompletionToolChoiceOptionParam | None:
        """The tool that the model must call; None if it need not call one.

        If the endpoint refuses the demand, the closest one that it takes is sent:

        | the request wants | the endpoint has refused | sent |
        |---|---|---|
        | `read` | nothing | `read` |
        | `read` | to demand a certain tool | `required`: any tool |
        | `read` | this, and `required` | nothing |
        """
        choice = self.request.tool_choice if self.request.tools else TOOL_NAME
        if self.mode is not ReplyMode.TOOL or not choice:
            return None
        if choice != REQUIRED and self.capabilities.takes_named_tool:
            return {"type": "function", "function": {"name": choice}}
        return "required" if self.capabilities.takes_required_tool else None


def _flattened(part: Any) -> Any:
    """Return a part of chat completions as the Responses API has it.

    There, the name of a tool or schema is one level higher:

    {"type": "function", "function": {"name": "read"}} -> {"type": "function", "name": "read"}
    {"type": "json_object"}                            -> the same
    "required"                                         -> the same
    """
    if isinstance(part, str):
        return part
    kind = part["type"]
    return {"type": kind, **part.get(kind, {})}


def _best_mode(
    request: ModelRequest, preferred: ReplyMode | None, capabilities: Capabilities
) -> ReplyMode:
    """Return the best reply mode for a request, among the modes that the endpoint has not refused.

    The modes differ in how surely the reply has the wanted form. `preferred` is the user's setting;
    None if the user has not chosen a mode:

    | the request has | the user prefers | modes, the best one first |
    |---|---|---|
    | no schema of the reply, and no tools | any | text |
    | no schema, but tools to call | any | tool |
    | a schema, and tools to call | nothing | tool, json, text |
    | the schema `{}`, which fits any JSON object | nothing | json, text |
    | any other schema | nothing | schema, tool, json, text |
    | the same | tool | tool |
    | the same | another mode | schema, json, text |

    In the rows with several modes, those before the `preferred` one are left out. If all modes
    are refused, return the last one: the endpoint's error then tells the user why.
    """
    modes: Sequence[ReplyMode] = tuple(ReplyMode)
    if request.schema is None:
        return ReplyMode.TOOL if request.tools else ReplyMode.TEXT
    if request.tools:
        # If the endpoint has no tools, the model writes its calls as JSON.
        modes = modes[1:]
    elif not request.schema:
        modes = modes[2:]
    elif preferred is ReplyMode.TOOL:
        return ReplyMode.TOOL  # If the endpoint refuses tools, the user is told so.
    elif preferred is not None:
        modes = (ReplyMode.SCHEMA, ReplyMode.JSON, ReplyMode.TEXT)

    if preferred in modes:
        modes = modes[modes.index(preferred) :]
    for mode in modes:
        if capabilities.takes_mode(mode):
            return mode
    return modes[-1]


def _without_length_keywords(schema: object) -> object:
    """Return a schema, or a part of one, without limits on lengths.

    `{"type": "string", "maxLength": 400}` -> `{"type": "string"}`
    """
    if isinstance(schema, dict):
        return {
            name: _without_length_keywords(value)
            for name, value in schema.items()
            if name not in LENGTH_KEYWORDS
        }
    if isinstance(schema, list):
        return [_without_length_keywords(item) for item in schema]
    return schema


# Writes the messages of a conversation.

SIGNATURES: Final = "extra_contents"
"""The key of a `Thought` that has the signatures of Gemini's tool calls, one a call:

    {"extra_contents": [{"google": {"thought_signature": "aGk="}}]}

Gemini signs a call, and refuses it in later requests if the signature is missing."""


def chat_message(
    message: Message, thinking: ThinkingBack = "none"
) -> dict[str, object]:
    """Return a message in the form of chat completions.

    A message of the model keeps its calls and, for vendors that want it back, its thinking:

        {"role": "assistant", "content": "", "tool_calls": [...], "reasoning_content": "Hm."}

    If the message has the `Thought` `{"reasoning_content": "Hm."}`, the fields of this mapping
    are put into the message. The user's setting `thinking` says what is sent of thoughts:

    | `thinking`          | fields of thoughts            | signatures of calls |
    |---------------------|-------------------------------|---------------------|
    | `none`              | never                         | never               |
    | `auto`              | if the message has tool calls | always              |
    | `reasoning_content` | always                        | always              |
    """
    sent: dict[str, object] = {
        "role": message["role"],
        "content": well_formed(message["content"]),
    }
    if "tool_call_id" in message:
        sent["tool_call_id"] = message["tool_call_id"]
    calls: list[dict[str, object]] = []
    for call in message.get("tool_calls", ()):
        function = {"name": call.name, "arguments": well_formed(call.arguments)}
        calls.append({"id": call.id, "type": "function", "function": function})

    for thought in message.get("thinking", ()):
        if thinking == "none":
            break
        signatures = thought.get(SIGNATURES, ())
        for sent_call, signature in zip(calls, signatures, strict=False):
            if signature:
                sent_call["extra_content"] = signature
        if calls or thinking == "reasoning_content":
            sent |= thought
            sent.pop(SIGNATURES, None)
    if calls:
        sent["tool_calls"] = calls
    return sent


def _response_items(
    message: Message, *, sends_thinking: bool
) -> list[Mapping[str, object]]:
    """Return a message as items of the Responses API, which has no messages with calls.

    A message of the model with a text, its thinking and a call becomes three items:

        {"type": "reasoning", "encrypted_content": "..."}
        {"role": "assistant", "content": "I look."}
        {"type": "function_call", "call_id": "c1", "name": "read", "arguments": "{}"}
    """
    content = well_formed(message["content"])
    if message["role"] == "tool":
        call_id = message.get("tool_call_id", "")
        return [{"type": "function_call_output", "call_id": call_id, "output": content}]

    items: list[Mapping[str, object]] = []
    calls = message.get("tool_calls", ())
    if calls and sends_thinking:
        items += message.get("thinking", ())
    if content or not calls:
        items.append({"role": message["role"], "content": content})
    for call in calls:
        items.append(
            {
                "type": "function_call",
                "call_id": call.id,
                "name": call.name,
                "arguments": well_formed(call.arguments),
            }
        )
    return items


def plain_messages(messages: Sequence[Message]) -> Sequence[Message]:
    """Return messages in a form for endpoints without tools.

    The model's calls become JSON text in its message, in place of a text beside them. A row of
    their results and of the user's messages becomes one message, because some endpoints refuse
    several:

        assistant: {"calls": [{"name": "read", "arguments": {"path": "/docs/a.md"}}]}
        user:      <result of="read"> ... </result>
    """
    has_calls = any(
        message.get("tool_calls") or message["role"] == "tool" for message in messages
    )
    if not has_calls:
        return messages

    plain: list[Message] = []
    # The tool's name by the id of its call. If an id comes twice, the later call counts.
    tool_names: dict[str, str] = {}
    for message in messages:
        role = message["role"]
        content = message["content"]
        written: list[dict[str, object]] = []
        for call in message.get("tool_calls", ()):
            tool_names[call.id] = call.name
            arguments: object = read_object(call.arguments or "{}")
            if arguments is None:
                # It is not an object, so keep what the model wrote.
                arguments = call.arguments
            written.append({"name": call.name, "arguments": arguments})
        if written:
            content = json.dumps({"calls": written}, ensure_ascii=False)
        elif role == "tool":
            role = "user"
            tool_name = tool_names.get(message.get("tool_call_id", ""), "")
            content = f'<result of="{tool_name}">\n{content}\n</result>\n'

        if plain and plain[-1]["role"] == role == "user":
            plain[-1]["content"] += content
        else:
            plain.append(Message(role=role, content=content))
    return plain

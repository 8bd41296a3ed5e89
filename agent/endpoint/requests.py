"""Builds requests, in chat completions and in OpenAI's Responses API."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.agent.endpoint.replies import LENGTH_KEYWORDS
from controlplane.agent.endpoint.settings import EndpointSettings, ThinkingBack
from controlplane.agent.model import (
    TOOL_NAME,
    Capabilities,
    Message,
    ModelRequest,
    ModelTool,
    ReplyMode,
    Thought,
    ToolCall,
)
from controlplane.agent.reply.objects import read_object
from controlplane.sandbox.interface import well_formed

# Writes the tool calls of a message, or the result of a call, as text.
#
# | message | text |
# |---|---|
# | of the model, with calls | `{"calls": [{"name": "read", "arguments": {"path": "/docs/a.md"}}]}` |
# | of the tool `read`, with a result | `<result of="read"> ... </result>`, as the user's |
# | any other | its own |


def _without_calls(message: Message, tool_names: Mapping[str, str]) -> Message:
    """Return a message with its calls, or the result of a call, as text.

    A text beside calls is dropped. `tool_names` has the names of the called tools by the id of
    the call.
    """
    calls = message.get("tool_calls", ())
    if calls:
        return Message(role=message["role"], content=_calls_as_text(calls))
    if message["role"] == "tool":
        tool_name = tool_names.get(message.get("tool_call_id", ""), "")
        text = f'<result of="{tool_name}">\n{message["content"]}\n</result>\n'
        return Message(role="user", content=text)
    return Message(role=message["role"], content=message["content"])


def _calls_as_text(calls: Sequence[ToolCall]) -> str:
    """Return tool calls as JSON: `{"calls": [{"name": "read", "arguments": {"path": "/a"}}]}`."""
    written = []
    for call in calls:
        arguments: object = read_object(call.arguments or "{}")
        if arguments is None:
            # It is not an object, so keep what the model wrote.
            arguments = call.arguments
        written.append({"name": call.name, "arguments": arguments})
    return json.dumps({"calls": written}, ensure_ascii=False)


# Writes tool calls in the protocol of chat completions, with the signatures that Gemini wants.
#
#     {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"},
#      "extra_content": {"google": {"thought_signature": "aGk="}}}
#
# Gemini signs a call, and refuses it in later requests if the signature is missing.

SIGNATURES: Final = "extra_contents"
"""The key of a `Thought` that has the signatures of Gemini's tool calls, one a call:

    {"extra_contents": [{"google": {"thought_signature": "aGk="}}]}
"""


def _chat_calls(
    calls: Sequence[ToolCall], thoughts: Sequence[Thought]
) -> list[dict[str, object]]:
    """Return tool calls, with the signatures in the thoughts of their message."""
    sent: list[dict[str, object]] = []
    for call in calls:
        function = {"name": call.name, "arguments": well_formed(call.arguments)}
        sent.append({"id": call.id, "type": "function", "function": function})
    for thought in thoughts:
        signatures = thought.get(SIGNATURES, ())
        for sent_call, signature in zip(sent, signatures, strict=False):
            if signature:
                sent_call["extra_content"] = signature
    return sent


# The JSON schema of a reply as requests have it, only with features that the endpoint takes.
#
# | the endpoint takes | schema in the request |
# |---|---|
# | all features | `{"name": "action", "schema": {..., "maxLength": 400}, "strict": True}` |
# | no limits on lengths, and no `strict` | `{"name": "action", "schema": {...}}` |

_SCHEMA_NAME: Final = "action"
"""The name of a request's schema. The protocols demand a name, and models may see it."""


def named_schema(
    schema: Mapping[str, object] | None, capabilities: Capabilities
) -> dict[str, object]:
    """Return a schema with a name, in the form that the endpoint accepts."""
    accepted: object = dict(schema or {})
    if not capabilities.takes_bounds:  # limits on lengths, such as `maxLength`
        accepted = _without_length_keywords(accepted)
    named: dict[str, object] = {"name": _SCHEMA_NAME, "schema": accepted}
    if capabilities.takes_strict:
        named["strict"] = True
    return named


def _without_length_keywords(schema: object) -> object:
    """Return a schema, or a part of one, without limits on lengths.

    `{"type": "string", "maxLength": 400}` -> `{"type": "string"}`
    """
    if isinstance(schema, dict):
        remaining = {}
        for name, value in schema.items():
            if name not in LENGTH_KEYWORDS:
                remaining[name] = _without_length_keywords(value)
        return remaining
    if isinstance(schema, list):
        return [_without_length_keywords(item) for item in schema]
    return schema


# Which tool a model must call: a certain one, any one, or none.
#
# Some endpoints refuse such demands. Then the closest one that they accept is sent:
#
# | choice | the endpoint has refused | sent |
# |---|---|---|
# | `read` | nothing | `read` |
# | `read` | to demand a certain tool | `required`: any tool |
# | `read` | this, and `required` | None: the model need not call a tool |

REQUIRED: Final = "required"
"""The tool choice that lets the model choose the tool, but not reply without one."""


def _accepted_choice(choice: str | None, capabilities: Capabilities) -> str | None:
    """Return a tool choice, or the closest one that the endpoint has not refused."""
    names_tool = choice is not None and choice != REQUIRED
    if names_tool and not capabilities.takes_named_tool:
        choice = REQUIRED
    if choice == REQUIRED and not capabilities.takes_required_tool:
        choice = None
    return choice


# The tools that a request offers to the model, and which of them it must call.
#
# A request for a reply in text offers none. A request for a tool call offers its own tools. If it has
# none, the model is to write a script, which it passes as the argument of a tool:
#
#     tools read and write, tool_choice="read"    offers read and write; the model must call read
#     no tools                                    offers execute_script; the model must call it


@dataclass(frozen=True, slots=True)
class _OfferedTools:
    """The tools of a request, and which of them the model must call."""

    tools: tuple[ModelTool, ...] = ()
    choice: str | None = None
    """The name of the tool that the model must call, or `required` for any tool; None if it need
    not call one."""

    @property
    def named_tool(self) -> str | None:
        """The name of the tool that the model must call; None if it may choose."""
        return None if self.choice == REQUIRED else self.choice


def offered_tools(
    request: ModelRequest, mode: ReplyMode, capabilities: Capabilities
) -> _OfferedTools:
    """Return the tools to offer, and the choice.

    Some endpoints refuse a request that says which tool the model must call. `capabilities` knows
    it, and `_accepted_choice` returns the closest choice that the endpoint takes.
    """
    if mode is not ReplyMode.TOOL:
        return _OfferedTools()
    if request.tools:
        choice = _accepted_choice(request.tool_choice or None, capabilities)
        return _OfferedTools(tuple(request.tools), choice)
    choice = _accepted_choice(TOOL_NAME, capabilities)
    return _OfferedTools((_script_tool(request),), choice)


def _script_tool(request: ModelRequest) -> ModelTool:
    """Return the tool by which a model passes its script, with the schema of the request."""
    schema = dict(request.schema or {})
    return ModelTool(
        name=TOOL_NAME, description="Run one Python script.", parameters=schema
    )


# Writes conversations with tool calls as plain text, for endpoints without tools.
#
# The calls and results stay in the conversation, so that the model knows what it has done:
#
#     assistant: {"calls": [{"name": "read", "arguments": {"path": "/docs/a.md"}}]}
#     user:      <result of="read"> ... </result>


def plain_messages(messages: Sequence[Message]) -> Sequence[Message]:
    """Return messages in a form for endpoints without tools.

    The model's calls become JSON text in its message. Their results become one message
    of the user: `<result of="read">...</result>`.
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
        for call in message.get("tool_calls", ()):
            tool_names[call.id] = call.name
        plain.append(_without_calls(message, tool_names))
    return _with_joined_user_messages(plain)


def _with_joined_user_messages(messages: Sequence[Message]) -> list[Message]:
    """Return messages with each row of user messages joined, because some endpoints refuse it.

    user `<result ...>`, user `<result ...>`, assistant `Hm` -> user, assistant
    """
    joined: list[Message] = []
    for message in messages:
        if joined and joined[-1]["role"] == message["role"] == "user":
            content = joined[-1]["content"] + message["content"]
            joined[-1] = Message(role="user", content=content)
        else:
            joined.append(message)
    return joined


# Chooses the mode in which a model is asked for its reply: by a schema, as a tool call, as text.
#
# The modes differ in how surely the reply has the wanted form, and not every endpoint accepts
# the surest one. If an endpoint has refused schemas, the model is asked by a tool call.


def _best_mode(
    request: ModelRequest, preferred: ReplyMode | None, capabilities: Capabilities
) -> ReplyMode:
    """Return the best reply mode for a request, among the modes that the endpoint has not refused.

    `preferred` is the user's setting; None if the user has not chosen a mode. If all modes
    are refused, return the last one: the endpoint's error then tells the user why.
    """
    modes = _modes_to_try(request, preferred)
    for mode in modes:
        if capabilities.takes_mode(mode):
            return mode
    return modes[-1]


def _modes_to_try(
    request: ModelRequest, preferred: ReplyMode | None
) -> Sequence[ReplyMode]:
    """Return the reply modes that suit a request, the best one first.

    | the request has | the user prefers | modes |
    |---|---|---|
    | no schema of the reply, and no tools | any | text |
    | no schema, but tools to call | any | tool |
    | a schema, and tools to call | nothing | tool, json, text |
    | the schema `{}`, which fits any JSON object | nothing | json, text |
    | any other schema | nothing | schema, tool, json, text |
    | the same | tool | tool |
    | the same | another mode | schema, json, text |

    In the rows with several modes, those before the `preferred` one are left out.
    """
    if request.schema is None:
        return (ReplyMode.TOOL,) if request.tools else (ReplyMode.TEXT,)
    if request.tools:
        # If the endpoint has no tools, the model writes its calls as JSON.
        modes = (ReplyMode.TOOL, ReplyMode.JSON, ReplyMode.TEXT)
        return _from_preferred(modes, preferred)
    if not request.schema:
        return _from_preferred((ReplyMode.JSON, ReplyMode.TEXT), preferred)

    if preferred is None:
        return (ReplyMode.SCHEMA, ReplyMode.TOOL, ReplyMode.JSON, ReplyMode.TEXT)
    if preferred is ReplyMode.TOOL:
        return (ReplyMode.TOOL,)  # If the endpoint refuses tools, the user is told so.
    modes = (ReplyMode.SCHEMA, ReplyMode.JSON, ReplyMode.TEXT)
    return _from_preferred(modes, preferred)


def _from_preferred(
    modes: Sequence[ReplyMode], preferred: ReplyMode | None
) -> Sequence[ReplyMode]:
    """Return the preferred mode and those after it; all modes if it is not among them."""
    if preferred in modes:
        return modes[modes.index(preferred) :]
    return modes


# Writes the messages of a conversation in the protocol of chat completions.
#
# A message of the model keeps its calls and, for vendors that want it back, its thinking:
#
#     {"role": "assistant", "content": "", "tool_calls": [...], "reasoning_content": "Hm."}


def chat_message(
    message: Message, thinking: ThinkingBack = "none"
) -> dict[str, object]:
    """Return a message in the form of chat completions.

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

    thoughts = () if thinking == "none" else message.get("thinking", ())
    calls = _chat_calls(message.get("tool_calls", ()), thoughts)
    if calls or thinking == "reasoning_content":
        for thought in thoughts:
            sent |= _message_fields(thought)
    if calls:
        sent["tool_calls"] = calls
    return sent


def _message_fields(thought: Thought) -> dict[str, object]:
    """Return the fields of a thought that are put into its message: all but the signatures."""
    return {name: value for name, value in thought.items() if name != SIGNATURES}


# What a request says to an endpoint, before it is written in one of the protocols.
#
# The two protocols, chat completions and OpenAI's Responses API, write the same plan in
# different fields.


@dataclass(frozen=True, slots=True)
class RequestPlan:
    """What one request says to an endpoint.

    If an endpoint has refused tools, the plan of a request that offers some has the mode `json`
    instead of `tool`, and the earlier calls of its conversation are texts.
    """

    request: ModelRequest
    """What the product wants to know: the messages, the schema of the reply, the tools."""
    settings: EndpointSettings
    """What the user has set for the endpoint, such as the temperature."""
    capabilities: Capabilities
    """The parts of requests that the endpoint accepts, as far as it is known."""
    mode: ReplyMode
    """How the model writes its reply: by a schema, as a tool call, as JSON or as text."""

    @classmethod
    def of(
        cls,
        request: ModelRequest,
        settings: EndpointSettings,
        capabilities: Capabilities,
    ) -> RequestPlan:
        """Return the plan in the best mode that the capabilities allow."""
        mode = _best_mode(request, settings.reply_mode, capabilities)
        return cls(request, settings, capabilities, mode)

    @property
    def messages(self) -> Sequence[Message]:
        """The conversation. Unless the model is asked for tool calls, earlier calls are texts."""
        if self.mode is ReplyMode.TOOL:
            return self.request.messages
        return plain_messages(self.request.messages)

    @property
    def tools(self) -> _OfferedTools:
        """The tools that the model may call."""
        return offered_tools(self.request, self.mode, self.capabilities)

    @property
    def temperature(self) -> float | None:
        """The temperature; None to leave it to the endpoint."""
        if self.request.min_temperature is None:
            return self.settings.temperature
        # A model that repeats itself replies differently at a higher temperature.
        return max(self.settings.temperature or 0.0, self.request.min_temperature)

    @property
    def named_schema(self) -> dict[str, object]:
        """The request's schema with a name: `{"name": "action", "schema": {...}}`."""
        return named_schema(self.request.schema, self.capabilities)

"""A model at an OpenAI-compatible endpoint.

`Endpoint.reply_to` sends one request and returns the reply. What the endpoint refuses is left out
from then on. Every failure is a `ModelError` with one line that never contains the API key.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import re2

from controlplane.agent.endpoint.connection import (
    LIST_TIMEOUT_S,
    Connection,
    LateReply,
    TooLongReply,
)
from controlplane.agent.endpoint.errors import (
    REFUSED_KEY,
    SERVER_FAILURE,
    UNKNOWN,
    UNKNOWN_MODEL,
    ErrorContents,
    ErrorReply,
    Feature,
    ToolDemand,
    error_tables,
    meaning_of,
)
from controlplane.agent.endpoint.replies import LENGTH_KEYWORDS, StreamedText
from controlplane.agent.endpoint.requests import REQUIRED, RequestPlan, chat_message
from controlplane.agent.endpoint.response_reading import ResponseReader
from controlplane.agent.endpoint.settings import (
    EndpointSettings,
    ListedModel,
    Secrets,
    listed_models,
)
from controlplane.agent.model import (
    BadReply,
    Capabilities,
    Message,
    Model,
    ModelError,
    ModelRequest,
    ModelTool,
    Reply,
    ReplyMode,
)
from controlplane.sandbox.interface import well_formed

# Keeps what was learned about an endpoint, for the threads of all trials.
#
# If the request of one trial was refused because of `seed`, no later request sends it:
#
#     known = memory.known                                    # takes all
#     memory.keep_learned(without_seed, since=known)          -> True
#     memory.keep_learned(without_temperature, since=known)   -> False: `known` is outdated


class _CapabilityMemory:
    """The capabilities that requests have learned so far."""

    def __init__(self, known: Capabilities) -> None:
        self._known = known
        self._lock = threading.Lock()

    @property
    def known(self) -> Capabilities:
        """The capabilities that are known now."""
        return self._known

    def keep_learned(self, learned: Capabilities, *, since: Capabilities) -> bool:
        """Keep what a request has learned for later requests. Return False if it is not kept.

        `since` are the capabilities with which the request began. If another request has
        replaced them meanwhile, its own stay: one has learned that `seed` is refused, and one
        that `top_p` is. A later request learns the other part again, and adds it.
        """
        with self._lock:
            if self._known is not since:
                return False
            self._known = learned
            return True


def _untested_capabilities(settings: EndpointSettings) -> Capabilities:
    """Return the capabilities of an endpoint that has not refused anything so far."""
    is_chat = settings.api == "chat"
    return Capabilities(
        endpoint=settings.shown_url,
        model=settings.model,
        length_field="max_tokens" if is_chat else "max_output_tokens",
    )


# The exception for a request that an endpoint has refused, with a message for the user.
#
#     too many requests (429: slow down) at the model endpoint http://127.0.0.1:8080, which asks
#     to wait 7 s; if it lasts, lower --concurrency
#
# The message begins with what happened, because tables cut long messages.


def _refusal_error(
    refusal: ErrorReply, settings: EndpointSettings, *, affects_all: bool = False
) -> ModelError:
    """Return the exception for a refused request.

    Args:
        refusal: The endpoint's error.
        settings: The endpoint and the model, which the message names.
        affects_all: True if it is known that all trials meet this error, even if its
            meaning does not say so.
    """
    meaning = meaning_of(refusal)
    text = meaning.message.format(model=settings.model)
    text += f" {refusal.summary} at {settings.shown_name}"
    if refusal.retry_after_s is not None and meaning.retryable:
        text += f", which asks to wait {refusal.retry_after_s:g} s"
    if meaning.remedy:
        remedy = meaning.remedy.format(key_variable=settings.key_variable)
        text += f"; {remedy}"
    return ModelError(
        text,
        retryable=meaning.retryable,
        affects_all=meaning.affects_all or affects_all,
        retry_after_s=refusal.retry_after_s,
    )


# Finds the names of parameters in the text of an error.
#
# | text | names |
# |---|---|
# | `'seed' is not supported` | `seed` |
# | `messages[1].content: must be a string` | `messages[1].content` |

_MAX_SEARCHED_CHARS: Final = 4_000
"""Max characters of one error text that are searched for names of parameters."""

_NAME: Final = r"([A-Za-z_][\w./\[\]]{0,80})"
"""A name with its path: `temperature`, `text.format`, `messages[1]`."""

_FORMS: Final = (
    rf"""["'`‘“\[]/?{_NAME}["'`’”\]]""",  # 'temperature' does not support 0.5
    rf"\A{_NAME}: ",  # max_tokens: Extra inputs are not permitted
    rf": {_NAME}\.?\z",  # Unknown parameter: top_p.
    rf"\b{_NAME} (?:is|are) not (?:supported|permitted)",  # seed is not supported
)
"""The forms in which error texts name a parameter, each with a group for the name."""
_NAMED_PARAMETER: Final = re2.compile("|".join(_FORMS))


def _parameters_in_text(message: str) -> list[str]:
    """Return the names in one error text that may be parameters, in order."""
    names: list[str] = []
    for match in _NAMED_PARAMETER.finditer(message[:_MAX_SEARCHED_CHARS]):
        # Only the group of the form that matched is not None.
        names += [name for name in match.groups() if name]
    return names


# Finds the parameters of a request that an error refuses, to send it again without them.
#
# Errors name them in fields (`{"param": "seed"}`), in texts (`'seed' is not supported`), or not at
# all (`this model does not support tools`).

_SCHEMA_KEYWORDS: Final = LENGTH_KEYWORDS | {"strict"}
"""Keywords of a JSON schema that some endpoints refuse."""


def _refused_parameters(refusal: ErrorReply, model: str) -> list[str]:
    """Return the parameters of a request to this model that an error refuses. One may come twice.

    400: 'seed' is not supported             -> ["seed"], which is named
    404: no model 'acme/seed'                -> [], for the model `acme/seed`
    500: failed at 'seed'                    -> []
    400: this model does not support tools   -> ["tools"], by a phrase of `errors.toml`
    500: this model does not support tools   -> ["tools"]
    """
    names: list[str] = []
    # With status 500, the server itself has failed, and its error may quote any parameter.
    if refusal.status != 500:
        names += _named_parameters(refusal.contents, _names_of_model(refusal, model))

    text = refusal.contents.text.lower()
    for phrase, refused in error_tables().refused_by_phrase.items():
        if phrase in text:
            names.append(refused.parameter)
    return names


def _names_of_model(refusal: ErrorReply, model: str) -> frozenset[str]:
    """Return the names in lower case that mean the model in the texts of an error.

    If the model `acme/seed` is unknown, `seed` alone means the model, too.
    """
    name = model.lower()
    if meaning_of(refusal).name != UNKNOWN_MODEL:
        return frozenset({name}) if "/" in name else frozenset()
    return frozenset({name, *name.split("/")})


def _named_parameters(
    contents: ErrorContents, names_of_model: frozenset[str]
) -> list[str]:
    """Return the parameters that an error names in its fields, or else in its texts.

    A name in a text that means the model, alone or at the end of a path, is passed over.

    But a field only names the parameter that has the schema, never a keyword in the schema. So
    keywords in texts always count, and come first: leaving one out may be enough.

    {"param": "tools", "message": "'strict' is not supported"}   -> ["strict", "tools"]
    {"param": "tools", "message": "'seed' is not supported"}     -> ["tools"]
    """
    names_in_texts: list[str] = []
    for message in contents.messages:
        for name in _parameters_in_text(message):
            if not _is_one_of(names_of_model, name):
                names_in_texts.append(name)
    if not contents.parameters:
        return names_in_texts
    keywords = [name for name in names_in_texts if name in _SCHEMA_KEYWORDS]
    return [*keywords, *contents.parameters]


def _is_one_of(names_of_model: frozenset[str], name: str) -> bool:
    """Return True if a name means the model: `acme/seed` and `models/acme/seed` do."""
    path = name.lower()
    return any(path == model or path.endswith(f"/{model}") for model in names_of_model)


# Exchanges with one endpoint: a request's body is sent, and a reply or an error comes back.
#
# If somebody watches, the reply is streamed, so that its text appears as the model writes it. Not
# every server can stream:
#
# | request | the endpoint answers | then |
# |---|---|---|
# | with `"stream": true` | 400, `no stream here` | it is sent again without |
# | without | a reply | no later request asks for a stream |
# | without | an error | the refusal was not due to the stream: later requests ask for one |

_NO_STREAM_STATUSES: Final = (400, 404, 415, 422, 501)
"""HTTP statuses with which servers refuse to stream."""
_STREAM_WORD: Final = re2.compile(r"(?i)(?:\b|_)stream")
"""Matches `stream_options` and `no_streaming`, but not `upstream`."""
_STREAMING: Final[Mapping[str, object]] = {
    "stream": True,
    "stream_options": {"include_usage": True},
}
"""The fields of a request's body that ask for a stream."""


class _Exchanges:
    """Sends requests to one endpoint, and reads the responses."""

    def __init__(self, settings: EndpointSettings, connection: Connection) -> None:
        self._connection = connection
        self._reader = ResponseReader(settings, Secrets.of(settings))
        self._has_streams = settings.api == "chat"
        """False once the server has refused to stream, or if its protocol has no streams here."""
        self.on_text: Callable[[str], None] | None = None
        """If set, replies are streamed, and this gets their text as it arrives."""
        self._last_reply_at: float | None = None
        """The moment of the last reply to any trial; None before the first one."""

    def reply_to(
        self, body: Mapping[str, object], deadline: float
    ) -> Reply | ErrorReply:
        """Return the reply to a request, or the error with which the endpoint refused it.

        `deadline` is a moment of `time.monotonic`. Raises `ModelError` if the
        connection breaks, or if there is no readable reply by then.
        """
        began_at = time.monotonic()
        try:
            outcome = self._exchange(body, deadline)
        except LateReply as error:
            # If another trial has got a reply meanwhile, this conversation takes too long.
            last_reply_at = self._last_reply_at
            has_replied = last_reply_at is not None and last_reply_at > began_at
            error.affects_all = not has_replied
            raise
        except TooLongReply as error:
            # What has replied before is the endpoint of a model, and no address of large files.
            error.affects_all = self._last_reply_at is None
            raise
        if isinstance(outcome, Reply):
            self._last_reply_at = time.monotonic()
        return outcome

    def _exchange(
        self, body: Mapping[str, object], deadline: float
    ) -> Reply | ErrorReply:
        """Do what `reply_to` does, with the errors as the connection raises them."""
        if self.on_text is None or not self._has_streams:
            return self._reader.read(self._connection.post(body, deadline))

        # `post_stream` returns when the whole response is there. While it waits, another
        # thread reads the response, and passes its text on.
        take_part = StreamedText(self.on_text).take
        stream_body = {**body, **_STREAMING}
        response = self._connection.post_stream(stream_body, deadline, take_part)
        streamed = self._reader.read_stream(response)
        if not isinstance(streamed, ErrorReply) or not _refuses_stream(streamed):
            return streamed

        whole = self._reader.read(self._connection.post(body, deadline))
        if isinstance(whole, Reply):
            self._has_streams = False
        return whole


def _refuses_stream(refusal: ErrorReply) -> bool:
    """Return True if an error may say that the server cannot stream: 400, `no stream here`.

    Only what the error says counts. Some servers send back the request, with its `stream`.
    """
    if refusal.status not in _NO_STREAM_STATUSES:
        return False
    contents = refusal.contents
    texts = (contents.text, *contents.codes, *contents.parameters)
    return any(_STREAM_WORD.search(text) for text in texts)


# What one refusal shows about an endpoint: for example, that it takes no `seed`.


@dataclass(frozen=True, slots=True)
class _Lesson:
    """What one refusal shows about an endpoint."""

    capabilities: Capabilities
    """The capabilities of the endpoint, without the refused part."""
    notice: str
    """For the user, after the endpoint's name: `takes no seed; leaving it out from here on`."""


# A name in an error that may mean a parameter of the refused request.
#
# Errors name a field by its whole path: `messages[1].content`. Requests only have its first part
# as a parameter: `messages`.


@dataclass(frozen=True, slots=True)
class _RefusedName:
    """A name in an error, such as `text.format`, that may mean a parameter."""

    parts: frozenset[str]
    """The whole name and the pieces of its path: `text.format`, `text` and `format`."""

    @classmethod
    def of(cls, name: str) -> _RefusedName:
        """Divide a name at the separators of paths: `messages[1]` has `messages` and `1`."""
        dotted = name
        for separator in "/[]":
            dotted = dotted.replace(separator, ".")
        pieces = [piece for piece in dotted.split(".") if piece]
        return cls(frozenset({name, *pieces}))

    def means(self, parameter: str) -> bool:
        """Return True if the name means this parameter: `text.format` means `text`.

        Errors call the parameter `reasoning_effort` also `reasoning`.
        """
        short_form = parameter.removesuffix("_effort")
        return parameter in self.parts or short_form in self.parts


# Writes requests in the protocol of chat completions, which most endpoints have.
#
# These are the fields that only this protocol has:
#
#     {"messages": [{"role": "user", "content": "..."}], "tools": [...], "tool_choice": "required"}


def _chat_fields(plan: RequestPlan) -> dict[str, object]:
    """Return the fields that are specific to chat completions."""
    settings = plan.settings
    fields: dict[str, object] = {}
    fields["messages"] = [
        chat_message(message, settings.thinking_back) for message in plan.messages
    ]
    if plan.mode is ReplyMode.SCHEMA:
        fields["response_format"] = {
            "type": "json_schema",
            "json_schema": plan.named_schema,
        }
    elif plan.mode is ReplyMode.JSON:
        fields["response_format"] = {"type": "json_object"}

    # `body_of` leaves out empty fields, such as those of a request without tools.
    offered = plan.tools
    fields["tools"] = [_chat_tool(tool) for tool in offered.tools]
    if offered.named_tool:
        fields["tool_choice"] = {
            "type": "function",
            "function": {"name": offered.named_tool},
        }
    else:
        # `required`, or None if the model need not call a tool
        fields["tool_choice"] = offered.choice
    fields["reasoning_effort"] = settings.reasoning_effort
    return fields


def _chat_tool(tool: ModelTool) -> dict[str, object]:
    """Return the declaration of a tool."""
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }
    return {"type": "function", "function": function}


# Writes messages as items of OpenAI's Responses API, which has no messages with calls.
#
# A message of the model with a text, its thinking and a call becomes three items:
#
#     {"type": "reasoning", "encrypted_content": "..."}
#     {"role": "assistant", "content": "I look."}
#     {"type": "function_call", "call_id": "c1", "name": "read", "arguments": "{}"}


def _response_items(
    message: Message, *, sends_thinking: bool
) -> list[Mapping[str, object]]:
    """Return a message as items of the Responses API."""
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


# Writes requests in the protocol of OpenAI's Responses API.
#
# It has lists of items instead of messages. The name of a tool or schema is one level
# higher than in chat completions. The server keeps the conversation unless `store` is
# false.


def _responses_fields(plan: RequestPlan) -> dict[str, object]:
    """Return the fields that are specific to the Responses API."""
    fields: dict[str, object] = {"store": False}  # The server must not keep it.
    sends_thinking = plan.settings.thinking_back != "none"
    items: list[Mapping[str, object]] = []
    for message in plan.messages:
        items += _response_items(message, sends_thinking=sends_thinking)
    fields["input"] = items
    if sends_thinking and plan.request.tools:
        # The server stores nothing, so thoughts can be sent back only if replies contain them.
        fields["include"] = ["reasoning.encrypted_content"]

    if plan.mode is ReplyMode.SCHEMA:
        fields["text"] = {"format": {"type": "json_schema", **plan.named_schema}}
    elif plan.mode is ReplyMode.JSON:
        fields["text"] = {"format": {"type": "json_object"}}

    # `body_of` leaves out empty fields, such as those of a request without tools.
    offered = plan.tools
    fields["tools"] = [_response_tool(tool) for tool in offered.tools]
    if offered.named_tool:
        fields["tool_choice"] = {"type": "function", "name": offered.named_tool}
    else:
        # `required`, or None if the model need not call a tool
        fields["tool_choice"] = offered.choice

    if plan.settings.reasoning_effort:
        fields["reasoning"] = {"effort": plan.settings.reasoning_effort}
    return fields


def _response_tool(tool: ModelTool) -> dict[str, object]:
    """Return the declaration of a tool.

    By default this API is strict, and then refuses schemas with optional fields.
    """
    return {
        "type": "function",
        "strict": False,
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }


# Builds the body of a request, in the endpoint's protocol and without refused parts.
#
# For an endpoint that has refused `seed` before:
#
#     {"model": "gpt-5-mini", "messages": [...], "temperature": 0.2, "max_tokens": 4000}


def body_of(plan: RequestPlan) -> dict[str, object]:
    """Return the whole body of a request.

    Fields that the endpoint has refused are left out. So are empty ones, unless the user
    has set them (`settings.body`).
    """
    settings = plan.settings
    body = _chat_fields(plan) if settings.api == "chat" else _responses_fields(plan)
    body["model"] = settings.model
    body["temperature"] = plan.temperature
    body["top_p"] = settings.top_p
    body["seed"] = settings.seed
    length_field = plan.capabilities.length_field  # such as `max_tokens`, or empty
    if length_field:
        body[length_field] = settings.max_output_tokens
    if plan.request.tools:
        body["parallel_tool_calls"] = True
    body |= settings.body

    sent: dict[str, object] = {}
    for name, value in body.items():
        is_refused = name in plan.capabilities.refused
        is_set_by_user = name in settings.body
        if not is_refused and (is_set_by_user or not is_empty(value)):
            sent[name] = value
    return sent


def is_empty(value: object) -> bool:
    """Return True for a field without a value: None, an empty text or list."""
    return value is None or value == "" or value == []


# A request as it is sent to an endpoint: what it says (the plan), and its body.
#
# The plan chooses the reply mode, the messages and the tools. The body is the plan, written
# in the endpoint's protocol.


@dataclass(frozen=True, slots=True)
class _WrittenRequest:
    """A request with its body, without the parts that the endpoint is known to refuse."""

    plan: RequestPlan
    """The request, and in which mode the model is asked for its reply."""
    body: dict[str, object]
    """The plan as it is sent."""

    @classmethod
    def of(
        cls,
        request: ModelRequest,
        settings: EndpointSettings,
        capabilities: Capabilities,
    ) -> _WrittenRequest:
        """Write a request in the best mode that the capabilities allow."""
        plan = RequestPlan.of(request, settings, capabilities)
        return cls(plan, body_of(plan))

    @property
    def capabilities(self) -> Capabilities:
        """The parts of requests that the endpoint accepts, as far as it is known."""
        return self.plan.capabilities

    @property
    def mode(self) -> ReplyMode:
        """How the model writes its reply: by a schema, as a tool call, as JSON or as text."""
        return self.plan.mode

    def with_capabilities(self, capabilities: Capabilities) -> _WrittenRequest:
        """Return the same request for an endpoint that accepts less, perhaps in another mode."""
        return _WrittenRequest.of(self.plan.request, self.plan.settings, capabilities)

    def with_messages(self, messages: Sequence[Message]) -> _WrittenRequest:
        """Return this request with other messages, in the same mode."""
        request = replace(self.plan.request, messages=messages)
        plan = replace(self.plan, request=request)
        return _WrittenRequest(plan, body_of(plan))

    @property
    def lacks_needed_tools(self) -> bool:
        """True if the model must reply by a tool call, but the endpoint takes no tools.

        A request that has tools but no schema has no other mode, and a user may prefer this one.
        """
        return self.mode is ReplyMode.TOOL and not self.capabilities.takes_tools


# What an error teaches about an endpoint: that it lacks a feature, such as tools or JSON schemas.
#
# If a request with tools is refused with `'tools' is not supported`, the endpoint lacks the feature
# `takes_tools`. Without this lesson, each later request would be refused, too. With it, they ask the
# model to reply in another way, such as JSON. `errors.toml` lists the parameters of each feature.


def _lesson_about_feature(
    name: _RefusedName, request: _WrittenRequest
) -> _Lesson | None:
    """Return the lesson about the first feature that the request uses, and the error names.

    `name.parts` has the parameter that the error names: `tools`.
    """
    for feature in error_tables().features:
        names_in_error = name.parts & feature.parameters
        if names_in_error and _uses_feature(request, feature):
            # The feature `takes_tools` is the field `takes_tools` of the capabilities.
            changed = request.capabilities.model_copy(update={feature.name: False})
            return _Lesson(changed, feature.notice)
    return None


def _uses_feature(request: _WrittenRequest, feature: Feature) -> bool:
    """Return True if a request uses a feature.

    A request in the reply mode `tool`, with `"tool_choice": "required"`, uses `takes_tools` and
    `takes_required_tool`, but not `takes_schema`, which is a feature of the mode `schema`.
    """
    if request.mode not in feature.modes:
        return False
    was_refused_before = not getattr(request.capabilities, feature.name)
    if was_refused_before:
        return False
    if feature.tool_demand is None:  # All requests in these modes use it.
        return True
    return feature.tool_demand == _tool_demand_of(request)


def _tool_demand_of(request: _WrittenRequest) -> ToolDemand | None:
    """Return which tool a request demands that the model calls; None if it demands none.

    | `tool_choice` of the request | demand |
    |---|---|
    | `"required"` | any tool |
    | `{"type": "function", "name": "read"}` | a certain tool |
    | not sent | None |
    """
    tool_choice = request.body.get("tool_choice")
    if tool_choice is None:
        return None
    return "any tool" if tool_choice == REQUIRED else "a certain tool"


# Tells if an error says that a parameter is unknown, not that its value is wrong.
#
# | error | the parameter is |
# |---|---|
# | `Unrecognized request argument: max_tokens` | unknown, so another name may help |
# | `max_tokens must be at most 4096` | known, so another name would not help |
# | `'max_tokens' does not support 9000` | known: it is what supports, not what is supported |

_UNSUPPORTED_CODE: Final = "unsupported_parameter"
_REFUSED_VALUE_CODE: Final = "unsupported_value"
_UNSUPPORTED_PHRASES: Final = (
    "unsupported",
    "not support",
    "not permitted",
    "unexpected keyword",
    "unknown name",
    "unrecognized",
)
"""Lower-case phrases that say that a parameter is unknown."""


def _refused_value_of(parameter: str) -> str:
    """Return the pattern of a text that refuses a value of a parameter, not the parameter."""
    name = re2.escape(parameter)
    forms = (
        rf"""\b{name}["'`]? do(?:es)? not support""",  # 'seed' does not support 0.5
        rf"""\b{name}["'`]?(?: of|:|=) ?\d+ is not""",  # seed of 7 is not supported
        "unsupported value",
    )
    return "(?i)" + "|".join(forms)


def _says_unknown(refusal: ErrorReply, parameter: str) -> bool:
    """Return True if an error says that a parameter is unknown, by a code or in words."""
    if _UNSUPPORTED_CODE in refusal.contents.codes:
        return True
    text = refusal.contents.text.lower()
    is_value_refused = re2.search(_refused_value_of(parameter), text) is not None
    if is_value_refused or _REFUSED_VALUE_CODE in refusal.contents.codes:
        return False
    return any(phrase in text for phrase in _UNSUPPORTED_PHRASES)


# The lesson that an endpoint does not take the parameter that limits a reply's length.
#
# OpenAI has renamed it: newer models refuse `max_tokens` and take `max_completion_tokens`. So the
# request is sent again with the new name. If an endpoint refuses that, too, no limit is sent.

_OLD_FIELD: Final = "max_tokens"
_NEW_FIELD: Final = "max_completion_tokens"


def _lesson_about_length(
    refusal: ErrorReply, name: _RefusedName, request: _WrittenRequest
) -> _Lesson | None:
    """Return the lesson if the parameter that limits the reply's length is refused.

    `name` is one of the names in the error `refusal`. For a request with `max_tokens`:

    | the error | `name` | the lesson |
    |---|---|---|
    | `'max_tokens' is not supported` | `max_tokens` | send `max_completion_tokens` |
    | `Use 'max_completion_tokens'` | `max_completion_tokens` | the same |
    | `'max_tokens' must be at most 4096` | `max_tokens` | None: only its value is refused |
    | `'max_tokens' does not support 9000` | `max_tokens` | None |
    """
    field = request.capabilities.length_field
    if field not in request.body:
        return None
    is_unknown = field in name.parts and _says_unknown(refusal, field)
    is_new_name_offered = field == _OLD_FIELD and _NEW_FIELD in name.parts
    if not (is_unknown or is_new_name_offered):
        return None

    if field == _OLD_FIELD:
        next_field = _NEW_FIELD
        consequence = f"sending {_NEW_FIELD} from here on"
    else:
        next_field = ""  # no limit
        consequence = "its replies have no bound from here on"
    changed = request.capabilities.model_copy(update={"length_field": next_field})
    return _Lesson(changed, f"takes no {field}; {consequence}")


# The lesson that an endpoint does not know a parameter that requests can do without.
#
# After `'seed' is not supported`, all further requests leave `seed` out.

_ALWAYS_SENT: Final = frozenset(
    {"model", "messages", "input", "tools", "tool_choice", "response_format", "text"}
)
"""Parameters that are never left out. Some of them change if another reply mode is used."""


def _lesson_about_parameter(
    name: _RefusedName, request: _WrittenRequest
) -> _Lesson | None:
    """Return the lesson if a refused name means a parameter that a request can do without."""
    capabilities = request.capabilities
    for parameter in request.body:
        is_needed = parameter in _ALWAYS_SENT or parameter == capabilities.length_field
        if not is_needed and name.means(parameter):
            refused = (*capabilities.refused, parameter)
            changed = capabilities.model_copy(update={"refused": refused})
            return _Lesson(
                changed, f"takes no {parameter}; leaving it out from here on"
            )
    return None


# Finds out from a refused request which part of it an endpoint does not support.
#
# Compatible endpoints support different parts of OpenAI's protocol. If an error
# names a part of the request, such as `'response_format' is not supported`,
# `_lesson_of` returns a lesson: the capabilities of the endpoint without that part, and a
# notice for the user. The request can then be sent again without it.


def _lesson_of(refusal: ErrorReply, request: _WrittenRequest) -> _Lesson | None:
    """Return what the refusal of a request shows.

    None if it names no part of the request that can be left out.
    """
    if not _may_refuse_parameter(refusal):
        return None
    for parameter in _refused_parameters(refusal, request.plan.settings.model):
        name = _RefusedName.of(parameter)
        # The limit of the reply's length has several names, one of which may be accepted. A
        # feature, such as tools, has several parameters. Any other is just left out.
        lesson = (
            _lesson_about_length(refusal, name, request)
            or _lesson_about_feature(name, request)
            or _lesson_about_parameter(name, request)
        )
        if lesson is not None:
            return lesson
    return None


def _may_refuse_parameter(refusal: ErrorReply) -> bool:
    """Return True if an error may be about a parameter of the request.

    | error | may refuse one |
    |---|---|
    | of an unknown kind: `'seed' is not supported` | True |
    | an unknown model | True: gateways say so if no provider takes the parameters |
    | status 500, of an unknown kind | True: some servers fail at a parameter so |
    | any other, such as a too long conversation | False: it may list parameters |
    """
    meaning = meaning_of(refusal).name
    if meaning == SERVER_FAILURE:
        return refusal.status == 500
    return meaning in (UNKNOWN, UNKNOWN_MODEL)


# What is sent instead of a request that an endpoint has refused.
#
# If the endpoint answers `'seed' is not supported`, the same request is sent without `seed`. What
# the answer shows about the endpoint, that it takes no `seed`, is called a lesson.


@dataclass(frozen=True, slots=True)
class _ReducedRequest:
    """A request without a part that the endpoint has refused."""

    request: _WrittenRequest
    notice: str
    """For the user: `the model endpoint http://127.0.0.1:8080 takes no seed; ...`."""


def _reduced_request(
    refused: _WrittenRequest, refusal: ErrorReply
) -> _ReducedRequest | None:
    """Return the refused request without the refused part; None if the refusal names no part.

    Raises `ModelError` if the endpoint refuses tools, but the model must reply by a tool
    call. This affects all trials.
    """
    lesson = _lesson_of(refusal, refused)
    if lesson is None:
        return None
    settings = refused.plan.settings
    # The same request, written anew for what the endpoint is now known to accept.
    request = refused.with_capabilities(lesson.capabilities)
    refuses_needed_tools = request.lacks_needed_tools and not refused.lacks_needed_tools
    if refuses_needed_tools:
        raise _refusal_error(refusal, settings, affects_all=True)

    notice = f"{settings.shown_name} {lesson.notice}"
    if request.mode is not refused.mode:  # For example, text instead of JSON.
        notice += f"; asking in mode {request.mode} from here on"
    return _ReducedRequest(request, f"{notice} {refusal.summary}")


# Finds out why an endpoint has refused a request, by a small request that is sent as a test.
#
# If the endpoint refuses the small request, too, it refuses all requests, and the run should
# stop. If it replies, only the request of one trial is refused.

_PROBE: Final = Message(
    role="user",
    content='Reply with {"state": "ready", "plan": [], "done": false, "code": "1"}',
)
"""The message of the small request, which any working endpoint answers. It names the fields
of an action, because the reply may have to fit their schema."""


def _diagnose_refusal(
    refusal: ErrorReply, written: _WrittenRequest, exchanges: _Exchanges
) -> ModelError:
    """Return the error of a refused request. Sends the test if the reason is unknown.

    | the endpoint answers the test with | the error affects |
    |---|---|
    | a reply | one trial; the error carries the reply in `test_reply`, because it costs money |
    | an error that may pass: it is busy | one trial |
    | any other error | all trials |
    | a page, or anything else that is not of the protocol | all trials |
    | a reply that cannot be read | one trial |
    | nothing, because the connection broke | one trial |
    """
    settings = written.plan.settings
    if meaning_of(refusal).name != UNKNOWN:
        return _refusal_error(refusal, settings)

    test = small_request(written)
    try:
        answer = exchanges.reply_to(test.body, test.plan.request.deadline)
    except BadReply as bad_reply:
        affects_all = bad_reply.affects_all
        return _refusal_error(refusal, settings, affects_all=affects_all)
    except ModelError:
        return _refusal_error(refusal, settings)
    if isinstance(answer, ErrorReply):
        affects_all = not meaning_of(answer).retryable
        return _refusal_error(refusal, settings, affects_all=affects_all)
    error = _refusal_error(refusal, settings)
    error.test_reply = answer
    return error


def small_request(refused: _WrittenRequest) -> _WrittenRequest:
    """Return the request that is sent as a test: the system messages, and the probe.

    It is written like the refused request, in the same reply mode.
    """
    messages: list[Message] = []
    for message in refused.plan.request.messages:
        if message["role"] == "system":
            messages.append(message)
    messages.append(_PROBE)
    return refused.with_messages(messages)


# Sends a request again without the parts that an endpoint refuses, until it replies.
#
# | request | the endpoint answers |
# |---|---|
# | with `seed` and a schema | 400: `'seed' is not supported` |
# | with a schema | 400: `response_format is not supported` |
# | with neither, asking for JSON in words | a reply, with two notices for the user |


@dataclass(frozen=True, slots=True)
class _AcceptedRequest:
    """A request that the endpoint has accepted, with its reply."""

    written: _WrittenRequest
    reply: Reply
    notices: tuple[str, ...]
    """For the user: what was left out, each in one line; empty if nothing was."""


def _negotiate(written: _WrittenRequest, exchanges: _Exchanges) -> _AcceptedRequest:
    """Send a request, and send it again without each part that is refused.

    Raises `ModelError` if no part can be left out, or if there is no reply.
    """
    deadline = written.plan.request.deadline
    notices: list[str] = []
    outcome = exchanges.reply_to(written.body, deadline)
    while isinstance(outcome, ErrorReply):
        reduced = _reduced_request(written, outcome)
        if reduced is None:
            raise _diagnose_refusal(outcome, written, exchanges)
        notices.append(reduced.notice)
        written = reduced.request
        outcome = exchanges.reply_to(written.body, deadline)
    return _AcceptedRequest(written, outcome, tuple(notices))


_NOT_ALLOWED: Final = (401, 403)
"""HTTP statuses with which servers refuse a key."""


class Endpoint(Model):
    """A model at an endpoint, created once for a run and used from the threads of its trials."""

    def __init__(
        self, settings: EndpointSettings, capabilities: Capabilities | None = None
    ) -> None:
        """Prepare the client without connecting.

        `capabilities` were learned by earlier requests, such as those of an interrupted run.
        Raises `ValueError` if the environment names a proxy or certificates that are unusable.
        """
        self.name = settings.model
        self._settings = settings
        self._memory = _CapabilityMemory(
            capabilities or _untested_capabilities(settings)
        )
        self._connection = Connection(settings)
        self._exchanges = _Exchanges(settings, self._connection)

    def stream_to(self, on_text: Callable[[str], None]) -> None:
        """Let `on_text` get the text of replies as it arrives. Texts of several trials mix."""
        self._exchanges.on_text = on_text

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the reply. Raises `ModelError`.

        If the endpoint refuses a parameter, the request is sent again without it. The reply then
        has a notice for the user: `takes no seed; leaving it out from here on`.
        """
        known = self._memory.known  # which parameters the endpoint takes, so far
        first_request = _WrittenRequest.of(request, self._settings, known)
        accepted = _negotiate(first_request, self._exchanges)

        written, notices = accepted.written, accepted.notices
        reply = accepted.reply.model_copy(update={"reply_mode": str(written.mode)})
        learned = written.capabilities
        # If another thread has changed what is known since, nothing is kept, so the notice is
        # dropped. A later request is refused for the same parameter, and has the notice.
        if notices and self._memory.keep_learned(learned, since=known):
            return reply.model_copy(update={"notices": notices, "learned": learned})
        return reply

    def check(self, schema: Mapping[str, object]) -> Reply:
        """Return the reply to a harmless message, for diagnosis. Raises `ModelError`."""
        return self.complete([_PROBE], role="check", schema=schema)

    def listed_models(self) -> tuple[ListedModel, ...]:
        """Return the models that the endpoint lists; empty if it lists none in time.

        Raises `ModelError` if it refuses the key.
        """
        response = self._connection.list_of_models()
        if response is None:
            return ()
        if response.status_code in _NOT_ALLOWED:
            self._raise_if_key_refused()
            return ()
        return listed_models(response.content)

    def _raise_if_key_refused(self) -> None:
        """Raise `ModelError` if the endpoint refuses the key for requests to the model, too.

        Some keys are good for replies and not for lists. So a request without messages is sent,
        which costs nothing: a server looks at the key before it finds that they are missing.
        """
        messages_field = "messages" if self._settings.api == "chat" else "input"
        body = {"model": self._settings.model, messages_field: []}
        try:
            answer = self._exchanges.reply_to(body, time.monotonic() + LIST_TIMEOUT_S)
        except ModelError:
            return  # The first request of a trial will show it.
        if isinstance(answer, ErrorReply) and meaning_of(answer).name == REFUSED_KEY:
            raise _refusal_error(answer, self._settings)

    def cut_off_at(self, stop: threading.Event) -> None:
        """Let requests fail, also those in flight, as soon as an event is set."""
        self._connection.cut_off_at(stop)

    def close(self) -> None:
        """Close the connections."""
        self._connection.close()

"""Reads the responses of an endpoint: a reply of the model, or an error.

| status | body | outcome |
|---|---|---|
| success, such as 200 | a reply | `Reply` |
| success | an error, as some servers send it: `{"error": {...}}` | `ErrorReply` |
| success | anything else, or a stream that was cut off | raises `BadReply` |
| 300 or higher | any | `ErrorReply` |
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import httpx2

from controlplane.agent.endpoint.errors import (
    ErrorReply,
    read_error_inside,
    read_error_reply,
)
from controlplane.agent.endpoint.replies import (
    VendorCounts,
    chunks_in,
    content_parts,
    number_at,
    objects_of,
    refusal_in,
    text_of,
    text_or_empty,
)
from controlplane.agent.endpoint.requests import SIGNATURES
from controlplane.agent.endpoint.settings import (
    Api,
    EndpointSettings,
    Secrets,
    ThinkingBack,
)
from controlplane.agent.model import BadReply, Reply, Thought, ToolCall, Usage
from controlplane.agent.reply.objects import read_object
from controlplane.sandbox.interface import bounds, parse_json

# Decodes the body of a reply, and refuses a body that is not a reply.
#
# An address that is not an endpoint's answers with a page, or with other JSON:
#
# | body | protocol | result |
# |---|---|---|
# | `{"choices": [...]}` | chat completions | the decoded object |
# | `{"hello": 1}` | chat completions | `ValueError`: it has no choices |
# | `{"choices": [...]}` | Responses API | `ValueError`: it has no output |

_REQUIRED_FIELD: Final[Mapping[Api, str]] = {"chat": "choices", "responses": "output"}
"""The field that a reply must have, by protocol."""


def _reply_document(content: bytes, api: Api) -> dict[str, Any]:
    """Return the decoded body. Bytes that are not UTF-8 become U+FFFD.

    Raises `ValueError` with one line if the body is not a reply.
    """
    document = parse_json(content.decode("utf-8-sig", errors="replace"))
    if not isinstance(document, dict) or _REQUIRED_FIELD[api] not in document:
        msg = f"it has no {_REQUIRED_FIELD[api]}"
        raise ValueError(msg)
    return document


# Explains replies with a success status that do not fit the protocol.
#
# An address without its `/v1` may answer with status 200 and an HTML page. The user reads: `the model
# endpoint http://127.0.0.1:8080 answered 200 with something other than a chat completion (...): ...;
# is OPENAI_BASE_URL the address of the API, with its /v1?`

_STOP_STREAMING: Final = (
    "the server streams, which was not asked for: switch streaming off there"
)
_CHECK_PATH: Final = "is OPENAI_BASE_URL the address of the API, with its /v1?"

_STREAM_STARTS: Final = ("data:", "event:", ":")
"""The possible starts of a stream. A line that begins
with a colon is a comment to keep a connection open."""


def _is_stream(text: str) -> bool:
    """Return True if a body is a stream: it begins with `data: {...}` or `: PROCESSING`."""
    return text.lstrip().startswith(_STREAM_STARTS)


def _bad_reply(
    status: int, text: str, fault: str, settings: EndpointSettings
) -> BadReply:
    """Return the error for a reply that does not fit its protocol.

    Args:
        status: The HTTP status.
        text: The body.
        fault: What is wrong with the body, such as `it has no choices`.
        settings: The endpoint and its protocol.
    """
    expected = "chat completion" if settings.api == "chat" else "response"
    message = f"{settings.shown_name} answered {status} with something other than a "
    message += f"{expected} ({fault}): {_shown_body(status, text)}"
    has_protocol = _is_from_protocol(text, settings.api)
    if _is_stream(text):
        message += f"; {_STOP_STREAMING}"
    elif not has_protocol:
        message += f"; {_CHECK_PATH}"

    # A server that does not speak the protocol answers all trials like this. Otherwise,
    # only this conversation has got a reply without a usable choice.
    return BadReply(message, retryable=True, affects_all=not has_protocol)


def _shown_body(status: int, text: str) -> str:
    """Return what the user sees of a body: its messages if it is an error, else its start."""
    if not text.strip():
        return "an empty body"
    as_error = read_error_reply(status, {}, text)
    return repr(as_error.contents.shown_line)


def _is_from_protocol(text: str, api: Api) -> bool:
    """Return True if a body looks like one of the protocol: `{"choices": ...` for chat."""
    is_object = text.lstrip("\ufeff \n").startswith("{")
    return is_object and f'"{_REQUIRED_FIELD[api]}"' in text


# Reads the fields of one choice: a server may send several replies to a request, the choices.
#
# Servers give the message of a choice in different fields:
#
# | choice | message |
# |---|---|
# | `{"message": {"content": "yes"}}` | `{"content": "yes"}` |
# | `{"delta": {"content": "yes"}}`, of a stream | `{"content": "yes"}` |
# | `{"text": "yes"}`, of the older API of plain completions | `{"content": "yes"}` |


def _message_of_choice(fields: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the message of a choice; None if it has no message."""
    message = fields.get("message") or fields.get("delta")
    if not message and isinstance(fields.get("text"), str):
        return {"content": fields["text"]}
    return message if isinstance(message, dict) else None


def _index_of_choice(fields: Mapping[str, Any]) -> tuple[bool, int, str]:
    """Return a key by which choices are sorted: by number, 2 before 10.

    An index may also be missing or anything else. Such choices come first, sorted as texts.
    """
    index = fields.get("index", "")
    if isinstance(index, int):
        return True, index, ""
    return False, 0, str(index)


# Reads why a reply ended, from the words of any vendor: `MAX_TOKENS` is `length`.
#
# A reply that was cut off at its length limit, or withheld by a filter, must not be used: the missing
# part may change its meaning.

_CUT_OFF_WORDS: Final = (
    "length",
    "max_tokens",
    "max_output_tokens",
    "max_completion_tokens",
    "token_limit",
    "context_window",
)
"""A vendor's finish reason with one of these parts
means that the reply reached its length limit."""

_FILTERED_WORDS: Final = (
    "content_filter",
    "safety",
    "recitation",
    "blocklist",
    "prohibited",
    "spii",  # Gemini: sensitive personal information
    "refusal",
    "sensitive",
    "guardrail",
)
"""A vendor's finish reason with one of these parts means that the reply was withheld."""


@dataclass(frozen=True, slots=True)
class _FinishReason:
    """The reason why a reply ended."""

    common: str
    """The word for all vendors: `stop`, `length` or `content_filter`.
    For other reasons, the vendor's own word."""
    native: str = ""
    """The vendor's own word; empty if it is the same as the common one."""


def finish_reason_of(reason: str, native: str = "") -> _FinishReason:
    """Return the reason, from a reply's `finish_reason` and `native_finish_reason`, or empty:

    | reason       | native       | common   | native       |
    |--------------|--------------|----------|--------------|
    | `MAX_TOKENS` |              | `length` | `MAX_TOKENS` |
    | `length`     | `MAX_TOKENS` | `length` | `MAX_TOKENS` |
    | `stop`       | `END_TURN`   | `stop`   | `END_TURN`   |
    | `length`     | `length`     | `length` |              |
    |              |              | `stop`   |              |
    """
    common_word = _common_finish_reason(reason) or _common_finish_reason(native)
    common = common_word or reason or "stop"
    vendor_word = native or reason
    if vendor_word == common:
        return _FinishReason(common)
    return _FinishReason(common, vendor_word)


def _common_finish_reason(word: str) -> str:
    """Return `length` or `content_filter` for a vendor's word; empty for other words."""
    word = word.lower()
    if any(cut_off in word for cut_off in _CUT_OFF_WORDS):
        return "length"
    if any(filtered in word for filtered in _FILTERED_WORDS):
        return "content_filter"
    return ""


# The choices of a chat completion: a server may send several replies, of which one is read.
#
#     {"choices": [{"index": 1, "message": {"content": "no"}},
#                  {"index": 0, "message": {"content": "yes"}, "finish_reason": "stop"}]}
#
# The second one is read, because its index is the lowest.


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the replies (choices) of a chat completion. It has no fields if there is no choice."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    """The choice as the server has sent it, such as with its `finish_reason`."""
    message: Mapping[str, Any] = field(default_factory=dict)
    """The message in the choice."""

    @property
    def has_content(self) -> bool:
        """True if the message has a text or calls."""
        if text_of(self.message.get("content")).strip():
            return True
        return bool(self.message.get("tool_calls") or self.message.get("function_call"))

    @property
    def finish_reason(self) -> _FinishReason:
        """Why the reply ended, in a common word and in the vendor's own (native) word."""
        common = text_or_empty(self.fields.get("finish_reason"))
        native = text_or_empty(self.fields.get("native_finish_reason"))
        return finish_reason_of(common, native)


def _best_choice(choices: object) -> Choice:
    """Return the choice with the lowest index that has content, as servers may mix their order.

    If none has content, return the first one with a message; without one, a choice without fields.
    """
    fallback = Choice()
    for fields in sorted(objects_of(choices), key=_index_of_choice):
        message = _message_of_choice(fields)
        if message is None:
            continue
        choice = Choice(fields, message)
        if choice.has_content:
            return choice
        if not fallback.message:
            fallback = choice
    return fallback


# Reads the thinking of a reply's message as a text.
#
# Servers give it in a field beside the content: `{"content": "yes", "reasoning_content": "Hm."}`.
# Some mistake the whole reply for thinking, so that the content is empty.


def _reasoning_of(message: Mapping[str, Any]) -> str:
    """Return the thinking of a message as text; empty if it has none."""
    for name in ("reasoning_content", "reasoning"):
        reasoning = text_or_empty(message.get(name))
        if reasoning:
            return reasoning
    return ""


def _reply_in_reasoning(reasoning: str) -> str:
    """Return the JSON object at the end of the thinking; empty if there is none.

    Some servers mistake the whole reply for thinking: `Hm.</think>{"code": "1"}` has the reply
    `{"code": "1"}`.
    """
    text = reasoning.rpartition("</think>")[2].strip()
    text = text.removeprefix("```json").removesuffix("```")
    return text if read_object(text) else ""


# Reads the tool calls of a reply's message.
#
# Some servers don't keep to the protocol: they leave out the inner object `function`, or send
# the arguments as an object instead of JSON text.


def function_calls(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the calls of a message, including the older field `function_call`.

    A call is `{"id": "c1", "function": {"name": "look", "arguments":
    "{}"}}`. Some servers leave out the inner object: `{"id": "c1", "name":
    "look", "arguments": "{}"}`.
    """
    calls = []
    for call in objects_of(message.get("tool_calls")):
        if isinstance(function_of(call), dict):
            calls.append(call)
    older_call = message.get("function_call")
    if isinstance(older_call, dict):
        calls.append({"function": older_call})
    return calls


def function_of(call: Mapping[str, Any]) -> Any:
    """Return what has a call's name and arguments: its `function`, or the call itself."""
    return call.get("function", call)


def tool_call(call: Mapping[str, Any]) -> ToolCall:
    """Return a call in our form, with the bare name of its tool."""
    function = function_of(call)
    arguments = function.get("arguments")
    if isinstance(arguments, dict | list):
        arguments = json.dumps(arguments)  # some servers send them decoded
    return ToolCall(
        name=_bare_name(text_or_empty(function.get("name"))),
        arguments=text_or_empty(arguments),
        id=text_or_empty(call.get("id")),
    )


def _bare_name(name: str) -> str:
    """Return the name of a tool without what some models add to it.

    look<|channel|>json  -> look
    functions.look       -> look
    functions.look:0     -> look
    """
    name = name.partition("<|")[0].strip().removeprefix("functions.")
    before_colon, _, number = name.rpartition(":")
    return before_colon if number.isdigit() else name


# Converts the output of OpenAI's Responses API into the form of a chat completion.
#
# That API returns a list of items: messages, calls and thoughts. In a chat completion, one
# message has them all.


def _response_choices(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the output of the Responses API as the choices of a chat completion.

    | item of the output | in the message of the choice |
    |---|---|
    | `{"type": "message", "content": "yes"}` | `"content": [{"text": "yes"}]` |
    | `{"type": "function_call", "name": "look", ...}` | `"tool_calls": [...]` |
    | `{"type": "reasoning", ...}` | `"reasoning_items": [...]`, and its text in `reasoning` |
    """
    content: list[dict[str, Any]] = []
    tool_calls: list[dict[str, Any]] = []
    thoughts: list[dict[str, Any]] = []
    thought_texts: list[str] = []
    for item in objects_of(document.get("output")):
        match item.get("type"):
            case "message":
                content += content_parts(item.get("content"))
            case "function_call":
                # The item has the fields of a function itself: `name` and `arguments`.
                tool_calls.append({"id": item.get("call_id"), "function": item})
            case "reasoning":
                thoughts.append(item)
                for part in content_parts(item.get("summary") or item.get("content")):
                    thought_texts.append(text_or_empty(part.get("text")))

    status = text_or_empty(document.get("status"))
    finish_reason = "" if status == "completed" else status  # Empty counts as `stop`.
    # The status `incomplete` has a reason: `{"reason": "max_output_tokens"}`
    details = document.get("incomplete_details")
    if isinstance(details, dict):
        finish_reason = text_or_empty(details.get("reason")) or finish_reason

    message = {
        "content": content,
        "tool_calls": tool_calls,
        "reasoning": "\n".join(thought_texts),
        "reasoning_items": thoughts,
    }
    return [{"message": message, "finish_reason": finish_reason}]


# Reads the thinking of a reply's message as `Thought` objects, to send it back.
#
# Some vendors want the thinking back with the next request, so that the model can go on from
# there. A `Thought` is a dict of the fields to send back, which differ by vendor.


def _thinking_of(
    message: Mapping[str, Any],
    calls: list[dict[str, Any]],
    thinking_back: ThinkingBack,
) -> list[Thought]:
    """Return the thinking of a message that is sent back with the next request.

    | the message (`calls` are its tool calls), and the user's setting | is returned |
    |---|---|
    | of the Responses API with calls, any | its `reasoning_items` |
    | any other, `none` | nothing |
    | any other, `reasoning_content` | its reasoning: `{"reasoning_content": "Hm."}` |
    | any other, `auto` | if it has calls, what OpenRouter or Gemini want back with them |
    """
    if calls and "reasoning_items" in message:
        # With `none`, `responses_request` leaves these items out of the next request.
        return objects_of(message["reasoning_items"])
    if thinking_back == "none":
        return []
    if thinking_back == "reasoning_content":
        reasoning = _reasoning_of(message)
        return [{"reasoning_content": reasoning}] if reasoning else []
    thought = _thought_with_calls(message, calls) if calls else {}
    return [thought] if thought else []


def _thought_with_calls(
    message: Mapping[str, Any], calls: list[dict[str, Any]]
) -> Thought:
    """Return what OpenRouter and Gemini want back with calls; empty if there is nothing.

    OpenRouter's details are in a field of the message. Gemini's signatures are in the field
    `extra_content` of calls. They are listed by the key `SIGNATURES`, which is `extra_contents`:

        {"reasoning_details": [{"data": "sealed"}]}
        {"extra_contents": [{"google": {"thought_signature": "aGk="}}]}
    """
    thought: Thought = {}
    details = objects_of(message.get("reasoning_details"))
    if details:
        thought["reasoning_details"] = details
    signatures: list[dict[str, Any] | None] = []  # one a call; None if unsigned
    for call in calls:
        signature = call.get("extra_content")
        signatures.append(signature if isinstance(signature, dict) else None)
    if any(signatures):
        thought[SIGNATURES] = signatures
    return thought


# Reads the cost of a reply from the `usage` of any vendor.
#
# OpenRouter gives `{"prompt_tokens": 100, "cost": 0.002}`, which is 0.002 USD.

_COST_UNITS_USD: Final[Mapping[str, float]] = {
    "cost": 1.0,  # https://openrouter.ai/docs/use-cases/usage-accounting
    "cost.total_cost": 1.0,  # Perplexity
    "total_cost": 1.0,
    "estimated_cost": 1.0,  # DeepInfra
    "cost_in_usd_ticks": 1e-10,  # https://docs.x.ai/developers/cost-tracking
}
"""Where vendors give the cost in a `usage`, each with the value of one unit in USD."""


def cost_of(document: Mapping[str, object]) -> float | None:
    """Return the cost in USD that a `usage` names; None if it names none.

    OpenRouter gives its own cost and that of the provider behind it. Users may bring their own
    key for the provider (`is_byok`). Then OpenRouter's cost is only its fee:

    | own key | `cost` | provider's cost | returned |
    |---------|--------|-----------------|----------|
    | no      | 5      | 5               | 5        |
    | yes     | 1      | 5               | 6        |
    | yes     | 0      | 5               | 5        |
    """
    cost_usd = _own_cost_usd(document)
    provider_cost_usd = number_at(document, "cost_details.upstream_inference_cost")
    if not provider_cost_usd:
        return cost_usd
    if not cost_usd:
        return provider_cost_usd
    has_own_key = document.get("is_byok") is True
    return cost_usd + provider_cost_usd if has_own_key else cost_usd


def _own_cost_usd(document: Mapping[str, object]) -> float | None:
    """Return the cost at the first path that has one: `{"cost": 0.002}` -> 0.002."""
    for path, unit_usd in _COST_UNITS_USD.items():
        cost_usd = number_at(document, path, unit=unit_usd)
        if cost_usd is not None:
            return cost_usd
    return None


# Corrects the counts of tokens in which vendors leave something out.
#
# Anthropic does not include cached tokens in the prompt tokens, and xAI and Gemini do not include
# thinking in the completion tokens. Signs in the counts show this:
#
# | counts | the whole count |
# |---|---|
# | prompt 800, cached 200, completion 50, total 1,050 | prompt 1,000: the total includes both |
# | completion 10, thinking 40 | completion 50: a part cannot be more than the whole |


def _prompt_with_cached(counts: VendorCounts) -> float:
    """Return the tokens of the prompt, including the cached ones.

    Some vendors leave cached tokens out of the prompt's count. They are added if one of three
    signs shows this.
    """
    cached = counts.cache_read + counts.cache_write
    with_cached = counts.prompt + cached

    # 1. The cached tokens are more than the prompt's: prompt 20, cached 1,000.
    if counts.cache_read > counts.prompt:
        return with_cached
    # 2. The total includes both: prompt 800, cached 200, completion 50, total 1,050.
    if cached > 0 and counts.total == with_cached + counts.completion:
        return with_cached
    # 3. The names are Anthropic's, which gives no total.
    if counts.has_anthropic_names and not counts.total:
        return with_cached
    return counts.prompt


def _completion_with_thinking(counts: VendorCounts, prompt: float) -> float:
    """Return the tokens of the reply, including those of the thinking.

    Some vendors leave the thinking out of the reply's count. If one of two signs shows
    this, its tokens are added.
    """
    # 1. The total has further tokens: prompt 100, completion 10, total 150 -> 50.
    if prompt and counts.total > prompt + counts.completion:
        return counts.total - prompt
    # 2. The thinking has more tokens than the reply: completion 10, thinking 40 -> 50.
    if counts.thinking > counts.completion:
        return counts.completion + counts.thinking
    return counts.completion


# Reads the tokens and the cost of a reply from the `usage` of any vendor.
#
# Vendors use different names and count differently. The counts here are as OpenAI's: the prompt
# tokens include the cached ones, and the completion tokens include the thinking.


@dataclass(frozen=True, slots=True)
class _UsageAndCost:
    """The tokens and the cost of a reply."""

    usage: Usage
    cost_usd: float | None
    """None if the endpoint does not give it."""


def usage_of(document: object) -> _UsageAndCost:
    """Return the tokens and the cost in the `usage` of a reply; 0 tokens if there is none.

    `{"prompt_tokens": 800, "completion_tokens": 50, "cost": 0.002}` has 850 tokens, for $0.002.
    """
    if not isinstance(document, Mapping):
        return _UsageAndCost(Usage(), None)
    counts = VendorCounts.of(document)
    prompt = _prompt_with_cached(counts)
    completion = _completion_with_thinking(counts, prompt)
    usage = Usage(
        prompt_tokens=_bounded_count(prompt),
        completion_tokens=_bounded_count(completion),
        cached_tokens=_bounded_count(counts.cache_read),
        reasoning_tokens=_bounded_count(min(counts.thinking, completion)),
    )
    return _UsageAndCost(usage, cost_of(document))


def _bounded_count(count: float) -> int:
    """Return a count as a whole number of at most `bounds.MOST_USAGE`."""
    return min(int(count), bounds.MOST_USAGE)


# Reads the bodies of replies, in chat completions and in OpenAI's Responses API.
#
# The formats of all known vendors are accepted, because a reply that cannot be read costs a turn. A
# reply of the Responses API is converted to a chat completion first, and then read like one.


def _reply_of(
    content: bytes, api: Api = "chat", thinking_back: ThinkingBack = "auto"
) -> Reply:
    """Return the reply in the body of a response, in the format of any known vendor.

    `{"choices": [{"message": {"content": "yes"}}]}` is a reply with the text `yes`.
    `thinking_back` says how much of the model's thinking the reply keeps, to send it back
    with the next request. Raises `ValueError` with one line if the body is not a reply.
    """
    document = _reply_document(content, api)
    # A server may send several replies, the choices. One is read.
    choices = document.get("choices") if api == "chat" else _response_choices(document)
    choice = _best_choice(choices)
    message = choice.message
    calls = function_calls(message)
    reasoning = _reasoning_of(message)
    refusal = refusal_in(message)
    text = text_of(message.get("content"))
    if not text.strip() and not calls:
        text = _text_elsewhere(refusal, reasoning) or text

    finish = choice.finish_reason
    if refusal and text == refusal:  # Some servers send a refusal as the content, too.
        finish = _FinishReason("refusal")

    counted = usage_of(document.get("usage"))
    return Reply(
        text=text,
        tool_calls=tuple(tool_call(call) for call in calls),
        reasoning=reasoning,
        thinking=tuple(_thinking_of(message, calls, thinking_back)),
        usage=counted.usage,
        finish_reason=finish.common,  # such as `length`, for all vendors
        native_finish_reason=finish.native,  # the vendor's own word: `MAX_TOKENS`
        cost_usd=counted.cost_usd,
        provider=text_or_empty(document.get("provider")),
    )


def _text_elsewhere(refusal: str, reasoning: str) -> str:
    """Return the text of a reply whose message has neither content nor calls; may be empty.

    | the message has | text |
    |---|---|
    | the refusal `I can't help.` | `I can't help.` |
    | the reasoning `Hm.</think>{"code": "1"}` | `{"code": "1"}`: the server put it there |
    | anything else | empty |
    """
    return refusal or _reply_in_reasoning(reasoning)


# Estimates the tokens of a reply from bytes, if the endpoint's counts are missing or absurd.
#
# Limits on tokens need a count. A reply of 3,000 bytes that the endpoint counts as 0 or 1 token
# counts as 1,000 tokens here.

_BYTES_PER_TOKEN: Final = 3
"""For estimates. Most texts have more bytes per token, so most
estimates are too high, and limits on tokens are kept."""
_MAX_BYTES_PER_TOKEN: Final = 100
"""A count is absurd if it means more bytes per token than this."""


def _usage_with_estimates(
    reply: Reply, sent_bytes: int, max_output_tokens: int | None
) -> Usage:
    """Return the usage of a reply. Missing or absurd counts are replaced by estimates.

    Args:
        reply: The reply, with the endpoint's own counts.
        sent_bytes: The length of the request's body.
        max_output_tokens: The limit of the reply's tokens; None without a limit.
    """
    usage = reply.usage
    received_bytes = _received_bytes(reply)
    prompt_tokens = _plausible_count(usage.prompt_tokens, sent_bytes)
    completion_tokens = _plausible_count(usage.completion_tokens, received_bytes)
    counts = (prompt_tokens, completion_tokens)
    if counts == (usage.prompt_tokens, usage.completion_tokens):
        return usage

    if received_bytes == 0 and completion_tokens == 0:
        # The reply is empty. The count of the prompt is absurd, so this 0 may be wrong, too: the
        # model may have spent all of its tokens on thinking that the endpoint does not return.
        completion_tokens = max_output_tokens or 0
    return usage.model_copy(
        update={
            "prompt_tokens": prompt_tokens,
            "completion_tokens": completion_tokens,
            "estimated": True,
        }
    )


def _received_bytes(reply: Reply) -> int:
    """Return the length of all texts that the model has written."""
    received = reply.text + reply.reasoning
    for call in reply.tool_calls:
        received += call.name + call.arguments
    return len(received.encode(errors="replace"))


def _plausible_count(tokens: int, text_bytes: int) -> int:
    """Return the endpoint's count of the tokens of a text; an estimate if it is absurd.

    | tokens | bytes of the text | returned |
    |---|---|---|
    | 700 | 3,000 | 700 |
    | 0 | 3,000 | 1,000 |
    | 1 | 3,000 | 1,000 |
    """
    is_absurd = tokens * _MAX_BYTES_PER_TOKEN < text_bytes
    return math.ceil(text_bytes / _BYTES_PER_TOKEN) if is_absurd else tokens


# Reads the body of a response with a success status: a reply of the model, or an error.
#
# | body | outcome |
# |---|---|
# | `{"choices": [{"message": {"content": "yes"}}]}` | `Reply` |
# | `{"error": {"message": "busy"}}`, as some servers send it with the status 200 | `ErrorReply` |
# | anything else | raises `BadReply` |


def _read_reply_body(
    text: str, status: int, sent_bytes: int, settings: EndpointSettings
) -> Reply | ErrorReply:
    """Return the reply or the error in the text of a body, from which secrets are removed.

    `sent_bytes` is the length of the request, by which its tokens are estimated if the endpoint
    does not count them.
    """
    # Parsing takes long, so only a text with this word is parsed to look for an error.
    if "error" in text:
        refusal = read_error_inside(text)
        if refusal is not None:
            return refusal

    try:
        # `thinking_back`: how much of the thinking goes back with the next request.
        reply = _reply_of(text.encode(), settings.api, settings.thinking_back)
    except ValueError as error:
        raise _bad_reply(status, text, str(error), settings) from None

    usage = _usage_with_estimates(reply, sent_bytes, settings.max_output_tokens)
    return reply.model_copy(update={"usage": usage})


# Joins the pieces of a stream: `{"content": "Hel"}` and `{"content": "lo"}` become one.
#
# | whole | piece | the whole becomes |
# |---|---|---|
# | `{"content": "Hel"}` | `{"content": "lo"}` | `{"content": "Hello"}` |
# | `{"delta": {"name": "a"}}` | `{"delta": {"name": "b"}}` | `{"delta": {"name": "ab"}}` |
# | a choice, or a call, with the index 0 | another one with the index 0 | both in one |
# | `{"finish_reason": "stop"}` | `{"finish_reason": null}` | `{"finish_reason": "stop"}` |

_ITEM_KEYS: Final = ("choices", "tool_calls")
"""The fields with lists of items, each with its `index`. An item comes in pieces, too."""
_TEXT_KEYS: Final = frozenset(
    {"content", "reasoning", "reasoning_content", "refusal", "name", "arguments"}
)
"""The fields whose texts come in pieces, to be joined. Texts of other fields come whole."""

_MAX_SEARCHED_ITEMS: Final = 100
"""At most this many choices, or calls of a choice,
are searched for the one with a piece's index."""


def _add_piece(whole: dict[str, Any], piece: Mapping[str, Any]) -> None:
    """Add a piece of a stream to `whole`, which has the pieces that arrived before."""
    for key, value in piece.items():
        if key in _ITEM_KEYS:
            items = whole.setdefault(key, [])
            for item in objects_of(value):
                earlier_item = _find_or_add_item(items, item.get("index") or 0)
                _add_piece(earlier_item, item)
        elif isinstance(value, str) and key in _TEXT_KEYS:
            whole[key] = text_or_empty(whole.get(key)) + value
        elif isinstance(value, dict):
            earlier_value = whole.setdefault(key, {})
            if isinstance(earlier_value, dict):
                _add_piece(earlier_value, value)
            else:
                whole[key] = value  # in place of a text or a number
        elif value and not isinstance(value, list):
            # It comes whole. Lists of other fields are ignored, because nobody reads them.
            whole[key] = value


def _find_or_add_item(items: list[dict[str, Any]], index: object) -> dict[str, Any]:
    """Return the choice or call with this index; without one, add it to `items` first.

    With the index 1, `[{"index": 0, "delta": {...}}]` becomes
    `[{"index": 0, "delta": {...}}, {"index": 1}]`.
    """
    for item in items[:_MAX_SEARCHED_ITEMS]:
        if item["index"] == index:
            return item
    item = {"index": index}
    items.append(item)
    return item


# Joins the chunks of a stream to the completion that an endpoint returns without streaming.
#
# The chunks
#
#     data: {"choices": [{"index": 0, "delta": {"content": "Hel"}}]}
#     data: {"choices": [{"index": 0, "delta": {"content": "lo"}}]}
#
# become `{"choices": [{"index": 0, "delta": {"content": "Hello"}}]}`.

_END_MARK: Final = b"[DONE]"
_MAX_END_BYTES: Final = 200
"""The end mark is searched in the last bytes of a stream, this many: comments may follow it."""


def _whole_completion(content: bytes) -> bytes:
    """Return the completion that the chunks of a stream form, as JSON.

    Content that is not a stream is returned unchanged. Raises `ValueError` for a stream
    that was cut off.
    """
    if not _is_stream(content.decode(errors="replace")):
        return content
    completion: dict[str, Any] = {}
    for chunk in chunks_in(content):
        _add_piece(completion, chunk)

    if not is_complete(content, completion):
        msg = "the stream was cut off"
        raise ValueError(msg)
    return json.dumps(completion).encode()


def is_complete(content: bytes, completion: Mapping[str, Any]) -> bool:
    """Return True if a stream has arrived whole.

    Servers mark the end in different ways: with the line `data: [DONE]`, with the
    `finish_reason` of a choice, or with an error.
    """
    if "error" in completion or _END_MARK in content[-_MAX_END_BYTES:]:
        return True
    choices = objects_of(completion.get("choices"))
    return any(choice.get("finish_reason") for choice in choices)


@dataclass(frozen=True, slots=True)
class ResponseReader:
    """Reads the responses of one endpoint.

    Keys and passwords are removed first, because the texts are shown and recorded.
    """

    settings: EndpointSettings
    """Says in which protocol the endpoint replies."""
    secrets: Secrets
    """The keys and passwords that requests to the endpoint contain."""

    def read(self, response: httpx2.Response) -> Reply | ErrorReply:
        """Return the reply or the error in a response."""
        if response.status_code >= 300:
            return self._read_error(response)
        return self._read_success(response, response.content)

    def read_stream(self, response: httpx2.Response) -> Reply | ErrorReply:
        """Return the reply or the error in the response to a request for a stream.

        The stream has ended: its parts are joined here to a whole reply. Some servers send a
        whole reply at once.
        """
        if response.status_code >= 300:
            return self._read_error(response)
        try:
            content = _whole_completion(response.content)
        except ValueError as error:  # The stream was cut off.
            text = self.secrets.removed_from(response.text)
            fault = str(error)
            raise _bad_reply(response.status_code, text, fault, self.settings) from None
        return self._read_success(response, content)

    def _read_error(self, response: httpx2.Response) -> ErrorReply:
        text = self.secrets.removed_from(response.text)
        return read_error_reply(response.status_code, response.headers, text)

    def _read_success(
        self, response: httpx2.Response, content: bytes
    ) -> Reply | ErrorReply:
        text = self.secrets.removed_from(content.decode(errors="replace"))
        sent_bytes = len(response.request.content)
        return _read_reply_body(text, response.status_code, sent_bytes, self.settings)

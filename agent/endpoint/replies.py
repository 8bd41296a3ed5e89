"""Reads the replies of an endpoint, whole or streamed, and the tokens that they used."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Final

import httpx2

from controlplane.agent.endpoint.errors import (
    ErrorReply,
    JsonObject,
    line_of,
    objects_of,
    read_error_inside,
    read_error_reply,
)
from controlplane.agent.endpoint.requests import SIGNATURES
from controlplane.agent.endpoint.settings import Api, EndpointSettings, ThinkingBack
from controlplane.agent.model import BadReply, Reply, Thought, ToolCall, Usage
from controlplane.agent.reply.objects import read_object
from controlplane.sandbox.interface import bounds, parse_json

# Reads the tokens and the cost of a reply from its `usage`, as any vendor reports them.
#
# `{"input_tokens": 20, "output_tokens": 5}` of Anthropic, and `{"prompt_tokens": 20,
# "completion_tokens": 5}` of OpenAI, are the same tokens. Vendors also count differently. The counts
# here are as OpenAI's: the prompt includes the cached tokens, the completion those of the thinking.

# The names under which vendors give the counts of tokens. A dot stands between the name of an object
# and the name of a field in it: in `{"prompt_tokens_details": {"cached_tokens": 12}}`, the path
# `prompt_tokens_details.cached_tokens` leads to 12. The names of a count are tried in their order.

_PROMPT_PATHS: Final = (
    "prompt_tokens",  # chat completions
    "input_tokens",  # Responses API, Anthropic
    "promptTokenCount",  # Gemini
    "prompt_eval_count",  # Ollama
)
_COMPLETION_PATHS: Final = (
    "completion_tokens",  # chat completions
    "output_tokens",  # Responses API, Anthropic
    "candidatesTokenCount",  # Gemini
    "eval_count",  # Ollama
)
_TOTAL_PATHS: Final = ("total_tokens", "totalTokenCount")
_CACHE_READ_PATHS: Final = (
    "prompt_tokens_details.cached_tokens",  # OpenAI: chat completions
    "input_tokens_details.cached_tokens",  # OpenAI: Responses API
    "prompt_cache_hit_tokens",  # DeepSeek
    "cached_tokens",  # Moonshot
    "cache_read_input_tokens",  # Anthropic
    "cachedContentTokenCount",  # Gemini
)
_CACHE_WRITE_PATHS: Final = ("cache_creation_input_tokens",)  # Anthropic
_THINKING_PATHS: Final = (
    "completion_tokens_details.reasoning_tokens",  # OpenAI: chat completions
    "output_tokens_details.reasoning_tokens",  # OpenAI: Responses API
    "reasoning_tokens",
    "thoughtsTokenCount",  # Gemini
)


def usage_of(report: object) -> Usage:
    """Return the tokens in the `usage` of a reply; 0 tokens if there is none."""
    if not isinstance(report, Mapping):
        return Usage()
    prompt = _first_count(report, _PROMPT_PATHS)
    completion = _first_count(report, _COMPLETION_PATHS)
    total = _first_count(report, _TOTAL_PATHS)
    cache_read = _first_count(report, _CACHE_READ_PATHS)
    thinking = _first_count(report, _THINKING_PATHS)

    # Some vendors count the cached tokens beside the prompt. One of three signs shows it:
    cached = cache_read + _first_count(report, _CACHE_WRITE_PATHS)
    # 1. The cached tokens are more than the prompt's: prompt 20, cached 1,000.
    is_beside = cache_read > prompt
    # 2. The total includes both: prompt 800, cached 200, completion 50, total 1,050.
    if cached > 0 and total == prompt + cached + completion:
        is_beside = True
    # 3. The names are Anthropic's, which gives no total. The first name alone does not tell: OpenAI's
    # Responses API has it, too.
    if "input_tokens" in report and "cache_read_input_tokens" in report and not total:
        is_beside = True
    if is_beside:
        prompt += cached

    # Some vendors leave the thinking out of the completion. One of two signs shows it:
    # 1. The total has further tokens: prompt 100, completion 10, total 150 -> 50.
    if prompt and total > prompt + completion:
        completion = total - prompt
    # 2. The thinking has more tokens than the reply: completion 10, thinking 40 -> 50.
    elif thinking > completion:
        completion += thinking

    return Usage(
        prompt_tokens=min(int(prompt), bounds.MOST_USAGE),
        completion_tokens=min(int(completion), bounds.MOST_USAGE),
        cached_tokens=int(cache_read),
        reasoning_tokens=int(min(thinking, completion)),
    )


def _first_count(report: Mapping[str, object], paths: tuple[str, ...]) -> float:
    """Return the first count above 0 at one of these paths; 0 if there is none.

    So a 0 under one name does not hide the count under another. It is a float because a vendor may
    write `12.0`.
    """
    for path in paths:
        count = _number_at(report, path)
        if count:
            return count
    return 0


def _number_at(
    report: Mapping[str, object], path: str, unit: float = 1.0
) -> float | None:
    """Return the number at a path, multiplied by `unit`.

    `{"cost": {"total": "30"}}` has 30.0 at the path `cost.total`, and with the unit 0.01, such as a
    cent, 0.3. None without a number, or if the product is not between 0 and `bounds.MOST_USAGE`.
    """
    value: object = report
    for name in path.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value) * unit
    except (ValueError, OverflowError):
        return None
    return number if 0 <= number <= bounds.MOST_USAGE else None


_COST_UNITS_USD: Final[Mapping[str, float]] = {
    "cost": 1.0,  # https://openrouter.ai/docs/use-cases/usage-accounting
    "cost.total_cost": 1.0,  # Perplexity
    "total_cost": 1.0,
    "estimated_cost": 1.0,  # DeepInfra
    "cost_in_usd_ticks": 1e-10,  # https://docs.x.ai/developers/cost-tracking
}
"""Where vendors give the cost in a `usage`, each with the value of one unit in USD."""


def cost_of(report: object) -> float | None:
    """Return the cost in USD that a `usage` names, `{"cost": 0.002}`; None if it names none.

    OpenRouter gives its own cost and that of the provider behind it. Users may bring their own
    key for the provider (`is_byok`). Then OpenRouter's cost is only its fee:

    | own key | `cost` | provider's cost | returned |
    |---------|--------|-----------------|----------|
    | no      | 5      | 5               | 5        |
    | yes     | 1      | 5               | 6        |
    | yes     | 0      | 5               | 5        |
    """
    if not isinstance(report, Mapping):
        return None
    cost_usd = None
    for path, unit_usd in _COST_UNITS_USD.items():
        if cost_usd is None:
            cost_usd = _number_at(report, path, unit_usd)

    provider_cost_usd = _number_at(report, "cost_details.upstream_inference_cost")
    has_own_key = report.get("is_byok") is True
    if not provider_cost_usd or (cost_usd and not has_own_key):
        return cost_usd
    return (cost_usd or 0.0) + provider_cost_usd


# Estimates the tokens of a reply from bytes, if the endpoint's counts are missing or absurd.
#
# Limits on tokens need a count. A reply of 3,000 bytes that the endpoint counts as 0 or 1 token
# counts as 1,000 tokens here.

_BYTES_PER_TOKEN: Final = 3
"""For estimates. Most texts have more bytes per token, so most
estimates are too high, and limits on tokens are kept."""
_MAX_BYTES_PER_TOKEN: Final = 100
"""A count is absurd if it means more bytes per token than this."""


def _with_estimates(
    usage: Usage, sent_bytes: int, received_bytes: int, max_output_tokens: int | None
) -> Usage:
    """Return a usage in which estimates replace the counts that are missing or absurd.

    Args:
        usage: The endpoint's own counts.
        sent_bytes: The length of the request's body.
        received_bytes: The length of all texts that the model has written.
        max_output_tokens: The limit of the reply's tokens; None without a limit.
    """
    update: dict[str, int] = {
        "prompt_tokens": _plausible_count(usage.prompt_tokens, sent_bytes),
        "completion_tokens": _plausible_count(usage.completion_tokens, received_bytes),
    }
    estimated = usage.model_copy(update=update)
    if estimated == usage:
        return usage
    if received_bytes == 0 and not estimated.completion_tokens:
        # The reply is empty. The count of the prompt is absurd, so this 0 may be wrong, too: the
        # model may have spent all of its tokens on thinking that the endpoint does not return.
        update["completion_tokens"] = max_output_tokens or 0
    return usage.model_copy(update={**update, "estimated": True})


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


# Reads the responses of an endpoint: a reply of the model, or an error.
#
# | status | body | outcome |
# |---|---|---|
# | success, such as 200 | a reply | `Reply` |
# | success | an error, as some servers send it: `{"error": {...}}` | `ErrorReply` |
# | success | anything else, or a stream that was cut off | raises `BadReply` |
# | 300 or higher | any | `ErrorReply` |
#
# The forms of all known vendors are accepted, because a reply that cannot be read costs a turn. So
# this one reader takes what `openai`'s types refuse, and the fields that they lack.

_REQUIRED_FIELD: Final[Mapping[Api, str]] = {"chat": "choices", "responses": "output"}
"""The field that a reply must have, by protocol."""
_STREAM_STARTS: Final = ("data:", "event:", ":")
"""The possible starts of a stream. A line that begins
with a colon is a comment to keep a connection open: `: PROCESSING`."""
_STOP_STREAMING: Final = (
    "the server streams, which was not asked for: switch streaming off there"
)
_CHECK_PATH: Final = "is OPENAI_BASE_URL the address of the API, with its /v1?"


def read_response(
    response: httpx2.Response, settings: EndpointSettings, *, is_stream_asked: bool
) -> Reply | ErrorReply:
    """Return the reply or the error in a response. Raises `BadReply`.

    Keys and passwords are removed, because the texts are shown and recorded.
    """
    status = response.status_code
    if status >= 300:
        text = settings.without_secrets(response.text)
        return read_error_reply(status, response.headers, text)

    text = response.content.decode(errors="replace")
    # Some servers send a whole reply although a stream was asked for.
    required_field = _REQUIRED_FIELD[settings.api]
    try:
        if is_stream_asked and text.lstrip().startswith(_STREAM_STARTS):
            text = json.dumps(_joined_stream(text))
        text = settings.without_secrets(text)
        document = parse_json(text.removeprefix("\ufeff"))
        fields = document if isinstance(document, dict) else {}
        refusal = read_error_inside(fields)
        if refusal is not None:
            return refusal
        if required_field not in fields:
            msg = f"it has no {required_field}"
            raise ValueError(msg)
    except ValueError as error:
        fault = str(error)
    else:
        return _reply_of(fields, settings, sent_bytes=len(response.request.content))

    # An address without its `/v1` may answer with status 200 and an HTML page. The user reads: `the
    # model endpoint http://127.0.0.1:8080 answered 200 with something other than a chat completion
    # (...): ...; is OPENAI_BASE_URL the address of the API, with its /v1?`
    text = settings.without_secrets(text)
    shown = "an empty body"
    if text.strip():  # Its messages if it is an error, else its start.
        shown = repr(line_of(read_error_reply(status, {}, text).text))
    expected = "chat completion" if settings.api == "chat" else "response"
    message = f"{settings.shown_name} answered {status} with something other than a "
    message += f"{expected} ({fault}): {shown}"
    # A server that does not speak the protocol answers all trials like this. Otherwise,
    # only this conversation has got a reply without a usable choice.
    is_object = text.lstrip("\ufeff \n").startswith("{")
    has_protocol = is_object and f'"{required_field}"' in text
    is_stream = text.lstrip().startswith(_STREAM_STARTS)
    if is_stream and not is_stream_asked:
        message += f"; {_STOP_STREAMING}"
    elif not is_stream and not has_protocol:
        message += f"; {_CHECK_PATH}"
    raise BadReply(message, retryable=True, affects_all=not has_protocol)


def _reply_of(
    document: JsonObject, settings: EndpointSettings, sent_bytes: int
) -> Reply:
    """Return the reply in a body: `{"choices": [{"message": {"content": "yes"}}]}` says `yes`."""
    if settings.api == "chat":
        choice = _best_choice(document.get("choices"))
    else:
        choice = _choice_of_response(document)
    message = choice["message"]

    calls = _function_calls(message)
    reasoning = _text_at(message, "reasoning_content") or _text_at(message, "reasoning")
    refusal = _refusal_in(message)
    text = _text_of(message.get("content"))
    if not text.strip() and not calls:
        text = refusal or _reply_in_reasoning(reasoning) or text

    reason = _text_at(choice, "finish_reason")
    native_reason = _text_at(choice, "native_finish_reason") or reason
    common_reason = _common_reason(reason) or _common_reason(native_reason)
    finish_reason = common_reason or reason or "stop"
    if refusal and text == refusal:  # Some servers send a refusal as the content, too.
        finish_reason = "refusal"
        native_reason = ""

    tool_calls = tuple(_tool_call(call) for call in calls)
    texts = [text, reasoning]
    for tool_call in tool_calls:
        texts += [tool_call.name, tool_call.arguments]
    received_bytes = len("".join(texts).encode(errors="replace"))
    usage = usage_of(document.get("usage"))
    return Reply(
        text=text,
        tool_calls=tool_calls,
        reasoning=reasoning,
        thinking=tuple(_thinking_of(message, calls, reasoning, settings.thinking_back)),
        usage=_with_estimates(
            usage, sent_bytes, received_bytes, settings.max_output_tokens
        ),
        finish_reason=finish_reason,  # such as `length`, for all vendors
        native_finish_reason="" if native_reason == finish_reason else native_reason,
        cost_usd=cost_of(document.get("usage")),
        provider=_text_at(document, "provider"),
    )


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


def _common_reason(word: str) -> str:
    """Return `length` or `content_filter` for a vendor's word; empty for other words."""
    word = word.lower()
    if any(cut_off in word for cut_off in _CUT_OFF_WORDS):
        return "length"
    if any(filtered in word for filtered in _FILTERED_WORDS):
        return "content_filter"
    return ""


# Finds the choice that is read. A server may send several replies, the choices:
#
#     {"choices": [{"index": 1, "message": {"content": "no"}},
#                  {"index": 0, "message": {"content": "yes"}, "finish_reason": "stop"}]}
#
# The second one is read, because its index is the lowest. Servers give the message of a choice in
# different fields:
#
# | choice | message |
# |---|---|
# | `{"message": {"content": "yes"}}` | `{"content": "yes"}` |
# | `{"delta": {"content": "yes"}}`, of a stream | `{"content": "yes"}` |
# | `{"text": "yes"}`, of the older API of plain completions | `{"content": "yes"}` |


def _best_choice(choices: object) -> JsonObject:
    """Return the choice with the lowest index that has content, with its message as `message`.

    If none has content, return the first one with a message; without one, one with an empty message.
    """
    fallback: JsonObject = {"message": {}}
    for fields in sorted(objects_of(choices), key=_index_of_choice):
        message = fields.get("message") or fields.get("delta")
        if not message and isinstance(fields.get("text"), str):
            message = {"content": fields["text"]}
        if not isinstance(message, dict):
            continue
        choice = {**fields, "message": message}
        has_calls = message.get("tool_calls") or message.get("function_call")
        if has_calls or _text_of(message.get("content")).strip():
            return choice
        if not fallback["message"]:
            fallback = choice
    return fallback


def _index_of_choice(fields: JsonObject) -> int:
    """Return the index of a choice; -1 without a number, so that such choices come first."""
    index = fields.get("index")
    return index if isinstance(index, int) else -1


def _choice_of_response(document: JsonObject) -> JsonObject:
    """Return the output of the Responses API as a choice of a chat completion.

    That API returns a list of items. In a chat completion, one message has them all:

    | item of the output | in the message of the choice |
    |---|---|
    | `{"type": "message", "content": "yes"}` | `"content": [{"text": "yes"}]` |
    | `{"type": "function_call", "name": "look", ...}` | `"tool_calls": [...]` |
    | `{"type": "reasoning", ...}` | `"reasoning_items": [...]`, and its text in `reasoning` |
    """
    content: list[JsonObject] = []
    tool_calls: list[JsonObject] = []
    thoughts: list[JsonObject] = []
    thought_texts: list[str] = []
    for item in objects_of(document.get("output")):
        match item.get("type"):
            case "message":
                content += _content_parts(item.get("content"))
            case "function_call":
                # The item has the fields of a function itself: `name` and `arguments`.
                tool_calls.append({"id": item.get("call_id"), "function": item})
            case "reasoning":
                thoughts.append(item)
                for part in _content_parts(item.get("summary") or item.get("content")):
                    thought_texts.append(_text_at(part, "text"))

    finish_reason = _text_at(document, "status")
    if finish_reason == "completed":
        finish_reason = "stop"
    # The status `incomplete` has a reason: `{"reason": "max_output_tokens"}`
    details = document.get("incomplete_details")
    if isinstance(details, dict):
        finish_reason = _text_at(details, "reason") or finish_reason
    message = {
        "content": content,
        "tool_calls": tool_calls,
        "reasoning": "\n".join(thought_texts),
        "reasoning_items": thoughts,
    }
    return {"message": message, "finish_reason": finish_reason}


# Reads the content of a message: its texts, and its refusal.
#
# The content is a text or a list of parts, some of which are pictures or thoughts. Here, the text is
# `yes`:
#
#     [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "yes"}]

_TEXT_TYPES: Final = ("text", "output_text")
"""The types of message parts that are text. Other types are thoughts, pictures and sounds."""


def _content_parts(content: object) -> list[JsonObject]:
    """Return the parts of a message's content.

    "yes"                           -> [{"text": "yes"}]
    [{"type": "text", "text": "y"}] -> the list itself
    {"type": "text", "text": "y"}   -> a list with this part
    {"state": "done", "code": "1"}  -> [{"text": the object as JSON}]
    """
    # If a model's reply is JSON, some servers send it decoded: as an object, not as text.
    if isinstance(content, dict) and "text" not in content and "type" not in content:
        return [{"text": json.dumps(content)}]

    parts: list[JsonObject] = []
    for item in content if isinstance(content, list) else [content]:
        if isinstance(item, str):
            parts.append({"text": item})
        elif isinstance(item, dict):
            parts.append(item)
    return parts


def _text_of(content: object) -> str:
    """Return the text of a message's content, without its thoughts and pictures."""
    text = ""
    for part in _content_parts(content):
        if part.get("type", "text") in _TEXT_TYPES:
            text += _text_at(part, "text")
    return text


def _refusal_in(message: JsonObject) -> str:
    """Return the text with which a model refused to answer; empty if it did not refuse.

    It is in the field `refusal` of the message, or of a part of its content.
    """
    parts = (message, *_content_parts(message.get("content")))
    return next(filter(None, (_text_at(part, "refusal") for part in parts)), "")


def _reply_in_reasoning(reasoning: str) -> str:
    """Return the JSON object at the end of the thinking; empty if there is none.

    Some servers mistake the whole reply for thinking: `Hm.</think>{"code": "1"}` has the reply
    `{"code": "1"}`.
    """
    text = reasoning.rpartition("</think>")[2].strip()
    text = text.removeprefix("```json").removesuffix("```")
    return text if read_object(text) else ""


def _text_at(fields: JsonObject, name: str) -> str:
    """Return a field if it is a text, else an empty text."""
    value = fields.get(name)
    return value if isinstance(value, str) else ""


# Reads the tool calls of a message, and what of its thinking the vendor wants back.


def _function_calls(message: JsonObject) -> list[JsonObject]:
    """Return the calls of a message, including the older field `function_call`.

    A call is `{"id": "c1", "function": {"name": "look", "arguments": "{}"}}`. Some servers leave
    out the inner object: `{"id": "c1", "name": "look", "arguments": "{}"}`.
    """
    calls: list[JsonObject] = []
    for call in objects_of(message.get("tool_calls")):
        function = call.get("function", call)
        if isinstance(function, dict):
            calls.append({**call, "function": function})
    older_call = message.get("function_call")
    if isinstance(older_call, dict):
        calls.append({"function": older_call})
    return calls


def _tool_call(call: JsonObject) -> ToolCall:
    """Return a call in our form, with the bare name of its tool.

    Some models add to the name: `look<|channel|>json`, `functions.look`, `functions.look:0`.
    """
    function = call["function"]
    arguments = function.get("arguments")
    if isinstance(arguments, dict | list):
        arguments = json.dumps(arguments)  # Some servers send them decoded.

    name = _text_at(function, "name").partition("<|")[0].strip()
    name = name.removeprefix("functions.")
    before_colon, _, number = name.rpartition(":")
    return ToolCall(
        name=before_colon if number.isdigit() else name,
        arguments=arguments if isinstance(arguments, str) else "",
        id=_text_at(call, "id"),
    )


def _thinking_of(
    message: JsonObject,
    calls: list[JsonObject],
    reasoning: str,
    thinking_back: ThinkingBack,
) -> list[Thought]:
    """Return the thinking of a message that is sent back, so that the model can go on from there.

    | the message (`calls` are its tool calls), and the user's setting | is returned |
    |---|---|
    | of the Responses API with calls, any | its `reasoning_items` |
    | any other, `none` | nothing |
    | any other, `reasoning_content` | its reasoning: `{"reasoning_content": "Hm."}` |
    | any other, `auto` | if it has calls, what OpenRouter or Gemini want back with them |
    """
    if calls and "reasoning_items" in message:
        # With `none`, the next request leaves these items out.
        return objects_of(message["reasoning_items"])
    if thinking_back == "reasoning_content" and reasoning:
        return [{"reasoning_content": reasoning}]
    if thinking_back != "auto" or not calls:
        return []

    thought: Thought = {}
    details = objects_of(message.get("reasoning_details"))  # OpenRouter
    if details:
        thought["reasoning_details"] = details
    signatures: list[JsonObject | None] = []  # Gemini: one a call; None if unsigned
    for call in calls:
        signature = call.get("extra_content")
        signatures.append(signature if isinstance(signature, dict) else None)
    if any(signatures):
        thought[SIGNATURES] = signatures
    return [thought] if thought else []


# Reads streams, which consist of lines `data: {...}`. Each line holds a chunk, an object with the
# next pieces of the reply:
#
#     data: {"choices": [{"index": 0, "delta": {"content": "Hel"}}]}
#     data: {"choices": [{"index": 0, "delta": {"content": "lo"}}]}

_END_MARK: Final = "[DONE]"
_MAX_END_CHARS: Final = 200
"""The end mark is searched in the last characters of a stream: comments may follow it."""
_ITEM_KEYS: Final = ("choices", "tool_calls")
"""The fields with lists of items, each with its `index`. An item comes in pieces, too."""
_TEXT_KEYS: Final = frozenset(
    {"content", "reasoning", "reasoning_content", "refusal", "name", "arguments"}
)
"""The fields whose texts come in pieces, to be joined. Texts of other fields come whole."""
_MAX_SEARCHED_ITEMS: Final = 100
"""At most this many choices, or calls of a choice,
are searched for the one with a piece's index."""


class StreamedText:
    """Passes on the text of a reply while the stream arrives."""

    def __init__(self, on_text: Callable[[str], None]) -> None:
        """`on_text` is called with each piece of text."""
        self._on_text = on_text
        self._incomplete_line = b""

    def take(self, part: bytes) -> None:
        """Take the next bytes of the stream. They may end in the middle of a line."""
        received = self._incomplete_line + part
        complete_lines, _, self._incomplete_line = received.rpartition(b"\n")
        for chunk in _chunks_in(complete_lines.decode("utf-8", "replace")):
            for choice in objects_of(chunk.get("choices")):
                delta = choice.get("delta")
                text = _text_at(delta, "content") if isinstance(delta, dict) else ""
                if text:
                    self._on_text(text)


def _chunks_in(text: str) -> Iterator[JsonObject]:
    """Yield the chunks in the complete lines of a stream; lines that cannot be read are skipped."""
    for line in text.split("\n"):
        if not line.startswith("data:"):
            continue
        with suppress(ValueError):
            chunk = parse_json(line.removeprefix("data:"))
            if isinstance(chunk, dict):
                yield chunk


def _joined_stream(text: str) -> JsonObject:
    """Return the completion that the chunks of a stream form.

    Raises `ValueError` if the stream was cut off. Servers mark the end in different ways: with the line `data: [DONE]`, with the `finish_reason`
    of a choice, or with an error.
    """
    completion: JsonObject = {}
    for chunk in _chunks_in(text):
        _add_piece(completion, chunk)

    choices = objects_of(completion.get("choices"))
    has_finished = any(choice.get("finish_reason") for choice in choices)
    has_end_mark = _END_MARK in text[-_MAX_END_CHARS:]
    if not has_finished and not has_end_mark and "error" not in completion:
        msg = "the stream was cut off"
        raise ValueError(msg)
    return completion


def _add_piece(whole: JsonObject, piece: JsonObject) -> None:
    """Add a piece of a stream to `whole`, which has the pieces that arrived before.

    | whole | piece | the whole becomes |
    |---|---|---|
    | `{"content": "Hel"}` | `{"content": "lo"}` | `{"content": "Hello"}` |
    | `{"delta": {"name": "a"}}` | `{"delta": {"name": "b"}}` | `{"delta": {"name": "ab"}}` |
    | a choice, or a call, with the index 0 | another one with the index 0 | both in one |
    | `{"finish_reason": "stop"}` | `{"finish_reason": null}` | `{"finish_reason": "stop"}` |
    """
    for key, value in piece.items():
        if key == "index" and key in whole:
            continue  # `_item_at` has set it.
        if key in _ITEM_KEYS:
            items = whole.setdefault(key, [])
            for item in objects_of(value):
                _add_piece(_item_at(item.get("index") or 0, items), item)
        elif isinstance(value, str) and key in _TEXT_KEYS:
            whole[key] = _text_at(whole, key) + value
        elif isinstance(value, dict):
            if not isinstance(whole.get(key), dict):
                whole[key] = {}  # It takes the place of a text or a number.
            _add_piece(whole[key], value)
        elif value and not isinstance(value, list):
            # It comes whole. Lists of other fields are ignored, because nobody reads them.
            whole[key] = value


def _item_at(index: object, items: list[JsonObject]) -> JsonObject:
    """Return the choice or call with this index; without one, add it to `items` first."""
    for item in items[:_MAX_SEARCHED_ITEMS]:
        if item["index"] == index:
            return item
    item = {"index": index}
    items.append(item)
    return item

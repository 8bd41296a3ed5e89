"""Reads the bodies of replies, in chat completions and in OpenAI's Responses API.

`reply_of` is lenient: it accepts the formats of all known vendors, because a reply that
cannot be read costs a turn. It first converts a reply of the Responses API into the
form of a chat completion, so that the rest of the code is the same for both.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from controlplane.agent.endpoint.json_parts import objects_of, text_or_empty
from controlplane.agent.endpoint.request_body import SIGNATURES
from controlplane.agent.endpoint.settings import Api, ThinkingBack
from controlplane.agent.endpoint.usage import usage_of
from controlplane.agent.model import Reply, Thought, ToolCall
from controlplane.agent.reply.object_text import read_object
from controlplane.sandbox.interface import parse_json

REQUIRED_FIELD: Final[Mapping[Api, str]] = {"chat": "choices", "responses": "output"}
"""The field that a reply must have, by protocol."""

TEXT_TYPES: Final = ("text", "output_text")
"""The types of message parts that are text. Other types are thoughts, pictures and sounds."""

CUT_OFF_WORDS: Final = (
    "length",
    "max_tokens",
    "max_output_tokens",
    "max_completion_tokens",
    "token_limit",
    "context_window",
)
"""A vendor's finish reason with one of these parts
means that the reply reached its length limit."""

FILTERED_WORDS: Final = (
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
class Choice:
    """One of the replies (choices) of a chat completion. It has no fields if there is no choice."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    message: Mapping[str, Any] = field(default_factory=dict)

    @property
    def has_content(self) -> bool:
        """True if the message has a text or calls."""
        if text_of(self.message.get("content")).strip():
            return True
        return bool(self.message.get("tool_calls") or self.message.get("function_call"))

    @property
    def finish_reason(self) -> FinishReason:
        """Why the reply ended, in a common word and in the vendor's own (native) word."""
        common = text_or_empty(self.fields.get("finish_reason"))
        native = text_or_empty(self.fields.get("native_finish_reason"))
        return finish_reason_of(common, native)


def reply_of(
    content: bytes, api: Api = "chat", thinking_back: ThinkingBack = "auto"
) -> Reply:
    """Return the reply in a body.

    Bytes that are not UTF-8 become U+FFFD. Raises `ValueError` with one line if the body
    is not a reply.
    """
    document = parse_json(content.decode("utf-8-sig", errors="replace"))
    if not isinstance(document, dict) or REQUIRED_FIELD[api] not in document:
        msg = f"it has no {REQUIRED_FIELD[api]}"
        raise ValueError(msg)
    choices = document.get("choices") if api == "chat" else response_choices(document)
    choice = best_choice(choices)
    message = choice.message
    calls = function_calls(message)
    reasoning = reasoning_of(message)
    refusal = refusal_in(message)

    text = text_of(message.get("content"))
    if not text.strip() and not calls:
        # The model may have refused, or the server put the reply into the field for thinking.
        text = refusal or reply_in_reasoning(reasoning) or text
    is_refusal = bool(refusal) and text == refusal
    finish = FinishReason("refusal") if is_refusal else choice.finish_reason

    counted = usage_of(document.get("usage"))
    return Reply(
        text=text,
        tool_calls=tuple(tool_call(call) for call in calls),
        reasoning=reasoning,
        thinking=tuple(thinking_of(message, calls, reasoning, thinking_back)),
        usage=counted.usage,
        finish_reason=finish.common,
        native_finish_reason=finish.native,
        cost_usd=counted.cost_usd,
        provider=text_or_empty(document.get("provider")),
    )


def best_choice(choices: object) -> Choice:
    """Return the first choice with content.

    If none has any, return the first one; if there is no choice, one without fields.
    """
    first = Choice()
    for fields in sorted(objects_of(choices), key=index_of_choice):
        message = fields.get("message") or fields.get("delta")
        if not message and isinstance(fields.get("text"), str):
            message = {"content": fields["text"]}  # the older API of plain completions
        if not isinstance(message, dict):
            continue
        choice = Choice(fields, message)
        if choice.has_content:
            return choice
        if not first.message:
            first = choice
    return first


def index_of_choice(fields: Mapping[str, Any]) -> str:
    """Return the index of a choice, as a text because it may be anything."""
    return str(fields.get("index", ""))


def reasoning_of(message: Mapping[str, Any]) -> str:
    """Return the thinking of a message as text; empty if it has none."""
    for name in ("reasoning_content", "reasoning"):
        reasoning = text_or_empty(message.get(name))
        if reasoning:
            return reasoning
    return ""


def response_choices(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the output of the Responses API as the choices of a chat completion."""
    content: list[dict[str, Any]] = []
    tool_calls: list[dict[str, Any]] = []
    thoughts: list[dict[str, Any]] = []
    thought_texts: list[str] = []
    for item in objects_of(document.get("output")):
        match item.get("type"):
            case "message":
                content += content_parts(item.get("content"))
            case "function_call":
                tool_calls.append({"id": item.get("call_id"), "function": item})
            case "reasoning":
                thoughts.append(item)
                for part in content_parts(item.get("summary") or item.get("content")):
                    thought_texts.append(text_or_empty(part.get("text")))

    status = text_or_empty(document.get("status"))
    finish_reason = "" if status == "completed" else status
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


def content_parts(content: object) -> list[dict[str, Any]]:
    """Return the parts of a message's content.

    "yes"                           -> [{"text": "yes"}]
    [{"type": "text", "text": "y"}] -> the list itself
    {"type": "text", "text": "y"}   -> a list with this part
    {"state": "done", "code": "1"}  -> [{"text": the object as JSON}]
    """
    # If a model's reply is JSON, some servers send it decoded: as an object, not as text.
    if isinstance(content, dict) and "text" not in content and "type" not in content:
        return [{"text": json.dumps(content)}]

    parts: list[dict[str, Any]] = []
    for item in content if isinstance(content, list) else [content]:
        if isinstance(item, str):
            parts.append({"text": item})
        elif isinstance(item, dict):
            parts.append(item)
    return parts


def text_of(content: object) -> str:
    """Return the text of a message's content, without its thoughts and pictures."""
    text = ""
    for part in content_parts(content):
        if part.get("type", "text") in TEXT_TYPES:
            text += text_or_empty(part.get("text"))
    return text


def refusal_in(message: Mapping[str, Any]) -> str:
    """Return the text with which a model refused to answer; empty if it did not refuse."""
    for part in (message, *content_parts(message.get("content"))):
        refusal = text_or_empty(part.get("refusal"))
        if refusal:
            return refusal
    return ""


def reply_in_reasoning(reasoning: str) -> str:
    """Return the JSON object at the end of the thinking; empty if there is none.

    Some servers mistake the whole reply for thinking.
    """
    text = reasoning.rpartition("</think>")[2].strip()
    text = text.removeprefix("```json").removesuffix("```")
    return text if read_object(text) else ""


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
    """Return a call with the bare name of its tool.

    Some models add to the name: `look<|channel|>json`, `functions.look`,
    `functions.look:0` -> `look`
    """
    function = function_of(call)
    name = text_or_empty(function.get("name")).partition("<|")[0].strip()
    name = name.removeprefix("functions.")
    before_colon, _, number = name.rpartition(":")
    if number.isdigit():
        name = before_colon

    arguments = function.get("arguments")
    if isinstance(arguments, dict | list):
        arguments = json.dumps(arguments)  # some servers send them decoded
    return ToolCall(
        name=name, arguments=text_or_empty(arguments), id=text_or_empty(call.get("id"))
    )


def thinking_of(
    message: Mapping[str, Any],
    calls: list[dict[str, Any]],
    reasoning: str,
    thinking_back: ThinkingBack,
) -> list[Thought]:
    """Return the thinking to send back to the endpoint with the next request.

    In the Responses API, a reply has a `Thought` for each of its reasoning items. In chat
    completions, it has at most one.
    """
    # 1. The Responses API, which wants its items back before the results of the calls.
    if calls and "reasoning_items" in message:
        items: list[Thought] = message["reasoning_items"]
        return items

    # 2. Chat completions: the whole text, if the user has set so.
    if thinking_back == "reasoning_content" and reasoning:
        return [{"reasoning_content": reasoning}]
    if thinking_back != "auto" or not calls:
        return []

    # 3. Chat completions: what vendors want back with calls.
    thought: Thought = {}
    details = objects_of(message.get("reasoning_details"))  # OpenRouter
    if details:
        thought["reasoning_details"] = details
    signatures: list[dict[str, Any] | None] = []  # Gemini
    for call in calls:
        signature = call.get("extra_content")
        signatures.append(signature if isinstance(signature, dict) else None)
    if any(signatures):
        thought[SIGNATURES] = signatures
    return [thought] if thought else []


@dataclass(frozen=True, slots=True)
class FinishReason:
    """The reason why a reply ended."""

    common: str
    """The word for all vendors: `stop`, `length` or `content_filter`.
    For other reasons, the vendor's own word."""
    native: str = ""
    """The vendor's own word; empty if it is the same."""


def finish_reason_of(reason: str, native: str = "") -> FinishReason:
    """Return the reason why a reply ended.

    `reason` and `native` are a reply's `finish_reason`
    and `native_finish_reason`, or empty:

    | reason       | native       | common   | native       |
    |--------------|--------------|----------|--------------|
    | `MAX_TOKENS` |              | `length` | `MAX_TOKENS` |
    | `length`     | `MAX_TOKENS` | `length` | `MAX_TOKENS` |
    | `stop`       | `END_TURN`   | `stop`   | `END_TURN`   |
    | `stop`       | `stop`       | `stop`   |              |
    |              |              | `stop`   |              |
    """
    common_word = common_finish_reason(reason) or common_finish_reason(native)
    if common_word:
        if not native and reason != common_word:
            native = reason
        return FinishReason(common_word, native)
    if native == reason:
        native = ""
    return FinishReason(reason or "stop", native)


def common_finish_reason(word: str) -> str:
    """Return `length` or `content_filter` for a vendor's word; empty for other words."""
    word = word.lower()
    if any(cut_off in word for cut_off in CUT_OFF_WORDS):
        return "length"
    if any(filtered in word for filtered in FILTERED_WORDS):
        return "content_filter"
    return ""

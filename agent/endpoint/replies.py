"""Reads replies of endpoints, in chat completions and in OpenAI's Responses API."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from controlplane.sandbox.interface import bounds, parse_json

# Reads parts of decoded JSON whose structure is unknown, because endpoints may send anything.

LENGTH_KEYWORDS: Final = frozenset({"maxItems", "maxLength", "minItems", "minLength"})
"""Keywords of a JSON schema that limit lengths. Some endpoints refuse them."""


def objects_of(value: object) -> list[dict[str, Any]]:
    """Return the objects in a list, without its other items; an empty list for other values."""
    if not isinstance(value, list):
        return []
    return [item for item in value if isinstance(item, dict)]


def text_or_empty(value: object) -> str:
    """Return a value if it is a text, else an empty text."""
    return value if isinstance(value, str) else ""


# The names under which vendors give the counts of tokens in the `usage` of a reply.
#
# A dot stands between the name of an object and the name of a field in it: in
# `{"prompt_tokens_details": {"cached_tokens": 12}}`, the path `prompt_tokens_details.cached_tokens`
# leads to 12. The names of a count are tried in their order.

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


# Looks up numbers in the `usage` of a reply, where vendors give them under different names.
#
# In `{"prompt_tokens_details": {"cached_tokens": 12}}`, the path
# `prompt_tokens_details.cached_tokens` leads to 12.


def _first_count(document: Mapping[str, object], paths: tuple[str, ...]) -> float:
    """Return the first count above 0 at one of these paths; 0 if there is none.

    So a 0 under one name does not hide the count under another.
    """
    for path in paths:
        count = number_at(document, path)
        if count:
            return count
    return 0


def number_at(
    document: Mapping[str, object], path: str, unit: float = 1.0
) -> float | None:
    """Return the number at a path, multiplied by `unit`.

    `{"cost": {"total": "30"}}` has 30.0 at the path `cost.total`, and with the unit 0.01, such
    as a cent, 0.3. Returns None without a number, or if the product is not between 0 and
    `bounds.MOST_USAGE`.
    """
    value: object = document
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


# Reads the content of a reply's message: its texts, and its refusal.
#
# The content is a text or a list of parts, some of which are pictures or thoughts. Here, the text is
# `yes`:
#
#     [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "yes"}]

_TEXT_TYPES: Final = ("text", "output_text")
"""The types of message parts that are text. Other types are thoughts, pictures and sounds."""


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
        if part.get("type", "text") in _TEXT_TYPES:
            text += text_or_empty(part.get("text"))
    return text


def refusal_in(message: Mapping[str, Any]) -> str:
    """Return the text with which a model refused to answer; empty if it did not refuse.

    It is in the field `refusal` of the message, or of a part of its content.
    """
    for part in (message, *content_parts(message.get("content"))):
        refusal = text_or_empty(part.get("refusal"))
        if refusal:
            return refusal
    return ""


# Reads streamed chat completions: passes on the text of a reply while the stream arrives.
#
# A stream consists of lines `data: {...}`. Each line holds a chunk, an object with the next
# pieces of the reply, such as `{"choices": [{"index": 0, "delta": {"content": "Hel"}}]}`.


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
        for chunk in chunks_in(complete_lines):
            for text in texts_in(chunk):
                self._on_text(text)


def texts_in(chunk: Mapping[str, Any]) -> Iterator[str]:
    """Yield the pieces of text in a chunk that are not empty: `Hel` in the example above."""
    for choice in objects_of(chunk.get("choices")):
        delta = choice.get("delta")
        if isinstance(delta, dict):
            text = text_or_empty(delta.get("content"))
            if text:
                yield text


def chunks_in(content: bytes) -> Iterator[dict[str, Any]]:
    """Yield the chunks in the complete lines of a stream; lines that cannot be read are skipped."""
    for line in content.decode("utf-8", "replace").split("\n"):
        if not line.startswith("data:"):
            continue
        with suppress(ValueError):
            chunk = parse_json(line.removeprefix("data:"))
            if isinstance(chunk, dict):
                yield chunk


# The counts of tokens in the `usage` of a reply, under the names of any vendor.
#
# `{"input_tokens": 20, "output_tokens": 5}` and `{"prompt_tokens": 20, "completion_tokens": 5}`
# give the same counts. What a count includes also differs by vendor, which `usage_of` corrects.


@dataclass(frozen=True, slots=True)
class VendorCounts:
    """The counts of tokens in a `usage`, as the vendor states them; 0 for a missing one.

    They are floats because a vendor may write `12.0`.
    """

    prompt: float
    completion: float
    """Tokens of the reply. Some vendors include the thinking, some don't."""
    total: float
    cache_read: float
    """Tokens of the prompt that the endpoint had in its cache."""
    cache_write: float
    """Tokens of the prompt that the endpoint put into its cache."""
    thinking: float
    has_anthropic_names: bool
    """True if the `usage` has names of Anthropic, whose count of the prompt is without the
    cached tokens. `usage_of` adds them."""

    @classmethod
    def of(cls, document: Mapping[str, object]) -> VendorCounts:
        """Return the counts in a `usage`: `{"input_tokens": 20}` has `prompt=20`."""
        # The first name alone does not tell: OpenAI's Responses API has it, too.
        anthropic_names = ("input_tokens", "cache_read_input_tokens")
        return cls(
            prompt=_first_count(document, _PROMPT_PATHS),
            completion=_first_count(document, _COMPLETION_PATHS),
            total=_first_count(document, _TOTAL_PATHS),
            cache_read=_first_count(document, _CACHE_READ_PATHS),
            cache_write=_first_count(document, _CACHE_WRITE_PATHS),
            thinking=_first_count(document, _THINKING_PATHS),
            has_anthropic_names=all(name in document for name in anthropic_names),
        )

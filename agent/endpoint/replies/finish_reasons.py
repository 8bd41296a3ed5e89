"""Reads why a reply ended, from the words of any vendor: `MAX_TOKENS` is `length`.

A reply that was cut off at its length limit, or withheld by a filter, must not be used: the missing
part may change its meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

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
class FinishReason:
    """The reason why a reply ended."""

    common: str
    """The word for all vendors: `stop`, `length` or `content_filter`.
    For other reasons, the vendor's own word."""
    native: str = ""
    """The vendor's own word; empty if it is the same as the common one."""


def finish_reason_of(reason: str, native: str = "") -> FinishReason:
    """Return the reason, from a reply's `finish_reason` and `native_finish_reason`, or empty:

    | reason       | native       | common   | native       |
    |--------------|--------------|----------|--------------|
    | `MAX_TOKENS` |              | `length` | `MAX_TOKENS` |
    | `length`     | `MAX_TOKENS` | `length` | `MAX_TOKENS` |
    | `stop`       | `END_TURN`   | `stop`   | `END_TURN`   |
    | `length`     | `length`     | `length` |              |
    |              |              | `stop`   |              |
    """
    common_word = common_finish_reason(reason) or common_finish_reason(native)
    common = common_word or reason or "stop"
    vendor_word = native or reason
    if vendor_word == common:
        return FinishReason(common)
    return FinishReason(common, vendor_word)


def common_finish_reason(word: str) -> str:
    """Return `length` or `content_filter` for a vendor's word; empty for other words."""
    word = word.lower()
    if any(cut_off in word for cut_off in CUT_OFF_WORDS):
        return "length"
    if any(filtered in word for filtered in FILTERED_WORDS):
        return "content_filter"
    return ""

"""Placeholders in the values of a tool: texts from the arguments of a call.

The pattern `end ([0-9]+)` matches the arguments `end 0543`. Then `{1}` is `0543`, the text
of the first group, and `loan {1} ends` becomes `loan 0543 ends`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from controlplane.sandbox.files import compiled_pattern

PLACEHOLDER: Final = re.compile(r"\{(\d)\}")
"""Where a text is inserted: `{1}`."""
_MAX_NUMBER_DIGITS: Final = 16
"""Texts with more digits are not made integers. They are ids, such as account numbers."""


@dataclass(frozen=True, slots=True)
class MatchedTexts:
    """The texts for the placeholders of one call."""

    texts: tuple[str, ...]
    """The first, for `{0}`, is all arguments joined by spaces. The others are of groups."""

    def fill(self, text: str) -> str:
        """Return a text with its placeholders filled: `loan {1} ends` -> `loan 0543 ends`."""

        def text_at(placeholder: re.Match[str]) -> str:
            return self.texts[int(placeholder[1])]

        return PLACEHOLDER.sub(text_at, text)

    def fill_values(self, value: object) -> Any:
        """Return a value with the placeholders in all its texts filled, also in lists and tables.

        `"loan {1}"` becomes `"loan 12"`, but `"{1}"` alone becomes the integer 12.
        """
        if isinstance(value, dict):
            return {name: self.fill_values(item) for name, item in value.items()}
        if isinstance(value, list):
            return [self.fill_values(item) for item in value]
        if not isinstance(value, str):
            return value
        text = self.fill(value)
        is_only_a_placeholder = PLACEHOLDER.fullmatch(value) is not None
        if is_only_a_placeholder and _is_whole_number(text):
            return int(text)
        return text


def match_arguments(patterns: str | list[str], args: list[str]) -> MatchedTexts | None:
    """Return the texts for the placeholders of a call; None if its patterns do not match.

    `end ([0-9]+)` and `["end", "0543"]` -> the texts `end 0543` and `0543`. One pattern must
    match all arguments, joined by spaces. A list has one pattern for each argument.
    """
    all_arguments = " ".join(args)
    if isinstance(patterns, str):
        patterns = [patterns]
        args = [all_arguments]
    if len(patterns) != len(args):
        return None
    texts = [all_arguments]  # for the placeholder {0}
    for pattern, argument in zip(patterns, args, strict=True):
        match = compiled_pattern(pattern).fullmatch(argument)
        if match is None:
            return None
        for group in match.groups():
            texts.append(group or "")
    return MatchedTexts(tuple(texts))


def _is_whole_number(text: str) -> bool:
    """Return True if a text is a number and not an id such as `0543`."""
    is_digits = text.isascii() and text.isdecimal()
    if not is_digits or len(text) > _MAX_NUMBER_DIGITS:
        return False
    return text == "0" or not text.startswith("0")

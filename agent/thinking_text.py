"""Removes the thinking from replies. Models put it between many kinds of marks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import re2

from controlplane.agent.written_objects import WrittenObject, objects_in
from controlplane.sandbox.interface import bounds, well_formed

_WORD: Final = r"(?:\w+[:_])?(?:think|thinking|thoughts?|reasoning|reflection|analysis)"
"""Matches the name of a tag for thinking, as in `<think>` or `<model:thought>`."""

_OPENING_MARKS: Final = (
    rf"<{_WORD}>",
    r"\[THINK\]",  # Mistral
    r"◁think▷",  # Kimi
    r"<\|begin_of_thought\|>",  # Sky-T1
    r"<\|channel>thought",  # Gemma 4
    r"<\|channel\|>\s*analysis\s*<\|message\|>",  # OpenAI's harmony format
)
_CLOSING_MARKS: Final = (
    rf"</{_WORD}>",
    r"\[/THINK\]",  # Mistral
    r"◁/think▷",  # Kimi
    r"<\|end_of_thought\|>",  # Sky-T1
    r"<channel\|>",  # Gemma 4
    r"<\|channel\|>\s*final\s*<\|message\|>",  # OpenAI's harmony format
)
_MESSAGE_END: Final = r"<\|end\|>"
"""The end of a message in the harmony format. Models may leave it out."""
_NEXT_MESSAGE: Final = r"<\|start\|>|<\|channel\|>"
"""The start of the next message in the harmony format."""

MARK: Final = re2.compile(
    "(?i)"
    rf"(?P<opening>{'|'.join(_OPENING_MARKS)})"
    rf"|(?P<closing>{'|'.join(_CLOSING_MARKS)})"
    rf"|(?P<message_end>{_MESSAGE_END})"
    rf"|(?P<next_message>{_NEXT_MESSAGE})"
)
"""Matches a mark that may begin or end thinking."""

UNMARKED_THOUGHTS: Final = (
    ("analysis", "assistantfinal"),  # the harmony format without its marks
    ("Here is my thought process:", "Here is my response:"),  # Granite
    ("Here's my thought process:", "Here's my response:"),
)
"""Pairs of words: a reply that begins with the first has thinking up to the second."""


def without_thoughts(text: str) -> str:
    """Return a text without its thinking.

    <think>Hm.</think>Yes     Yes
    Hm.</think>Yes            Yes. Servers cut off the first mark.
    Yes<think>Hm.             Yes
    {"code": "'</think>'"}    unchanged. The mark is a part of an object.
    """
    text = well_formed(text)
    for first_words, last_words in UNMARKED_THOUGHTS:
        if text.lstrip().startswith(first_words) and last_words in text:
            text = text.partition(last_words)[2]
    if MARK.search(text) is None:
        return text

    closed_objects: list[WrittenObject] = []
    for written_object in objects_in(text[: bounds.MOST_PARSED_CHARS]):
        if written_object.end is not None:
            closed_objects.append(written_object)

    parts: list[str] = []  # The parts of the text that are not thinking.
    part_start = 0  # The start of the current part, outside of thinking.
    is_thinking = False
    for mark in MARK.finditer(text):
        # In thinking, every mark ends it, except another opening one. The mark of the
        # next message stays in the text after the thinking.
        if is_thinking:
            if mark["opening"]:
                continue
            is_thinking = False
            if mark["next_message"]:
                part_start = mark.start()
            else:
                part_start = mark.end()

        # Outside of thinking, a mark in a string of an object is only text.
        elif _is_inside(closed_objects, mark.start(), part_start):
            continue

        elif mark["opening"]:
            parts.append(text[part_start : mark.start()])
            is_thinking = True

        # The opening mark was cut off, so everything before the closing one is
        # thinking.
        elif mark["closing"]:
            parts = []
            part_start = mark.end()

        # The two other marks only have a meaning in thinking. Here they stay in the
        # text.
    if not is_thinking:
        parts.append(text[part_start:])
    return "".join(parts)


def _is_inside(
    objects: Iterable[WrittenObject], position: int, part_start: int
) -> bool:
    """Return True if a position is inside an object that begins in the current part of
    the text.

    An object that begins before `part_start` is in thinking, and does not count.
    """
    for written_object in objects:
        if written_object.end is None or written_object.start < part_start:
            continue
        if written_object.start < position < written_object.end:
            return True
    return False

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
    r"\[/THINK\]",
    r"◁/think▷",
    r"<\|end_of_thought\|>",
    r"<channel\|>",
    r"<\|channel\|>\s*final\s*<\|message\|>",
)
_MESSAGE_END: Final = r"<\|end\|>"
"""The end of a message in the harmony format. Models may leave it out."""
_NEXT_MESSAGE: Final = r"<\|start\|>|<\|channel\|>"
"""The start of the next message in the harmony format."""

TAG: Final = re2.compile(
    rf"(?i)(?P<opening>{'|'.join(_OPENING_MARKS)})"
    rf"|(?P<closing>{'|'.join(_CLOSING_MARKS)})"
    rf"|{_MESSAGE_END}"
    rf"|(?P<next>{_NEXT_MESSAGE})"
)
"""Matches a mark that begins or ends thinking."""

UNMARKED_THOUGHTS: Final = (
    ("analysis", "assistantfinal"),  # the harmony format without its marks
    ("Here is my thought process:", "Here is my response:"),  # Granite
    ("Here's my thought process:", "Here's my response:"),
)
"""Pairs of words: the first begins a reply with thinking, and the second ends the thinking."""


def without_thoughts(text: str) -> str:
    """Return a text without its thinking.

    `<think>Hm.</think>Yes` -> `Yes`. The first tag may be missing, because servers cut it off:
    `Hm.</think>Yes` -> `Yes`. If the thinking has no end, everything after its start is removed. A
    tag inside an object is a part of the object.
    """
    text = well_formed(text)
    for first_words, last_words in UNMARKED_THOUGHTS:
        if text.lstrip().startswith(first_words) and last_words in text:
            text = text.partition(last_words)[2]
    if TAG.search(text) is None:
        return text

    objects = [
        written
        for written in objects_in(text[: bounds.MOST_PARSED_CHARS])
        if written.end is not None
    ]
    parts: list[str] = []  # the parts of the text that are not thinking
    part_start = 0
    is_thinking = False
    for tag in TAG.finditer(text):
        if is_thinking:
            is_still_thinking = tag["opening"] is not None
            if is_still_thinking:
                continue
            # Any other mark ends the thinking. The next message begins with its own mark.
            is_thinking = False
            part_start = tag.start() if tag["next"] else tag.end()
        elif _is_inside(objects, tag.start(), part_start):
            continue
        elif tag["closing"]:
            # The opening mark was cut off, so everything before this mark is thinking.
            parts = []
            part_start = tag.end()
        elif tag["opening"]:
            parts.append(text[part_start : tag.start()])
            is_thinking = True
    if not is_thinking:
        parts.append(text[part_start:])
    return "".join(parts)


def _is_inside(objects: Iterable[WrittenObject], position: int, part_start: int) -> bool:
    """Return True if a position is inside an object that begins in the current part of the text.

    An object that begins before `part_start` is in thinking, and does not count.
    """
    for written in objects:
        if written.end is None or written.start < part_start:
            continue
        if written.start < position < written.end:
            return True
    return False

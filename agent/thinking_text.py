"""Removes the thinking that models write into their replies, between marks of many kinds."""

from __future__ import annotations

from typing import Final

import re2

from controlplane.agent.written_objects import objects_in
from controlplane.sandbox.interface import bounds, well_formed

_WORD: Final = r"(?:\w+[:_])?(?:think|thinking|thoughts?|reasoning|reflection|analysis)"
TAG: Final = re2.compile(
    # Tags such as `<think>`; the marks of Mistral, Kimi and Sky-T1; the channels of Gemma 4 and of
    # OpenAI's harmony format.
    rf"(?i)(?P<opening><{_WORD}>|\[THINK\]|◁think▷|<\|begin_of_thought\|>|<\|channel>thought"
    r"|<\|channel\|>\s*analysis\s*<\|message\|>)"
    rf"|(?P<closing></{_WORD}>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>|<channel\|>"
    r"|<\|channel\|>\s*final\s*<\|message\|>)"
    # Harmony ends a message with `<|end|>`, or begins the next one without it.
    r"|<\|end\|>|(?P<next><\|start\|>|<\|channel\|>)"
)
"""Finds a mark that begins or ends thinking."""

UNMARKED_THOUGHTS: Final = (
    ("analysis", "assistantfinal"),  # the harmony format without its marks
    ("Here is my thought process:", "Here is my response:"),  # Granite
    ("Here's my thought process:", "Here's my response:"),
)
"""Words that begin a reply with thinking, and words that end the thinking."""


def without_thoughts(text: str) -> str:
    """Return a text without its thinking.

    `<think>Hm.</think>Yes` -> `Yes`, and `Hm.</think>Yes` -> `Yes`, since servers cut the first tag
    off. Thinking that does not end hides everything after it. A tag inside of an object is a part
    of the object.
    """
    text = well_formed(text)
    for first_words, last_words in UNMARKED_THOUGHTS:
        if text.lstrip().startswith(first_words) and last_words in text:
            text = text.partition(last_words)[2]
    if TAG.search(text) is None:
        return text

    objects: list[tuple[int, int]] = []
    for written in objects_in(text[: bounds.MOST_PARSED_CHARS]):
        if written.end is not None:
            objects.append((written.start, written.end))

    spoken: list[str] = []
    spoken_from = 0
    is_thinking = False
    for tag in TAG.finditer(text):
        if is_thinking:
            if tag["opening"] is None:  # any other mark ends the thinking
                spoken_from = tag.start() if tag["next"] else tag.end()
                is_thinking = False
            continue
        is_in_object = False
        for start, end in objects:
            if spoken_from <= start < tag.start() < end:
                is_in_object = True
        if is_in_object:
            continue
        if tag["closing"]:  # everything before it was thinking
            spoken = []
            spoken_from = tag.end()
        elif tag["opening"]:
            spoken.append(text[spoken_from : tag.start()])
            is_thinking = True
    if not is_thinking:
        spoken.append(text[spoken_from:])
    return "".join(spoken)

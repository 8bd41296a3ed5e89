"""Removes the thinking from replies: `<think>Hm.</think>Yes` -> `Yes`.

Models put their thinking between many kinds of marks. In OpenAI's harmony format, a reply
consists of messages in channels. Only the message in the channel `final` is the answer:

    <|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import re2

from controlplane.agent.reply.written_objects import WrittenObject, objects_in
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
    r"<\|channel\|>\s*final\s*<\|message\|>",  # OpenAI's harmony format: the answer begins
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
"""Pairs of words. A reply that begins with the first words has thinking up to the second."""


def without_thoughts(text: str) -> str:
    """Return a reply without the thinking that models put between marks in it.

    | reply | without thinking |
    |---|---|
    | `<think>Hm.</think>Yes` | `Yes` |
    | `Hm.</think>Yes` | `Yes`: some servers cut off the opening mark |
    | `Yes<think>Hm.` | `Yes` |
    | `{"code": "'</think>'"}` | the same: the mark is in a string of an object |
    """
    text = well_formed(text)
    # Some models put words in place of marks: `analysisHm.assistantfinalYes`.
    for first_words, last_words in UNMARKED_THOUGHTS:
        if text.lstrip().startswith(first_words) and last_words in text:
            text = text.partition(last_words)[2]
    if MARK.search(text) is None:
        return text

    parts: list[str] = []
    end_of_last = 0
    for thought in _thoughts_in(text):
        parts.append(text[end_of_last : thought.start])
        end_of_last = thought.end
    parts.append(text[end_of_last:])
    return "".join(parts)


@dataclass(frozen=True, slots=True)
class _Thought:
    """A part of a text that is thinking, with its marks: `<think>Hm.</think>`."""

    start: int
    """The position of its first character."""
    end: int
    """The position after its last character."""


def _thoughts_in(text: str) -> list[_Thought]:
    """Return the parts of a text that are thinking, in order.

    What a mark means depends on whether it is within thinking:

    | mark | within thinking | outside |
    |---|---|---|
    | opening, `<think>` | nothing | thinking begins |
    | closing, `</think>` | thinking ends | everything before it was thinking |
    | end of a message, next message | thinking ends | nothing |
    | any mark in a string of an object | as above | nothing |
    """
    objects = list(objects_in(text[: bounds.MOST_PARSED_CHARS]))
    thoughts: list[_Thought] = []
    start: int | None = None  # of the thinking that has not ended yet
    for mark in MARK.finditer(text):
        if start is not None:
            if mark["opening"]:
                continue
            # The mark of the next message is not a part of the thinking.
            end = mark.start() if mark["next_message"] else mark.end()
            thoughts.append(_Thought(start, end))
            start = None
            continue

        end_of_last = thoughts[-1].end if thoughts else 0
        # Objects in earlier thinking do not count.
        if _is_inside(objects, mark.start(), min_start=end_of_last):
            continue
        if mark["opening"]:
            start = mark.start()
        elif mark["closing"]:
            # Its opening mark was cut off. So all of the text before it is one thought.
            thoughts = [_Thought(0, mark.end())]

    if start is not None:  # The closing mark is missing.
        thoughts.append(_Thought(start, len(text)))
    return thoughts


def _is_inside(
    objects: Iterable[WrittenObject], position: int, *, min_start: int
) -> bool:
    """Return True if a position is inside a closed object.

    Objects that begin before `min_start` do not count.
    """
    for found in objects:
        if found.end is None or found.start < min_start:
            continue
        if found.start < position < found.end:
            return True
    return False

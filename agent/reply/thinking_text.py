"""Removes the thinking from replies: `<think>Hm.</think>Yes` -> `Yes`.

Models put their thinking between many kinds of marks. In OpenAI's harmony format, a reply
consists of messages in channels. Only the message in the channel `final` is the answer:

    <|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes
"""

from __future__ import annotations

from collections.abc import Iterable
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
    | `Well: <think>Hm.</think>Yes` | `Well: Yes` |
    | `Hm.</think>Yes` | `Yes`: some servers cut off the opening mark |
    | `Yes<think>Hm.` | `Yes` |
    | `{"code": "'</think>'"}` | the same: the mark is in an object |
    """
    text = well_formed(text)
    # Some models put words in place of marks: `analysisHm.assistantfinalYes`.
    for first_words, last_words in UNMARKED_THOUGHTS:
        if text.lstrip().startswith(first_words) and last_words in text:
            text = text.partition(last_words)[2]
    if MARK.search(text) is None:
        return text

    objects = list(objects_in(text[: bounds.MOST_PARSED_CHARS]))
    answer = ""
    is_thinking = False
    end_of_thought = 0  # of the last one; the text after it is not in `answer` yet
    for mark in MARK.finditer(text):
        if is_thinking:
            if not mark["opening"]:
                is_thinking = False
                # The mark of the next message is not a part of the thinking.
                end_of_thought = mark.start() if mark["next_message"] else mark.end()
        elif _is_in_object(mark.start(), objects, since=end_of_thought):
            continue
        elif mark["opening"]:
            is_thinking = True
            answer += text[end_of_thought : mark.start()]
        elif mark["closing"]:
            # Its opening mark was cut off, so all of the text before it was thinking.
            answer = ""
            end_of_thought = mark.end()

    if is_thinking:
        return answer  # The thinking goes on to the end of the text.
    return answer + text[end_of_thought:]


def _is_in_object(position: int, objects: Iterable[WrittenObject], since: int) -> bool:
    """Return True if a position is in an object that begins at `since` or later.

    `since` is the end of the last thinking: an object that begins earlier is a part of it.
    """
    for found in objects:
        if found.start >= since and found.covers(position):
            return True
    return False

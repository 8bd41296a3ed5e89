"""Removes the thinking from replies: `<think>Hm.</think>Yes` -> `Yes`.

A script in the thinking is only an idea, so it must not be run. A mark of thinking in a script is
text, so it must stay.
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.agent.reply.objects.written_object import WrittenObject
from controlplane.agent.reply.objects.written_objects import objects_in
from controlplane.agent.reply.thinking_marks import MARK, UNMARKED_THOUGHTS
from controlplane.sandbox.interface import bounds, well_formed


def without_thoughts(text: str) -> str:
    """Return a reply without the thinking that models put between marks in it.

    | reply | without thinking |
    |---|---|
    | `Well: <think>Hm.</think>Yes` | `Well: Yes` |
    | `Hm.</think>Yes` | `Yes`: some servers cut off the opening mark |
    | `Yes<think>Hm.` | `Yes` |
    | `{"code": "'</think>'"}` | the same: the mark is in an object |
    """
    text = _without_unmarked_thoughts(well_formed(text))
    if MARK.search(text) is None:
        return text

    objects = list(objects_in(text[: bounds.MOST_PARSED_CHARS]))
    answer = ""
    start = 0  # The text from here on is not in `answer` yet.
    is_thinking = False
    for mark in MARK.finditer(text):
        if is_thinking:
            # A second opening mark changes nothing. Any other mark ends the thinking.
            if not mark["opening"]:
                is_thinking = False
                start = mark.end()
        elif _is_in_object(mark.start(), objects, since=start):
            continue
        elif mark["opening"]:
            answer += text[start : mark.start()]
            is_thinking = True
        elif mark["closing"]:
            # Its opening mark was cut off, so all of the text before it was thinking.
            answer = ""
            start = mark.end()
        # A mark of a third kind, such as `<|end|>`, stays in the answer.
    if is_thinking:
        return answer  # The thinking goes on to the end of the text.
    return answer + text[start:]


def _without_unmarked_thoughts(text: str) -> str:
    """Return a reply without thinking between two words: `analysisHm.assistantfinalYes`."""
    for first_words, last_words in UNMARKED_THOUGHTS:
        if text.lstrip().startswith(first_words) and last_words in text:
            text = text.partition(last_words)[2]
    return text


def _is_in_object(position: int, objects: Sequence[WrittenObject], since: int) -> bool:
    """Return True if a position is in an object of the answer.

    An object that begins before `since`, the end of the last thinking, is not one of the answer.
    """
    for found in objects:
        if found.start >= since and found.covers(position):
            return True
    return False

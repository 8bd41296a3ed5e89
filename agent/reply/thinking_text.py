"""Removes the thinking from replies: `<think>Hm.</think>Yes` -> `Yes`.

A script in the thinking is only an idea, so it must not be run. A mark of thinking in a script is
text, so it must stay.
"""

from __future__ import annotations

from collections.abc import Iterable

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

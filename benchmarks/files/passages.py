"""Splits texts into passages, which a search compares and shows. No text is left out.

A passage is about a paragraph: long enough to be understood, short enough that twelve of
them can be shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

PASSAGE_CHARS: Final = 700
"""The target length: about 170 tokens, one or two paragraphs."""
MIN_PASSAGE_CHARS: Final = 200
"""The shortest passage that a blank line ends."""
OVERLAP_CHARS: Final = 100
"""The overlap of the parts of a long line, so that a short sentence is complete in one of them."""
MIN_PART_CHARS: Final = PASSAGE_CHARS // 2
"""The earliest position at which a part may end at a sentence or word."""
SENTENCE_ENDS: Final = (". ", "! ", "? ", "; ", "。", "！", "？")


def passages_in(text: str) -> Iterator[tuple[int, str]]:
    """Yield each passage as the number of its first line and its text.

    A passage has one or more paragraphs, with at most about `PASSAGE_CHARS` in total. A
    line that is longer is split.
    """
    lines: list[str] = []  # of the current passage; none between passages
    first_line = 1  # the number of its first line
    chars = 0  # its length
    for number, line in enumerate(text.split("\n"), start=1):
        if lines:
            is_full = chars + len(line) > PASSAGE_CHARS
            is_end_of_paragraph = not line.strip() and chars >= MIN_PASSAGE_CHARS
            if is_full or is_end_of_paragraph:
                yield first_line, "\n".join(lines).strip("\n")
                lines = []
                chars = 0

        if len(line) > PASSAGE_CHARS:
            for part in parts_of_line(line):
                yield number, part
        elif lines or line.strip():  # A passage never begins with an empty line.
            if not lines:
                first_line = number
            lines.append(line)
            chars += len(line) + 1
    if lines:
        yield first_line, "\n".join(lines).strip("\n")


def parts_of_line(line: str) -> Iterator[str]:
    """Yield overlapping parts of a long line. They end with sentences or words."""
    start = 0
    while len(line) - start > PASSAGE_CHARS:
        part = line[start : start + PASSAGE_CHARS]
        end = _end_of_part(part)
        yield part[:end].strip()
        start += _length_without_overlap(part, end)
    yield line[start:].strip()


def _end_of_part(part: str) -> int:
    """Return where a part ends: after its last sentence, else after its last word, else in full."""
    ends: list[int] = []
    for sentence_end in SENTENCE_ENDS:
        place = part.rfind(sentence_end, MIN_PART_CHARS)
        if place >= 0:
            ends.append(place + len(sentence_end))
    if ends:
        return max(ends)
    blank = part.rfind(" ", MIN_PART_CHARS)
    return blank + 1 if blank >= 0 else len(part)


def _length_without_overlap(part: str, end: int) -> int:
    """Return how many characters after a part's start the next part begins.

    The parts overlap by at most `OVERLAP_CHARS`. The next part begins with a whole word if
    possible.
    """
    earliest = end - OVERLAP_CHARS
    blank = part.find(" ", earliest, end)
    is_at_end = blank < 0 or blank + 1 >= end
    return earliest if is_at_end else blank + 1

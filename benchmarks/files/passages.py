"""Cuts texts into the passages that a search compares and shows: nothing of a text is left out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

PASSAGE_CHARS: Final = 700
"""About 170 tokens: a paragraph or two."""
MIN_PASSAGE_CHARS: Final = 200
"""A blank line ends a passage from this length on."""
OVERLAP_CHARS: Final = 100
"""The parts of a long line overlap by so much, so that no sentence is only seen in two halves."""
MIN_PART_CHARS: Final = PASSAGE_CHARS // 2
"""The end of a sentence or word is looked for behind this place of a part."""
SENTENCE_ENDS: Final = (". ", "! ", "? ", "; ", "。", "！", "？")


def passages_in(text: str) -> Iterator[tuple[int, str]]:
    """Yield the number of the first line of each passage, and its text.

    A passage has one paragraph or several, of about `PASSAGE_CHARS`; a longer line is cut into parts.
    """
    lines: list[str] = []
    """The lines of the passage that is being collected."""
    chars = 0
    first_line = 1
    for number, line in enumerate(text.split("\n"), start=1):
        is_full = chars + len(line) > PASSAGE_CHARS
        is_end_of_paragraph = not line.strip() and chars >= MIN_PASSAGE_CHARS
        if lines and (is_full or is_end_of_paragraph):
            yield first_line, "\n".join(lines).strip("\n")
            lines = []
            chars = 0
            first_line = number

        if len(line) > PASSAGE_CHARS:
            for part in parts_of_line(line):
                yield number, part
            first_line = number + 1
        elif lines or line.strip():
            lines.append(line)
            chars += len(line) + 1
        else:
            first_line = number + 1  # No passage begins with an empty line.
    if lines:
        yield first_line, "\n".join(lines).strip("\n")


def parts_of_line(line: str) -> Iterator[str]:
    """Yield the parts of a long line, which end with sentences or words and overlap."""
    start = 0
    while len(line) - start > PASSAGE_CHARS:
        part = line[start : start + PASSAGE_CHARS]
        end = _end_of_part(part)
        yield part[:end].strip()
        start += _start_of_overlap(part, end)
    yield line[start:].strip()


def _end_of_part(part: str) -> int:
    """Return where a part ends: behind its last sentence, else its last word, else in full."""
    ends: list[int] = []
    for sentence_end in SENTENCE_ENDS:
        place = part.rfind(sentence_end, MIN_PART_CHARS)
        if place >= 0:
            ends.append(place + len(sentence_end))
    if ends:
        return max(ends)
    blank = part.rfind(" ", MIN_PART_CHARS)
    return blank + 1 if blank >= 0 else len(part)


def _start_of_overlap(part: str, end: int) -> int:
    """Return where the next part begins: at a word, about `OVERLAP_CHARS` before the end of this one."""
    earliest = end - OVERLAP_CHARS
    blank = part.find(" ", earliest, end)
    is_at_end = blank < 0 or blank + 1 >= end
    return earliest if is_at_end else blank + 1

"""Finds code in a reply outside of JSON: in a fence with the word `python`, or between tags.

Models that make mistakes with escapes in JSON strings write correct code in these forms:

    I read the rules.
    <code>
    print(1)
    </code>
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import re2

from controlplane.agent.reply.code.program_text import FENCE
from controlplane.agent.reply.objects.written_object import WrittenObject

OPENING_TAG: Final = "<code>"
"""The tag in front of code."""

_FENCED_CODE: Final = r"```(?i:python3?|py)\b[^\n`]*\n(?P<fenced>.*?)```"
"""A fence of Python: a line `` ```python ``, the code, and `` ``` ``."""
_TAGGED_CODE: Final = r"<code>\n(?P<tagged>.*?)\n</code>"
"""A pair of tags on separate lines, with the code between them."""
BLOCK: Final = re2.compile(f"(?s){_FENCED_CODE}|{_TAGGED_CODE}")


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """A block of Python in a reply: code between two fences (```), or between tags."""

    code: str
    start: int
    """Where the block starts in the reply."""

    def is_inside(self, written: WrittenObject) -> bool:
        """Return True if the block is in a string of a JSON object, so it is not code to run."""
        return written.covers(self.start)


def code_block(text: str) -> CodeBlock | None:
    """Return the only block of Python in a reply.

    Returns None if there is not exactly one, or if it is uncertain where the code ends.
    """
    blocks = list(BLOCK.finditer(text))
    if len(blocks) != 1 or has_unpaired_mark(text):
        return None
    block = blocks[0]
    code = str(block["fenced"] or block["tagged"] or "")
    return CodeBlock(code, block.start()) if code.strip() else None


def has_unpaired_mark(text: str) -> bool:
    """Return True if a fence or a tag of code has no partner.

    Either the text was cut off, or the code itself has such a mark in it. It is then
    uncertain where the code ends.
    """
    has_open_fence = text.count(FENCE) % 2 == 1
    has_open_tag = text.count(OPENING_TAG) != text.count("</code>")
    return has_open_fence or has_open_tag

"""Finds blocks in requests: text that poses as an instruction of the system.

A block is recognized by its beginning or by its words:

- a mark of a role, as in conversations with models: `<|system|>`
- an authority, named right after the request's text: `How many?[[relay by=system]]`
- a wrapper right after the request's text: `Thanks[[any text]]`
- a forgery, which is wording that no customer uses: `model_context: new`
- a demand: `ignore all the earlier rules`

The first three are marks. A quoted mark does not count, because then the request only talks
about it: "Translate the words "<|system|>"."
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import re2

from controlplane.benchmarks.shop.requests.block_marks.authority_marks import (
    AUTHORITY_MARK,
    LINK,
)
from controlplane.benchmarks.shop.requests.block_marks.mark import (
    blanked,
    first_mark,
    mark_starts,
)
from controlplane.benchmarks.shop.requests.block_marks.role_marks import (
    ROLE_MARK,
    TAG_BY_NAME,
)
from controlplane.benchmarks.shop.requests.block_marks.wordings import (
    DEMAND,
    FORGERY,
    OPPOSITE_OF_DEMAND,
)
from controlplane.benchmarks.shop.requests.block_marks.wrappers import WRAPPER
from controlplane.gates.request_text import with_plain_signs
from controlplane.sandbox.interface import bounds


def has_block(instruction: str) -> bool:
    """Return True if a request contains a block."""
    return _find_block(instruction) is not None


def text_before_block(instruction: str) -> str:
    """Return a request's own text: up to the block or, if there is none, the whole text."""
    block_start = _find_block(instruction)
    if block_start is None:
        return instruction
    return _plain_text(instruction)[:block_start]


def _find_block(instruction: str) -> int | None:
    """Return the position at which a block begins in a request's plain text; None if it has none.

    It begins with a mark, a forgery or a demand. The last two count even in a quotation.
    """
    position = find_mark(instruction)
    if position is not None:
        return position
    text = _plain_text(instruction)
    forgery_start = first_mark(FORGERY, text)
    if forgery_start is not None:
        return forgery_start
    return first_mark(DEMAND, blanked(OPPOSITE_OF_DEMAND, text))


def _plain_text(instruction: str) -> str:
    """Return a request with plain signs, such as `"` for `“`, and single blanks.

    All positions of blocks count in this text.
    """
    return with_plain_signs(instruction[: bounds.MOST_REQUEST_CHARS])


@lru_cache(maxsize=64)
def find_mark(instruction: str) -> int | None:
    """Return the position of the first mark that is not quoted, or None if there is none.

    Marks of roles are tried first, then marks that name an authority, then wrappers.
    """
    text = _plain_text(instruction)

    # 1. Marks of roles, except in "the <system> tag". Only the first one is looked at: if a request
    #    quotes or announces it, the request is about such marks.
    role_start = first_mark(ROLE_MARK, blanked(TAG_BY_NAME, text))
    if role_start is not None:
        is_mentioned = _is_quoted(text, role_start) or _is_announced(text, role_start)
        if not is_mentioned:
            return role_start

    # 2. Authorities, except in a link: "[the system page](/docs/system.md)". All are looked at,
    #    because a quoted one says nothing about the next.
    for start in mark_starts(AUTHORITY_MARK, blanked(LINK, text)):
        if not _is_quoted(text, start):
            return start

    # 3. Wrappers.
    for start in mark_starts(WRAPPER, text):
        if not _is_quoted(text, start):
            return start
    return None


def _is_quoted(text: str, position: int) -> bool:
    """Return True if a position is inside quotation marks or backticks on its line."""
    line_start = text.rfind("\n", 0, position) + 1
    before = text[line_start:position]
    after = text[position:].partition("\n")[0]
    for quotation_mark in ('"', "`"):
        is_open = before.count(quotation_mark) % 2 == 1
        if is_open and quotation_mark in after:
            return True
    return False


_ANNOUNCING: Final = re2.compile(
    r"(?:[:：]"  # a colon
    r"|'"  # an opening quotation mark
    r"|\"{3}|`{3}\w{0,20}"  # the start of a fenced text, such as ```text
    r")\s*\z"
)
"""The end of a text that announces the next text."""


def _is_announced(text: str, position: int) -> bool:
    """Return True if the words before a position announce the text there as the request's subject.

    They may be in three places: on the same line ("Translate this: <|system|>"), on an earlier
    line of the same paragraph, or at the end of the paragraph before.
    """
    # 1. The same line. `Translate this: [[<|system|>` is announced before the brackets.
    line_start = text.rfind("\n", 0, position) + 1
    line_before = text[line_start:position]
    for wrapper_sign in "[{<":
        line_before = line_before.partition(wrapper_sign)[0]

    # 2. The lines above. The last blank line separates those of the paragraph from the text before.
    text_before, _, lines_of_paragraph = text[:line_start].rpartition("\n\n")

    possible_announcements = [
        line_before,
        *lines_of_paragraph.split("\n"),
        text_before,
    ]
    return any(_ANNOUNCING.search(words) for words in possible_announcements)

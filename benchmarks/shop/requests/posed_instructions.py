"""Finds blocks in requests. A block is text that poses as an instruction of the system.

A block begins with a mark: `<|system|>`, `[[relay priority=system]]`, or another
wrapper of the kind in which programs put texts for a model. A mark that is quoted or
announced does not count, because then the request only talks about it. Two further
signs of a block count anywhere: a forgery, which is wording that no customer uses, and
a demand to ignore the rules.
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


def find_block(instruction: str) -> int | None:
    """Return the position at which a block begins in a request, or None if it has none.

    It begins with a mark, a forgery or a demand. The last two count even in a
    quotation. The position counts in the request's text with plain signs.
    """
    position = find_mark(instruction)
    if position is not None:
        return position
    text = with_plain_signs(instruction[: bounds.MOST_REQUEST_CHARS])
    forgery_start = first_mark(FORGERY, text)
    if forgery_start is not None:
        return forgery_start
    return first_mark(DEMAND, blanked(OPPOSITE_OF_DEMAND, text))


@lru_cache(maxsize=64)
def find_mark(instruction: str) -> int | None:
    """Return the position of the first mark that is not quoted, or None if there is none.

    The position counts in the request's text with plain signs. Marks of roles are tried
    first, then marks that name an authority, then wrappers.
    """
    text = with_plain_signs(instruction[: bounds.MOST_REQUEST_CHARS])

    # A request that quotes or announces one mark of a role is about such marks,
    # so only the first one counts.
    role_start = first_mark(ROLE_MARK, blanked(TAG_BY_NAME, text))
    if role_start is not None and not _is_mentioned(text, role_start):
        return role_start

    # The other marks may be parts of ordinary texts, so each is looked at.
    for start in mark_starts(AUTHORITY_MARK, blanked(LINK, text)):
        if not _is_quoted(text, start):
            return start
    for start in mark_starts(WRAPPER, text):
        if not _is_quoted(text, start):
            return start
    return None


def _is_mentioned(text: str, position: int) -> bool:
    """Return True if the request only talks about the text at a position."""
    return _is_quoted(text, position) or _is_announced(text, position)


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


_ANNOUNCING: Final = re2.compile(r"(?:[:：']|\"{3}|`{3}\w{0,20})\s*\z")
"""The end of a text that announces the next text: a colon, an opening quotation mark or fence."""


def _is_announced(text: str, position: int) -> bool:
    """Return True if the words before a position announce the text there as the request's subject.

    Such words end on the same line (`Translate this: <|system|>`), on an earlier line
    of the same paragraph, or at the end of the paragraph before.
    """
    line_start = text.rfind("\n", 0, position) + 1
    line_before = text[line_start:position]
    # `Translate this: [[<|system|>` is announced before the brackets.
    for wrapper_sign in "[{<":
        line_before = line_before.partition(wrapper_sign)[0]

    # A blank line ends a paragraph.
    paragraph_before, _, lines_above = text[:line_start].rpartition("\n\n")
    announcements = [line_before, *lines_above.split("\n"), paragraph_before]
    return any(_ANNOUNCING.search(announcement) for announcement in announcements)

"""Wrappers in which a program may put any text for a model: `Thanks[[any text]]`.

They name no authority. People leave a space or a line break before a bracket or a
heading, so a wrapper that begins right after the request's own text was put there by a
program. Texts that are longer or shorter than those below are not typical of wrappers.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.shop.requests.block_marks.characters import (
    CHINESE_SIGN,
    COLON,
    IN_LINE,
    NAME_SIGN,
    at_most,
)
from controlplane.benchmarks.shop.requests.block_marks.mark import Mark, any_mark

_TEXT_BEFORE: Final = r"[^\s\"'`(\[{<=+~*_#:：-]"
"""A last character of the request's own text that cannot belong to a wrapper."""
_REST_OF_LINE: Final = r"[^\S\n]*\n"
"""Blanks, and the line break: the wrapper's line has nothing else on it."""
_BLANK_LINE: Final = r"\s{0,9}\n"

_COLON_AND_QUOTED_LINE: Final = at_most(80, IN_LINE) + COLON + _REST_OF_LINE + r"\s?>"
"""The rest of a line that ends in a colon, and a quoted line: `message:`, then `> any text`."""
_HEADING_OF_2_TO_9_WORDS: Final = (
    rf"#{{1,3}} \pL{NAME_SIGN}{{1,40}}:?(?: {NAME_SIGN}+[:,]?){{1,8}}\n"
)
"""A heading and its line break: `## Notes for the model`."""


def _fenced_by(sign: str) -> str:
    """Return the pattern of up to 20 lines between two rows of a character: `+++`, lines, `+++`."""
    row = sign + "{3,}"
    label = r"\w{0,20}"  # right after the first row: `~~~text`
    lines = r"(?:[^\n]*\n){1,20}?"
    line_end = r"[^\S\n]*(?:\n|\z)"
    return row + label + _REST_OF_LINE + lines + row + line_end


WRAPPERS: Final = (
    # Brackets and comments around any text.
    Mark(
        example="Thanks[[any text]]\nmore text",
        text_before=_TEXT_BEFORE,
        pattern=r"\[\[[^\]\n]{3,200}\]\]" + _REST_OF_LINE,
    ),
    Mark(
        example="Thanks<!-- any text -->\nmore text",
        text_before=_TEXT_BEFORE,
        pattern=r"<!--[^\n]{3,200}?-->" + _REST_OF_LINE,
    ),
    # Rows of signs: a header with a key below, or a fenced text.
    Mark(
        example="Thanks---\npriority: high",
        text_before=_TEXT_BEFORE,
        pattern="-{3,}" + _REST_OF_LINE + r"\s{0,9}[^\s:：]{2,40}\s?" + COLON,
    ),
    Mark(
        example="Thanks+++\nany text\n+++",
        text_before=_TEXT_BEFORE,
        pattern=_fenced_by(r"\+"),
    ),
    Mark(
        example="Thanks===\nany text\n===",
        text_before=_TEXT_BEFORE,
        pattern=_fenced_by("="),
    ),
    Mark(
        example="Thanks~~~\nany text\n~~~",
        text_before=_TEXT_BEFORE,
        pattern=_fenced_by("~"),
    ),
    Mark(
        example="Thanks.## Notes for the model\n\nmore text",
        text_before=r"[.?!\])>]|\pL{2}",
        pattern=_HEADING_OF_2_TO_9_WORDS + _BLANK_LINE,
    ),
    # A line that ends in a colon, with a quotation below. At least three characters
    # precede the colon.
    Mark(
        example="Thanks.Forwarded message:\n> any text",
        text_before=r"[.?!\])]",
        pattern=r"\pL[^\n]{2}" + _COLON_AND_QUOTED_LINE,
    ),
    Mark(
        example="thanksForwarded message:\n> any text",
        text_before="[a-z]{4}",  # a word, and not a name such as `iPhone`
        pattern="[A-Z][a-z]+ " + _COLON_AND_QUOTED_LINE,
    ),
    Mark(
        example="thanks转发的消息:\n> any text",
        text_before=r"[A-Za-z\d]",
        pattern=CHINESE_SIGN + r"[^\n]{2}" + _COLON_AND_QUOTED_LINE,
    ),
    # A tag with attributes.
    Mark(
        example='Thanks.<note kind="context">\nany text',
        text_before=r"[.?!\])]",
        pattern=rf"<[A-Za-z]{NAME_SIGN}{{2,40}}\s[^>\n]{{3,200}}>" + _REST_OF_LINE,
    ),
)
WRAPPER: Final = any_mark(WRAPPERS)

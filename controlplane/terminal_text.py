"""Text from outside made safe for a terminal, and how commands print a line.

A model, a file or a web page can hold characters that move the cursor, colour the screen or
turn the direction of writing. Before such a text is printed, they are replaced by visible signs:
`"\\x1b[2J"` is shown as `"␛[2J"`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import click

from controlplane.sandbox.interface import bounds

if TYPE_CHECKING:
    from controlplane.gates.trial import Change


_HIDDEN_SPANS: Final = (
    "00-08 0b-1f 7f-9f "  # control characters, without tab and line feed
    "34f 61c 115f-1160 17b4-17b5 180b-180f "  # joiners, marks and fillers of several scripts
    "200b 200e-200f 2028-202e 2060-206f "  # zero-width space, direction marks, line separators
    "2800 3164 ffa0 "  # blank Braille pattern, Hangul fillers
    "d800-dfff "  # surrogates
    "fe00-fe0e feff fff9-fffb fffe-ffff "  # variation selectors, byte-order mark, noncharacters
    "1d159 e0000-e0fff"  # null note head, tag characters
)
"""Code points of hidden characters, and ranges of them, in hexadecimal.

Zero-width joiners (200c, 200d) and the selector
fe0f are not hidden: words and emoji need them.
"""

_DELETE: Final = 0x7F
_CONTROL_PICTURES: Final = 0x2400
"""The first of Unicode's pictures for control characters: ␀ for code 0, ␁ for code 1, and so on."""


def _visible_replacement(code: int) -> str:
    """Return the character that is shown in place of a hidden one."""
    if code < ord(" "):
        return chr(_CONTROL_PICTURES + code)
    if code == _DELETE:
        return "␡"
    return "\N{REPLACEMENT CHARACTER}"


def _replacements() -> dict[int, str]:
    """Return the visible replacement of each hidden character, by code point."""
    replacements = {}
    for span in _HIDDEN_SPANS.split():
        first, _, last = span.partition("-")
        for code in range(int(first, 16), int(last or first, 16) + 1):
            replacements[code] = _visible_replacement(code)
    return replacements


HIDDEN: Final = _replacements()
"""Characters that control a terminal, or that are invisible and not part of words or emoji.

The value of each is the text that is shown in its place.
"""


def sanitize(text: str) -> str:
    """Return `text` with control characters, surrogates, direction marks and blanks made visible.

    Texts of models, scripts and documents may contain such characters. They must not
    control the user's terminal.
    """
    if text.isascii() and text.isprintable():  # the fast path for most texts
        return text
    return text.replace("\r\n", "\n").translate(HIDDEN).expandtabs(4)


def one_line(text: str) -> str:
    """Return `text` sanitized and in one line: each run of blanks and line ends becomes a space."""
    return " ".join(sanitize(text).split())


def say(text: str = "", *, err: bool = False, is_styled: bool = False) -> None:
    """Print a text, and sanitize it first unless `is_styled` is true.

    The caller has already sanitized the foreign parts of a styled text.
    Styles are dropped if the output is not a terminal. Commands print all output
    but JSON with this function.
    """
    if not is_styled:
        text = sanitize(text)
    click.echo(text, err=err)


def changed_text(changes: Iterable[Change], label: str = "changed") -> str:
    """Return a line on what a trial changed: `changed: /notes.md, mail.send (2 times)`."""
    names = []
    for path, count in Counter(change.path for change in changes).items():
        name = one_line(path)
        if count > 1:
            name += f" ({count} times)"
        names.append(name)
    if not names:
        return f"{label}: nothing"
    text = f"{label}: {', '.join(names[: bounds.SHOWN_NAMES])}"
    if len(names) > bounds.SHOWN_NAMES:
        text += f" and {len(names) - bounds.SHOWN_NAMES} more"
    return text

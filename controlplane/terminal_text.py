"""Makes text that anybody may have written safe for a terminal, and prints it."""

from __future__ import annotations

from typing import Final

import click

_HIDDEN_SPANS: Final = (
    "00-08 0b-1f 7f-9f 34f 61c 115f-1160 17b4-17b5 180b-180f 200b 200e-200f "
    "2028-202e 2060-206f 2800 3164 d800-dfff fe00-fe0e feff ffa0 fff9-fffb 1d159 e0000-e0fff"
)
"""Code points and spans of them, in hexadecimal."""


def _picture(code: int) -> str:
    return chr(0x2400 + code) if code < 0x20 else "␡" if code == 0x7F else "\ufffd"


HIDDEN: Final = {
    code: _picture(code)
    for first, _, last in (span.partition("-") for span in _HIDDEN_SPANS.split())
    for code in range(int(first, 16), int(last or first, 16) + 1)
}
"""Characters that steer a terminal, or show nothing and are not part of words and emoji, and what is shown instead."""


def sanitize(text: str) -> str:
    """Return `text` with control characters, surrogates, direction marks and what shows nothing made visible.

    Models, scripts and documents write such text; it must not steer the reader's terminal.
    """
    if text.isascii() and text.isprintable():  # most texts are; the rest is slow
        return text
    return text.replace("\r\n", "\n").translate(HIDDEN).expandtabs(4)


def say(text: str = "", *, err: bool = False, is_styled: bool = False) -> None:
    """Print a text that anybody may have written, sanitized unless it `is_styled`: its foreign parts are so then,
    and our own styles are left out where no terminal shows them. Commands print by this function, besides JSON."""
    click.echo(text if is_styled else sanitize(text), err=err)

"""Makes text that anybody may have written safe for a terminal, and prints it."""

from __future__ import annotations

import re
from typing import Final

import click

HIDDEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ud800-\udfff\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb\U0001d159\U000e0000-\U000e0fff]"
)
"""Characters that steer a terminal, or show nothing and are not part of words and emoji."""


def sanitize(text: str) -> str:
    """Return `text` with control characters, surrogates, direction marks and what shows nothing made visible.

    Models, scripts and documents write such text; it must not steer the reader's terminal.
    """
    if text.isascii() and text.isprintable():  # most texts are; the rest is slow
        return text
    return HIDDEN.sub(_picture, text.replace("\r\n", "\n")).expandtabs(4)


def say(text: str = "", *, err: bool = False, is_styled: bool = False) -> None:
    """Print a text that anybody may have written, sanitized unless it `is_styled`: its foreign parts are so then,
    and our own styles are left out where no terminal shows them. Commands print by this function, besides JSON."""
    click.echo(text if is_styled else sanitize(text), err=err)


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    return chr(0x2400 + code) if code < 0x20 else "␡" if code == 0x7F else "\ufffd"

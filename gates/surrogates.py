"""Lone surrogates in texts: halves of characters, which UTF-8 and RE2 refuse.

A script may make such a text: `"\\ud83d"` is the first half of an emoji.
"""

from __future__ import annotations


def encodable(text: str) -> str:
    """Replace each lone surrogate by a question mark, because RE2 cannot read it.

    Keeps the length of the text, so that offsets stay valid.
    """
    if text.isascii():
        return text
    return text.encode("utf-8", "replace").decode("utf-8")


def surrogate_at(text: str) -> int | None:
    """Return the index of the first lone surrogate, which UTF-8 cannot encode, or None."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        return error.start
    return None

r"""A text as a reader sees it, without the characters by which a forgery may hide from a search.

    as_a_reader_sees("</\u200bS\u00e9ction>")   # -> "</section>"

The text has a blank of no width, a capital letter, and an accent.
"""

import unicodedata

INVISIBLE_CATEGORIES = {"Cc", "Cf", "Me", "Mn"}
"""The categories of control characters, format characters, and marks such as accents."""

HANGUL_FILLER = "\u1160"
"""A Korean letter that is shown as nothing. `normalize` turns U+3164 into it."""


def as_a_reader_sees(text: str) -> str:
    """Return a text in plain small letters, without the characters that are hardly visible."""
    visible: list[str] = []
    for character in unicodedata.normalize("NFKD", text).casefold():
        is_invisible = (
            unicodedata.category(character) in INVISIBLE_CATEGORIES
            or character == HANGUL_FILLER
        )
        if character == "\n" or not is_invisible:
            visible.append(character)
    return "".join(visible)

"""Whether a short text of a call identifies something, so that it is worth looking up.

Of `open_case(number="7", file="A-1", author="Ann", mode="restart")`, the texts `7`, `A-1` and
`Ann` do. Which of the read texts have `restart` says nothing: such a word occurs everywhere.
"""

from __future__ import annotations

from controlplane.agent.evidence.origins.values.keys import MIN_IDENTIFYING_CHARS


def identifies_something(text: str) -> bool:
    """Return True for a number, or for a text of some length that is not one word in small letters."""
    is_everyday_word = text.isalpha() and text.islower() and text.isascii()
    if is_everyday_word:
        return False
    if text.isdigit():
        return True  # Even `7` may be an amount or an id.
    has_words = any(char.isalnum() for char in text)
    return has_words and len(text) >= MIN_IDENTIFYING_CHARS

"""What a key is: what all spellings of a value share.

A mail may say `GB33 BUKB 2020 1555 5555 55` where a call has `GB33BUKB20201555555555`. A text
is indexed by the keys of the values in it, and a value of a call is found by its own keys:

| spellings | key |
|---|---|
| `GB33 BUKB 2020 1555 5555 55`, `gb33bukb20201555555555` | `gb33bukb20201555555555` |
| `Emma@Site.com`, `emma@site.com` | `emma@site.com` |
| `1,250.00`, `1250` | `1250` |
| `15 May 2026`, `2026-05-15` | `2026-05-15` |
| `https://www.pay.org/form`, `pay.org/form` | `pay.org/form` |
| `Ann Miller`, `ann miller` | ` ann miller ` (a phrase) |

A *phrase* is the key of several words. An index of all phrases in a text would be too large,
so a phrase is searched in the words of the text.
"""

from __future__ import annotations

from typing import Final

MIN_IDENTIFYING_CHARS: Final = 3
"""The shortest text that identifies something, in characters. Shorter texts occur everywhere."""


def is_phrase(key: str) -> bool:
    """Return True for the key of several words: ` ann miller `.

    The blanks at its ends keep it from being found within longer words: `Joann Millers`.
    """
    return key.startswith(" ")


def is_small_number(word: str) -> bool:
    """Return True for a number of one or two digits, which most texts contain by chance."""
    return len(word) < MIN_IDENTIFYING_CHARS and word.isdigit()

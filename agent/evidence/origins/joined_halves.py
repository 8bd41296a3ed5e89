"""Recognises values that a script has joined of two halves.

A mail may say “Add GB33 in front of 20201555.” The script then calls
`send_money(recipient="GB3320201555")`. No text has this account, but it comes from the mail all
the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from controlplane.agent.evidence.origins.texts.key_index import KeyIndex

MIN_HALF_CHARS: Final = 4
"""The shortest half that is looked up, in characters. Shorter texts occur everywhere."""
MAX_HALVED_CHARS: Final = 100
"""The longest key whose halves are looked up, in characters. Each way to cut it costs a look-up."""


def halves_in_prose(keys: Iterable[str], index: KeyIndex) -> tuple[str, str] | None:
    """Return two halves of a value's key that are both only in running text; None without any.

    `gb3320201555` -> (`gb33`, `20201555`), if the mail is the only text with these words
    """
    for key in keys:
        for first, second in _halves_of(key):
            if index.is_only_in_prose(first) and index.is_only_in_prose(second):
                return first, second
    return None


def _halves_of(key: str) -> Iterator[tuple[str, str]]:
    """Yield each way to cut a key in two: `gb3320201555` -> `gb33` and `20201555`, ...

    The last way is `gb332020` and `1555`.
    """
    if len(key) > MAX_HALVED_CHARS or not key.isalnum():
        return
    last_cut = len(key) - MIN_HALF_CHARS
    for cut in range(MIN_HALF_CHARS, last_cut + 1):
        yield key[:cut], key[cut:]

"""Reads a document of a shop: its marked words and the paths that it names.

A marked word is a text in backticks. In "A basket is bought with `/bin/checkout <basket_id>` if
its `status` is `open`.", a command, the name of a field and a state are marked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from functools import lru_cache
from typing import Final

import re2

from controlplane.gates.surrogates import encodable

MARKED_WORD: Final = re2.compile(r"`([^`\n]+)`")
"""A marked word: a text in backticks, such as `status`."""


@lru_cache(maxsize=128)
def marked_words(text: str) -> tuple[str, ...]:
    """Return the texts in backticks, in order, including repetitions.

    "its `status` is `open`" -> `("status", "open")`
    """
    # The lines are joined, because a marked text may go on in the next line.
    lines = [line.strip() for line in text.split("\n")]
    # `encodable` replaces characters that RE2 cannot read.
    return tuple(MARKED_WORD.findall(encodable(" ".join(lines))))


def most_marked(text: str, among: Collection[str]) -> str:
    """Return the word of `among` that a text marks most often; empty if it marks none.

    If several are equal, the first in the text is returned.
    """
    counts = Counter(word for word in marked_words(text) if word in among)
    best_word = ""
    for word in counts:  # in the order of the text
        if not best_word or counts[word] > counts[best_word]:
            best_word = word
    return best_word


_FEW_WORDS: Final = r"[^`.;]{0,20}"
"""At most 20 characters inside a sentence, enough for a few words such as `is set to`."""


def marked_after(text: str, word: str) -> str:
    """Return the word in backticks that follows another one closely in the same sentence.

    "products whose `fulfillment` is `download`", `fulfillment` -> `download`. The result is empty
    if there is none.
    """
    if f"`{word}`" not in text:
        return ""
    one_line = " ".join(text.split())
    match = re.search(rf"`{re.escape(word)}`{_FEW_WORDS}`([^`\n]+)`", one_line)
    return match[1] if match else ""


_PATH: Final = re.compile(
    r"(?:^|(?<=[\s`(\[\"']))"  # at the start of a line, or after a blank, a quote or a bracket
    r"/[A-Za-z][\w.-]*"  # the first folder: /docs
    r"(?:/[\w.-]+)*",  # folders and the file in it: /security.md
    re.MULTILINE,
)
"""An absolute path: `/docs/security.md`. Matched by `re`, because RE2 cannot look behind."""


@lru_cache(maxsize=128)
def named_paths(text: str) -> tuple[str, ...]:
    """Return the absolute paths in a text, with or without backticks, each once."""
    paths = [path.rstrip(".") for path in _PATH.findall(text)]
    return tuple(dict.fromkeys(paths))

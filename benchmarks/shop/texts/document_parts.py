"""Divides a document of a shop into paragraphs and list entries, or quotes one of its sentences.

A rule is usually one entry of a list: "- Run `/bin/refund approve <return_id>` if it fits." A
document may break it into two lines. `entries_of` joins them, so a rule is found on one line.
`quoted_sentence` finds the sentence that is the reason for citing a document.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

import re2

from controlplane.gates.surrogates import encodable

_ENTRY_START: Final = re2.compile(
    r"[^\S\n]*(?:"
    r"[-+*•–]\s"  # a bullet
    r"|#{1,6}\s"  # a heading
    r"|\(?(?:\d{1,2}|[a-z])[.)]\s"  # a number or letter: 1. (a)
    r"|\*\*[\pL\pN_]|__[\pL\pN_]"  # a bold name
    r"|\|"  # a table row
    r")"
)
"""The start of a line that begins a new list entry.

A bullet or number needs a blank or line break after it: `-4` and `1.5` begin no entry.
"""


@lru_cache(maxsize=64)
def entries_of(text: str) -> tuple[str, ...]:
    """Return the paragraphs and list entries of a document, each on one line.

    For the document

        # Refunds

        Staff approve a refund.
        - Run `/bin/refund
          approve <return_id>`.
        - Cite the return.

    the entries are

        # Refunds
        Staff approve a refund.
        - Run `/bin/refund approve <return_id>`.
        - Cite the return.
    """
    entries: list[list[str]] = [[]]
    for line in encodable(text).split("\n"):
        is_blank = not line.strip()
        # The line break counts as the blank after a bullet that is alone on its line: `-`.
        line_with_break = f"{line}\n"
        if is_blank or _ENTRY_START.match(line_with_break):
            entries.append([])
        entries[-1] += line.split()
    return tuple(" ".join(words) for words in entries if words)


_MIN_SENTENCE_CHARS: Final = 31
"""Shorter parts of a document are taken for headings."""
_MAX_REASON_CHARS: Final = 160
"""A longer sentence is cut off."""


def quoted_sentence(text: str, words: str) -> str:
    """Return the reason for citing a document: its sentence with the most of these words.

    `words` is a pattern: `contact|e-?mail|phone` -> "it says: Contact details of staff are not
    given out." If several sentences have as many, the first is taken. A document without
    sentences is quoted from its beginning.
    """
    one_line = " ".join(text.split())
    word_pattern = re.compile(words, re.IGNORECASE)
    best_sentence = ""
    best_count = -1
    # A lookbehind, which only `re` has and not `re2`, keeps the mark at the sentence's end.
    for part in re.split(r"(?<=[.!?;])\s", one_line):
        sentence = part.strip(" #-*")
        if len(sentence) < _MIN_SENTENCE_CHARS:
            continue
        count = len(set(word_pattern.findall(sentence.casefold())))
        if count > best_count:
            best_sentence = sentence
            best_count = count
    quoted = best_sentence or one_line
    return f"it says: {quoted[:_MAX_REASON_CHARS]}"

"""The words for yes and no in the answers of a shop.

Its rules may require words of its own: "Answer `<YES>` if it is so, `<NO>` if it is not."
Sometimes it is certain which word means yes (`certain_yes_no_words`). Sometimes it is only
known that a word is one of the two (`possible_yes_no_words`).
"""

from __future__ import annotations

from typing import Final, NamedTuple

import re2

from controlplane.benchmarks.shop.texts.document_parts import entries_of
from controlplane.benchmarks.shop.texts.documents import MARKED_WORD
from controlplane.gates.surrogates import encodable

YES_WORDS: Final = frozenset({"yes", "true", "ja", "oui"})
"""The words that are a yes in the languages of answers."""
NO_WORDS: Final = frozenset({"no", "false", "nein", "nee", "non"})
"""The words that are a no in the languages of answers."""


class YesNoWords(NamedTuple):
    """The words that stand for yes and no in answers."""

    yes: str
    no: str


# Certain words ----------------------------------------------------------------------------------

_YES_BEFORE_NO: Final = re2.compile(r"(?i)\byes\b.*\bno\b|\bis so\b.*\bis not\b")
"""Words of a paragraph that gives the word for yes and then that for no.

"`1` for yes, `0` for no", "`1` if it is so, `0` if it is not"
"""


def certain_yes_no_words(rules: str) -> YesNoWords | None:
    """Return the words for yes and no in a rules document; None if they are not certain.

    All paragraphs and list entries on yes and no must give the same two words.
    """
    pairs: set[YesNoWords] = set()
    for paragraph in entries_of(rules):
        pair = _words_given_by(paragraph)
        if pair is not None:
            pairs.add(pair)
    if len(pairs) == 1:
        return pairs.pop()
    return None


def _words_given_by(paragraph: str) -> YesNoWords | None:
    """Return the two words in backticks of a paragraph on yes and then no; None for others."""
    if not _YES_BEFORE_NO.search(paragraph):
        return None
    words: list[str] = []
    for word in MARKED_WORD.findall(paragraph):
        is_path_or_outcome = word.startswith(("/", "OUTCOME_"))
        if not is_path_or_outcome and word not in words:
            words.append(word)
    if len(words) != 2:
        return None
    return YesNoWords(yes=words[0], no=words[1])


# Possible words ---------------------------------------------------------------------------------

_ABOUT_YES_NO: Final = re2.compile(
    r"(?i)\b(?:yes\s*(?:/|or)\s*no|ja\s*(?:/|oder)\s*nein)\b"
)
"""A line on yes and no: `yes/no`, `yes or no`."""
_WORD_IN_ANGLES: Final = re2.compile("<[A-Z]+>")
"""A word in angle brackets: `<YES>`."""


def possible_yes_no_words(rules: str) -> list[str]:
    """Return all words that may stand for yes or no, in the order of the rules.

    They are the words in lines such as "Yes or no: `1`, `0`": those in backticks, and then
    those in angle brackets. It is not certain which of them means yes.
    """
    lines = [
        line for line in encodable(rules).splitlines() if _ABOUT_YES_NO.search(line)
    ]
    words: list[str] = []
    for pattern in (MARKED_WORD, _WORD_IN_ANGLES):
        for line in lines:
            words += pattern.findall(line)
    return list(dict.fromkeys(words))

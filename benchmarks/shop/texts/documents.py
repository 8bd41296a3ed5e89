"""Reads what a shop's documents mark: words in backticks, paths, and words for yes and no.

A marked word is a word in backticks, such as `status`. Documents mark names of fields,
states, commands and values.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from typing import Final, NamedTuple

import re2

from controlplane.gates.submission import encodable

MARKED_WORD: Final = re2.compile(r"`([^`\n]+)`")
"""A word in backticks: `status`."""
_WORD_IN_ANGLES: Final = re2.compile("<[A-Z]+>")
"""A word in angle brackets: <YES>."""
_PATH: Final = re.compile(
    r"(?:^|(?<=[\s`(\[\"']))/[A-Za-z][\w.-]*(?:/[\w.-]+)*", re.MULTILINE
)
"""An absolute path: /docs/security.md."""
_ENTRY_START: Final = re2.compile(
    r"[^\S\n]*(?:"
    r"[-+*•–]\s"  # a bullet
    r"|#{1,6}\s"  # a heading
    r"|\(?(?:\d{1,2}|[a-z])[.)]\s"  # a number or letter: 1. (a)
    r"|\*\*[\pL\pN_]|__[\pL\pN_]"  # a bold name
    r"|\|"  # a table row
    r")"
)
"""The start of a line that begins a new list entry."""


@lru_cache(maxsize=128)
def marked_words(text: str) -> tuple[str, ...]:
    """Return the texts in backticks, in order, including repetitions. They may span lines."""
    lines = [line.strip() for line in text.split("\n")]
    return tuple(MARKED_WORD.findall(encodable(" ".join(lines))))


def most_marked(text: str, among: Collection[str]) -> str:
    """Return the word of `among` that a text marks most often; empty if it marks none.

    If several are equal, the first in the text is returned.
    """
    counts: dict[str, int] = {}
    for word in marked_words(text):
        if word in among:
            counts[word] = counts.get(word, 0) + 1
    return max(counts, key=lambda word: counts[word], default="")


def marked_after(text: str, word: str, *, most_chars: int = 20) -> str:
    """Return the next word in backticks after another one, in the same sentence.

    "products whose `fulfillment` is `download`", "fulfillment" -> "download".
    The result is empty if there is none. At most `most_chars` characters may be between
    them, enough for a few words such as "is set to".
    """
    if f"`{word}`" not in text:
        return ""
    one_line = " ".join(text.split())
    match = re.search(
        rf"`{re.escape(word)}`[^`.;]{{0,{most_chars}}}`([^`\n]+)`", one_line
    )
    return match[1] if match else ""


@lru_cache(maxsize=128)
def named_paths(text: str) -> tuple[str, ...]:
    """Return the absolute paths in a text, with or without backticks, each once."""
    return tuple(dict.fromkeys(path.rstrip(".") for path in _PATH.findall(text)))


@lru_cache(maxsize=64)
def entries_of(text: str) -> tuple[str, ...]:
    """Return the paragraphs and list entries of a document, each on one line."""
    entries: list[list[str]] = [[]]
    for line in encodable(text).split("\n"):
        is_blank = not line.strip()
        # The pattern needs white space after a bullet. The line break is it if there is no text.
        if is_blank or _ENTRY_START.match(f"{line}\n"):
            entries.append([])
        entries[-1] += line.split()
    return tuple(" ".join(words) for words in entries if words)


# The words for yes and no -----------------------------------------------------------------------

# A workspace may require its own words for yes and no: "answer `<YES>` or `<NO>`".

YES_WORDS: Final = frozenset({"yes", "true", "ja", "oui"})
"""The words that are a yes in the languages of answers."""
NO_WORDS: Final = frozenset({"no", "false", "nein", "nee", "non"})
"""The words that are a no in the languages of answers."""
_ABOUT_YES_NO: Final = re2.compile(
    r"(?i)\b(?:yes\s*(?:/|or)\s*no|ja\s*(?:/|oder)\s*nein)\b"
)
_YES_BEFORE_NO: Final = re2.compile(r"(?i)\byes\b.*\bno\b|\bis so\b.*\bis not\b")


def yes_no_words(rules: str) -> list[str]:
    """Return all words that may stand for yes or no in a rules document.

    Words in backticks come first, then words in angle brackets: `<YES>`. Which of them
    means yes is not known; `yes_no_pair` tells it if it is certain.
    """
    lines = [
        line for line in encodable(rules).splitlines() if _ABOUT_YES_NO.search(line)
    ]
    words: list[str] = []
    for mark in (MARKED_WORD, _WORD_IN_ANGLES):
        for line in lines:
            words += mark.findall(line)
    return list(dict.fromkeys(words))


class YesNoWords(NamedTuple):
    """The words that stand for yes and no in answers."""

    yes: str
    no: str


def yes_no_pair(rules: str) -> YesNoWords | None:
    """Return the words for yes and no; None if they are not certain.

    They are the only two marked words in a paragraph that mentions yes and then no. All
    such paragraphs must mark the same words.
    """
    pairs: set[YesNoWords] = set()
    for entry in entries_of(rules):
        marked: dict[str, None] = {}
        for word in MARKED_WORD.findall(entry):
            is_path_or_outcome = word.startswith(("/", "OUTCOME_"))
            if not is_path_or_outcome:
                marked[word] = None
        if len(marked) == 2 and _YES_BEFORE_NO.search(entry):
            yes_word, no_word = marked
            pairs.add(YesNoWords(yes_word, no_word))
    if len(pairs) == 1:
        return pairs.pop()
    return None


_MIN_SENTENCE_CHARS: Final = 31
"""Shorter parts of a document are taken for headings."""
_MAX_REASON_CHARS: Final = 160


def quoted_sentence(text: str, words: str) -> str:
    """Return the reason for citing a document: its sentence with the most of these words.

    `words` is a pattern for one word. If several sentences are equal, the first is
    taken. A document without sentences is quoted from its beginning.
    """
    one_line = " ".join(text.split())
    word_pattern = re.compile(words, re.IGNORECASE)
    best_sentence = ""
    best_count = -1
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

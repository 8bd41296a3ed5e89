"""Reads a document of a shop: its marked words and the paths that it names.

A marked word is a text in backticks. In "A basket is bought with `/bin/checkout <basket_id>` if
its `status` is `open`.", a command, the name of a field and a state are marked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from functools import lru_cache
from typing import Final, NamedTuple

import re2

from controlplane.gates.surrogates import encodable

# Divides a document of a shop into paragraphs and list entries, or quotes one of its sentences.
#
# A rule is usually one entry of a list: "- Run `/bin/refund approve <return_id>` if it fits." A
# document may break it into two lines. `entries_of` joins them, so a rule is found on one line.
# `quoted_sentence` finds the sentence that is the reason for citing a document.

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


_MARKED_WORD: Final = re2.compile(r"`([^`\n]+)`")
"""A marked word: a text in backticks, such as `status`."""


@lru_cache(maxsize=128)
def marked_words(text: str) -> tuple[str, ...]:
    """Return the texts in backticks, in order, including repetitions.

    "its `status` is `open`" -> `("status", "open")`
    """
    # The lines are joined, because a marked text may go on in the next line.
    lines = [line.strip() for line in text.split("\n")]
    # `encodable` replaces characters that RE2 cannot read.
    return tuple(_MARKED_WORD.findall(encodable(" ".join(lines))))


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


# The words for yes and no in the answers of a shop.
#
# Its rules may require words of its own: "Answer `<YES>` if it is so, `<NO>` if it is not."
# Sometimes it is certain which word means yes (`certain_yes_no_words`). Sometimes it is only
# known that a word is one of the two (`possible_yes_no_words`).

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
    for word in _MARKED_WORD.findall(paragraph):
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
    for pattern in (_MARKED_WORD, _WORD_IN_ANGLES):
        for line in lines:
            words += pattern.findall(line)
    return list(dict.fromkeys(words))

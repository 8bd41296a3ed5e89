"""The patterns of searches for words through a workspace's files.

The environment searches with RE2, which knows only ASCII letters as parts of words. So its search
for the word `rub` also finds the line "rubéole". `WordSearch.keeps`, which uses Python's `re`,
sorts out such lines:

    search = WordSearch(["rub"])
    [line for line in lines_found_by(search.pattern) if search.keeps(line)]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import re2

from controlplane.benchmarks.shop.texts.names import BARE_LETTERS, TRANSCRIBED_LETTERS
from controlplane.gates.text_folding import fold_text

_BETWEEN_WORDS: Final = "[^0-9A-Za-z]"
_BEFORE: Final = f"(?:^|{_BETWEEN_WORDS})"
_AFTER: Final = f"(?:{_BETWEEN_WORDS}|$)"
_BLANKS: Final = r"[ \t]*"


@dataclass(frozen=True)
class WordSearch:
    """A search for words one after another. Case, separators and their accents do not matter.

    The words `["led", "röhre"]` are found in `LED-Röhre` and `led roehre`. The caller gives
    `pattern` to the environment's search, and keeps the lines that `keeps` accepts.
    """

    words: Sequence[str]
    """In lower case."""

    @cached_property
    def _word_patterns(self) -> list[str]:
        """The pattern of each word, which matches it with or without accents."""
        patterns = []
        for word in self.words:
            patterns.append("".join(_letter_pattern(letter) for letter in word))
        return patterns

    @property
    def pattern(self) -> str:
        """The pattern for the environment's search. All but ASCII letters and digits separate."""
        words = f"{_BETWEEN_WORDS}*".join(self._word_patterns)
        return f"(?i){_BEFORE}{words}{_AFTER}"

    @cached_property
    def _strict_pattern(self) -> re.Pattern[str]:
        """The pattern for `keeps`. No letter or digit of any script may be next to the words."""
        words = r"[\W_]*".join(self._word_patterns)
        letter_or_digit = r"[^\W_]"
        return re.compile(rf"(?i)(?<!{letter_or_digit}){words}(?!{letter_or_digit})")

    def keeps(self, line: str) -> bool:
        """Return True if a matched line has the words as whole words: `lamp`, not `lampshade`."""
        return self._strict_pattern.search(line) is not None


def _letter_pattern(letter: str) -> str:
    """Return a pattern of all the ways in which files may spell a letter.

    For `ö`, they are `ö`, its escapes in JSON (`\\u00f6`, and `\\u00d6` for the capital), `o`
    without the accent, and `oe`.
    """
    if letter.isascii():
        return str(re2.escape(letter))
    spellings = [re2.escape(letter)]
    for case in (letter, letter.upper()):
        if len(case) == 1:  # The capital of `ß` is `SS`, which needs no escape.
            spellings.append(rf"\\u{ord(case):04x}")
    without_accent = fold_text(letter.translate(BARE_LETTERS))
    spellings.append(re2.escape(without_accent))
    spellings.append(letter.translate(TRANSCRIBED_LETTERS))
    return f"(?:{'|'.join(spellings)})"


def text_field_pattern(keys: Iterable[str]) -> str:
    """Return a pattern for lines of JSON records with one of these keys and a text as its value.

    `["status"]` -> the pattern of `"status": "`, with any blanks after the colon
    """
    return f'"(?:{"|".join(map(re2.escape, keys))})":{_BLANKS}"'


def field_pattern(key: str) -> str:
    """Return a pattern for lines of a JSON record with this key."""
    return f'"{re2.escape(key)}":'

"""The patterns of searches through a workspace's files, which the environment runs with RE2.

RE2 knows only ASCII letters as parts of words. So its search for the word `rub` also finds the
line "rubéole", and `WordSearch.keeps`, which uses Python's `re`, says which lines to keep.
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
    """A search for words one after another. Case, separators and accents do not matter.

    The environment searches with `pattern`, and the caller keeps the lines that `keeps`
    accepts. The words are in lower case.
    """

    words: Sequence[str]

    @cached_property
    def _word_patterns(self) -> list[str]:
        """The pattern of each word, which matches it with or without accents."""
        return ["".join(map(_letter_pattern, word)) for word in self.words]

    @property
    def pattern(self) -> str:
        """The pattern for the environment's search."""
        words = f"{_BETWEEN_WORDS}*".join(self._word_patterns)
        return f"(?i){_BEFORE}{words}{_AFTER}"

    @cached_property
    def _strict_pattern(self) -> re.Pattern[str]:
        """The pattern for `keeps`: no letter or digit may come right before or after the words."""
        words = r"[\W_]*".join(self._word_patterns)
        letter_or_digit = r"[^\W_]"
        return re.compile(rf"(?i)(?<!{letter_or_digit}){words}(?!{letter_or_digit})")

    def keeps(self, line: str) -> bool:
        """Return True if a matched line has the words as whole words: `lamp`, not `lampshade`."""
        return self._strict_pattern.search(line) is not None


def _letter_pattern(letter: str) -> str:
    """Return a pattern for a letter as files may spell it: `ö` also as `\\u00f6`, `o` and `oe`."""
    if letter.isascii():
        return str(re2.escape(letter))
    spellings = [re2.escape(letter)]
    # In JSON, the letter may be an escape. That of `ö` is `\u00f6`, and that of `Ö` `\u00d6`.
    for case in (letter, letter.upper()):
        if len(case) == 1:  # The capital of `ß` is `SS`, which needs no escape.
            spellings.append(rf"\\u{ord(case):04x}")
    spellings.append(re2.escape(fold_text(letter.translate(BARE_LETTERS))))
    spellings.append(letter.translate(TRANSCRIBED_LETTERS))
    return f"(?:{'|'.join(spellings)})"


def text_field_pattern(keys: Iterable[str]) -> str:
    """Return a pattern for lines of JSON records: one of these keys, with a text as its value."""
    return f'"(?:{"|".join(map(re2.escape, keys))})":{_BLANKS}"'


def field_pattern(key: str) -> str:
    """Return a pattern for lines of a JSON record with this key."""
    return f'"{re2.escape(key)}":'

"""Guesses the language of a text by its most frequent words: "der Preis ist hoch" -> `de`.

The language decides, for example, whether a text writes decimals with a point or a comma.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import re2

from controlplane.gates.values.character_table import CharacterTable
from controlplane.gates.values.locale_names import FUNCTION_WORDS

LEAST_FUNCTION_WORDS: Final = 2
"""A text is in a language if it has this many of its frequent words (`the`, `und`)."""
_EAST_ASIAN: Final = re2.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]")


def _letter_or_blank(character: str) -> str:
    """Return a letter as it is, and a blank for any other character."""
    return character if character.isalpha() else " "


_BLANKS_BETWEEN_WORDS: Final = CharacterTable(_letter_or_blank)


def language_of(text: str) -> str:
    """Return the locale with the most function words in a text: "der Preis ist hoch" -> "de".

    Function words are very frequent, such as `der` and `ist`. Returns "" if a text has fewer
    than `LEAST_FUNCTION_WORDS` of every language, and "ja" for Chinese and Korean, too.
    """
    if _EAST_ASIAN.search(text):
        return "ja"  # the marks of numbers are the same in Chinese and Korean
    counts = dict.fromkeys(FUNCTION_WORDS, 0)
    locales_of_word = _locales_by_function_word()
    for word in text.translate(_BLANKS_BETWEEN_WORDS).casefold().split():
        for locale in locales_of_word.get(word, ()):
            counts[locale] += 1

    best_locale = ""
    best_count = LEAST_FUNCTION_WORDS - 1
    for locale, count in counts.items():
        if count > best_count:
            best_locale = locale
            best_count = count
    return best_locale


@cache
def _locales_by_function_word() -> dict[str, list[str]]:
    """Return the locales of each function word: `{"die": ["de"], "de": ["fr", "es"], …}`."""
    locales: dict[str, list[str]] = {}
    for locale, words in FUNCTION_WORDS.items():
        for word in words.split():
            locales.setdefault(word, []).append(locale)
    return locales

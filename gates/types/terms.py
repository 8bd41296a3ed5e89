"""Index terms: the forms in which the words of reasons and documents are compared, whatever their case, accents,
plurals and number formats. `gates.types.term_index` looks them up in a document.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import chain
from typing import Final

TOKEN: Final = re.compile(r"[^\W_]+(?:[-_.@:/'][^\W_]+)*")
_ASTRAL: Final = re.compile("[\U00010000-\U0010ffff]")
_NO_WORD: Final = {code: " " for code in range(128) if not chr(code).isalnum()}
PART: Final = re.compile(r"[^\W_]+")
NO_MARK: Final = dict.fromkeys(map(ord, ".,'\u00a0\u202f"))
"""For `str.translate`: leaves out what groups the digits of a number."""
NUMBER: Final = re.compile(r"\d+(?:[.,'\u00a0\u202f]\d+)*")
STEM_LETTERS: Final = 5

BOILERPLATE: Final = frozenset(
    re.findall(
        r"\S+",
        """
        a an the this that these those and or of to in on at by for from with as is are was were be been it its into has
        have had do does did not no any all each every which what who whose where when why how can may must shall should
        will would because so than then them they their there here we our us my me you your i he she his her if but also
        only just very more most such same other both either about over under per via relevant related useful needed
        necessary required important appropriate correct valid proper document documents doc docs file files record
        records data reference references ref refs citation citations cite cited cites source sources evidence proof
        support supports supporting supported ground grounds grounding grounded justify justifies justification based
        reason reasons information info content contents detail details read reads reading used use uses using checked
        check checks verify verified verifies verification confirm confirms confirmed confirming confirmation consulted
        reviewed review look looked found find finds shows show showing shown contains contain containing says say
        states state stated answer answers answered task tasks question request requested result results final see seen
        here's needs need make makes made get gets got give gives given thing things
        """,
    )
)
"""Words that fit any reason and identify nothing."""


def fold_text(text: str) -> str:
    """Return `text` in lower case and without accents."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return _without_marks(decomposed)


def _without_marks(text: str) -> str:
    """Return `text` without combining marks."""
    if _ASTRAL.search(text) is None:
        return _combining_marks().sub("", text)
    marks = [ord(char) for char in set(text) if unicodedata.combining(char)]
    return text.translate(dict.fromkeys(marks)) if marks else text


@cache
def _combining_marks() -> re.Pattern[str]:
    """Return a pattern of the combining marks among the first 65,536 characters: a search costs little a character."""
    marks = "".join(filter(unicodedata.combining, map(chr, range(0x10000))))
    return re.compile(f"[{re.escape(marks)}]+")


def parts_of(folded: str) -> list[str]:
    """Return what stands between the marks of a folded text: letters and digits side by side."""
    return folded.translate(_NO_WORD).split() if folded.isascii() else PART.findall(folded)


def words_in(folded: str) -> frozenset[str]:
    """Return the different parts of a folded text."""
    return frozenset(parts_of(folded))


def stem(word: str) -> str:
    """Return the prefix that inflected forms of `word` share, marked with `*` so that it equals no word."""
    if len(word) > STEM_LETTERS:
        return word[:STEM_LETTERS] + "*"
    return (word[:-1] if word.endswith("s") and len(word) > 3 else word) + "*"


def number_key(number: str) -> str:
    """Return the key that all formats of `number` share: `1,199.00`, `1199` and `119900` (cents) have the same."""
    return "#" + number.translate(NO_MARK).strip("0")


def reason_tokens(reason: str) -> tuple[str, ...]:
    """Return the tokens of a reason in order, folded, with compounds unsplit."""
    return tuple(TOKEN.findall(fold_text(reason)))


def lookup_terms(token: str) -> frozenset[str]:
    """Return the index terms that a document may hold for `token` of a reason."""
    return _kept_lookup_terms(token) if len(token) <= _MAX_KEPT_CHARS else _lookup_terms(token)


def _lookup_terms(token: str) -> frozenset[str]:
    if token.isalpha():
        return frozenset((token, stem(token)))
    forms = {token}
    if token.isdigit():
        forms.add(number_key(token))
    else:
        forms.update(part for part in PART.findall(token) if len(part) > 2 or any(c.isdigit() for c in part))
        forms.update(stem(part) for part in PART.findall(token) if part.isalpha() and len(part) > STEM_LETTERS)
        forms.update(number_key(number) for number in NUMBER.findall(token) if len(number) > 1)
    return frozenset(forms)


_kept_lookup_terms: Final = lru_cache(maxsize=4_096)(_lookup_terms)
_MAX_KEPT_CHARS: Final = 60


def is_boilerplate(token: str) -> bool:
    """Say whether a token identifies nothing: an everyday word or a single letter."""
    return token in BOILERPLATE or (len(token) == 1 and token.isalpha())


def distinctive_words(text: str, limit: int) -> tuple[str, ...]:
    """Return up to `limit` words from the beginning of `text` that set it apart: ids and numbers first.

    The result is empty only for an empty text, or one of boilerplate and single characters.
    """
    head = _head_tokens(text)
    ids = (token for token in head if len(token) > 1 and any(map(str.isdigit, token)))
    words = (token for token in head if token.isalpha() and len(token) > 5 and not is_boilerplate(fold_text(token)))
    return _first_of(chain(ids, words), limit) or _first_of(filter(_is_distinctive, head), limit)


def has_distinctive_word(text: str) -> bool:
    """Say whether `distinctive_words` finds any."""
    return any(map(_is_distinctive, _head_tokens(text)))


def _is_distinctive(token: str) -> bool:
    return len(token) > 1 and not is_boilerplate(fold_text(token))


def _head_tokens(text: str) -> list[str]:
    head = [token for token in _spelled_tokens(text[:2_000]) if len(token) <= 60]
    return head or _spelled_tokens(text[:200_000])


def _first_of(tokens: Iterable[str], limit: int) -> tuple[str, ...]:
    """Return the first different tokens."""
    found: dict[str, None] = {}
    for each in tokens:
        found[each] = None
        if len(found) == limit:
            break
    return tuple(found)


def _spelled_tokens(text: str) -> list[str]:
    """Return the tokens of `text` in their own spelling, without combining marks that compose with no letter."""
    if not text.isascii():
        text = _without_marks(unicodedata.normalize("NFKC", text))
    return TOKEN.findall(text)

"""Words of a text in the form in which reasons and documents are compared: case, accents, plurals and number formats
are levelled. An index of a document is a set of such terms, built once when the document is read.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_TOKEN: Final = re.compile(r"[^\W_]+(?:[-_.@:/'][^\W_]+)*")
_PART: Final = re.compile(r"[^\W_]+")
_NUMBER: Final = re.compile(r"\d+(?:[.,'\u00a0\u202f]\d+)*")
_STEM_LETTERS: Final = 5

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
"""Words that stand in any reason and name nothing."""


def level(text: str) -> str:
    """Return `text` without case and accents."""
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(char for char in apart if not unicodedata.combining(char))


def index_terms(text: str) -> frozenset[str]:
    """Return every term by which `text` can be named: compounds, words, stems (`stock*`) and numbers (`#1199`)."""
    levelled = level(text)
    terms: set[str] = set()
    for token in set(_TOKEN.findall(levelled)):
        terms.add(token)
        if not token.isalpha():
            terms.update(_PART.findall(token))
    terms.update([stem(word) for word in terms if word.isalpha()])
    terms.update([number_key(number) for number in set(_NUMBER.findall(levelled))])
    return frozenset(terms)


def stem(word: str) -> str:
    """Return the beginning that inflected forms of `word` share, marked so that it never equals a word."""
    if len(word) > _STEM_LETTERS:
        return word[:_STEM_LETTERS] + "*"
    return (word[:-1] if word.endswith("s") and len(word) > 3 else word) + "*"


def number_key(number: str) -> str:
    """Return the digits of `number` that all its formats share: `1,199.00`, `1199` and `119900` (cents) are one."""
    return "#" + "".join(char for char in number if char.isdigit()).strip("0")


def reason_tokens(reason: str) -> tuple[str, ...]:
    """Return the levelled tokens of a reason in order, compounds whole."""
    return tuple(_TOKEN.findall(level(reason)))


def forms_of(token: str) -> frozenset[str]:
    """Return the index terms under which `token` of a reason may stand in a document."""
    if token.isalpha():
        return frozenset((token, stem(token)))
    forms = {token}
    if token.isdigit():
        forms.add(number_key(token))
    else:
        forms.update(part for part in _PART.findall(token) if len(part) > 2 or any(c.isdigit() for c in part))
        forms.update(stem(part) for part in _PART.findall(token) if part.isalpha() and len(part) > _STEM_LETTERS)
        forms.update(number_key(number) for number in _NUMBER.findall(token) if len(number) > 1)
    return frozenset(forms)


def is_boilerplate(token: str) -> bool:
    """Say whether a token of a reason names nothing: a word of every day, or a single letter."""
    return token in BOILERPLATE or (len(token) == 1 and token.isalpha())


def telling_words(text: str, limit: int) -> tuple[str, ...]:
    """Return up to `limit` words from the beginning of `text` that tell it from others: ids and numbers first.

    Empty only where no word of it could name it: an empty text, or one of boilerplate and single signs.
    """
    head = [token for token in _spelt(text[:2_000]) if len(token) <= 60] or _spelt(text[:200_000])
    ids = [token for token in head if len(token) > 1 and any(char.isdigit() for char in token)]
    words = [token for token in head if token.isalpha() and len(token) > 5 and not is_boilerplate(level(token))]
    short = [token for token in head if len(token) > 1 and not is_boilerplate(level(token))]
    return tuple(dict.fromkeys(ids + words or short))[:limit]


def _spelt(text: str) -> list[str]:
    """Return the tokens of `text` as they are spelt, but for marks that no letter takes up: levelled, none is left."""
    if not text.isascii():
        text = "".join(char for char in unicodedata.normalize("NFKC", text) if not unicodedata.combining(char))
    return _TOKEN.findall(text)

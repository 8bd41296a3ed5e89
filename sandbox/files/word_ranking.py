"""Ranks texts by the words that they share with a request, in all scripts, by SQLite's FTS5.

Forms of one word count as the same word: case, composed and decomposed accents, and full-width letters are folded;
English endings are cut. Scripts that set no blanks between words are taken as overlapping pairs of letters.
"""

from __future__ import annotations

import sqlite3
import unicodedata
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Final

import re2

from controlplane.sandbox.interface import bounds

_WORD: Final = re2.compile(r"[\pL\pN\pM]+(?:[-_][\pL\pN\pM]+)*")
"""A word, number, id or code: `loan`, `ledger-12`, `key_keeper`."""
_SPACELESS: Final = re2.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}ー\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+"
)
"""Letters of scripts that set no blanks between words."""
MIN_WORD_CHARS: Final = 3
"""Shorter words of letters say little about a subject, except in scripts without blanks."""
MAX_QUERY_WORDS: Final = 200
"""Longer queries take long and rank no better."""
TITLE_WEIGHT: Final = 6.0
"""A word in a title weighs as much as six of the same word in the text."""
MAX_FURTHER_TEXTS: Final = 400
"""More further texts hardly change how rare a word is."""
_COMMON_WORDS: Final = """
about all also and answer any are because been before being but can could did does doing done each either exactly find
for from get give had has have having her hers him his how into its just let like may might more most much must nor not
now off once one only onto other our out own plain please put reply same say see shall she should show some such take
tell than that the their them then there these they thing things this those too two until upon very want was way were
what when where whether which while who whom whose why will with would yes yet you your
"""
COMMON_WORDS: Final = frozenset(_COMMON_WORDS.split())
"""English words of grammar, and those that ask for an answer: they say nothing about the subject of a request."""


def folded(text: str) -> str:
    """Return a text in which forms of the same letter are one: case, composition, width."""
    if text.isascii():
        return text.lower()
    if not unicodedata.is_normalized("NFKC", text):
        text = unicodedata.normalize("NFKC", text)
    # Case folding can decompose letters again, as the Turkish capital I with a dot.
    return unicodedata.normalize("NFC", text.casefold())


def comparable_text(text: str) -> str:
    """Return a folded text in which the words of `words_of` stand as they are returned."""
    text = folded(text)
    if text.isascii():
        return text
    return str(_SPACELESS.sub(lambda run: _letters_of(run[0]), text))


def words_of(text: str) -> list[str]:
    """Return the folded words of a text that say something about its subject, each once; all words if none does."""
    words: list[str] = []
    for word in _WORD.findall(folded(text[: bounds.MOST_COMPARED_CHARS])):
        words += _parts(word)
    telling = [word for word in words if is_telling(word)]
    return list(dict.fromkeys(telling or words))


def is_telling(word: str) -> bool:
    """Say whether a folded word may say something about a subject."""
    if word in COMMON_WORDS:
        return False
    is_short = len(word) < MIN_WORD_CHARS
    return not is_short or not word.isalpha() or _SPACELESS.search(word) is not None


def beginning_of(word: str) -> str:
    """Return the beginning of a word, with which its other forms begin: `retur` for `returned`; an id has no other."""
    if not word.isalpha():
        return word
    return word[: max(4, len(word) - 3)]


def _parts(word: str) -> list[str]:
    """Return a word, or the pairs of letters of its parts in scripts without blanks."""
    if word.isascii():
        return [word]
    split: str = _SPACELESS.sub(lambda run: f" {' '.join(_pairs(run[0]))} ", word)
    return split.split()


def _pairs(run: str) -> list[str]:
    """Return the overlapping pairs of letters of a text without blanks: `ab`, `bc` for `abc`; a lone letter as it is."""
    letters = _letters_of(run)
    if len(letters) < 2:
        return [letters]
    return [letters[at : at + 2] for at in range(len(letters) - 1)]


def _letters_of(run: str) -> str:
    """Return a text without the marks on its letters, such as Thai vowels, at which FTS5 would split words."""
    return "".join(char for char in run if not unicodedata.category(char).startswith("M"))


def _indexed(text: str) -> str:
    """Return a text as it is put into the table. A run's last letter stands alone, so that a lone letter finds it."""
    text = folded(text)
    if text.isascii():
        return text
    return str(_SPACELESS.sub(lambda run: f" {' '.join([*_pairs(run[0]), run[0][-1]])} ", text))


def _query_of(words: Iterable[str]) -> str:
    """Return the query for texts that hold one of the words; empty without words."""
    terms: list[str] = []
    for word in list(dict.fromkeys(words))[:MAX_QUERY_WORDS]:
        # SQLite would end the query at NUL, and a quotation mark would end the word.
        term = f'"{word}"'.replace("\0", " ") if '"' not in word else ""
        if term and len(word) == 1 and _SPACELESS.search(word):
            term += " *"
        if term:
            terms.append(term)
    return " OR ".join(terms)


@dataclass(frozen=True, slots=True)
class TitledText:
    """A text to be ranked, with what is known of it beside its words."""

    title: str
    text: str


class WordRanking:
    """A table in memory that ranks texts. Close it after use."""

    def __init__(self) -> None:
        self._table: sqlite3.Connection | None = None

    def close(self) -> None:
        """Give the memory of the table back."""
        if self._table is not None:
            self._table.close()
            self._table = None

    def _opened(self) -> sqlite3.Connection:
        if self._table is None:
            self._table = sqlite3.connect(":memory:", isolation_level=None)
            tokenizer = "porter unicode61 remove_diacritics 2"
            self._table.execute(
                f"create virtual table texts using fts5(title, text, content='', tokenize='{tokenizer}')"
            )
        return self._table

    def scores(
        self,
        texts: Mapping[str, TitledText],
        words: Iterable[str],
        *,
        further_texts: int = 0,
        title_weight: float = TITLE_WEIGHT,
    ) -> dict[str, float]:
        """Return the score of each name whose title or text holds one of the words, best first.

        A word counts by how rare it is among the texts and as many others as are `further_texts`.
        """
        query = _query_of(words)
        if not query or not texts:
            return {}
        names = list(texts)
        rows = [
            (number, _indexed(titled.title), _indexed(titled.text[: bounds.MOST_COMPARED_CHARS]))
            for number, titled in enumerate(texts.values())
        ]
        for _ in range(min(further_texts, MAX_FURTHER_TEXTS)):
            rows.append((len(rows), "", ""))
        table = self._opened()
        table.execute("begin")
        try:
            table.executemany("insert into texts (rowid, title, text) values (?, ?, ?)", rows)
            ranked = table.execute(
                "select rowid, -bm25(texts, ?, 1.0) from texts where texts match ? order by 2 desc, 1",
                (title_weight, query),
            )
            return {names[number]: score for number, score in ranked}
        finally:
            table.execute("rollback")


def ranked_texts(
    texts: Mapping[str, TitledText], words: Iterable[str], *, title_weight: float = TITLE_WEIGHT
) -> dict[str, float]:
    """Return the scores of `WordRanking.scores` from a table that is made for this call."""
    with closing(WordRanking()) as ranking:
        return ranking.scores(texts, words, title_weight=title_weight)
